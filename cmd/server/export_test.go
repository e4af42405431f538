package main

// Flag is a flag as docs/interfaces.md describes it.
type Flag struct {
	Name, Env, Initial string
	Commands           []string
}

// Flags returns the flags of all commands.
func Flags() []Flag {
	var all []Flag
	for _, o := range options() {
		f := Flag{Name: o.name, Env: o.env(), Initial: o.initial}
		for _, c := range commands() {
			for _, known := range flagsOf(c.name) {
				if known.name == o.name {
					f.Commands = append(f.Commands, c.name)
				}
			}
		}
		all = append(all, f)
	}
	return all
}

// Commands returns all commands with their arguments.
func Commands() map[string]string {
	all := map[string]string{}
	for _, c := range commands() {
		all[c.name] = c.args
	}
	return all
}
