package main

import "strings"

// Commands returns all commands with their flags and arguments as the help shows them.
func Commands() map[string]string {
	all := map[string]string{}
	for _, c := range commands() {
		all[c.name] = strings.TrimSpace(c.flags + " " + c.args)
	}
	return all
}
