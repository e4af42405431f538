package process

// groups are cgroups that runs had whose supervisors may be dead. One whose
// supervisor lives is left to it: two servers may know a run of the same id.
type groups []*group

// in lists the processes that nobody else looks after.
func (gs groups) in(byPID map[int]proc) (found []proc) {
	for _, g := range gs {
		if !g.orphaned() {
			continue
		}
		for _, pid := range g.pids() {
			if p, ok := byPID[pid]; ok {
				found = append(found, p)
			}
		}
	}
	return found
}

func (gs groups) kill() {
	for _, g := range gs {
		if g.orphaned() {
			g.kill()
		}
	}
}

// end removes them, with whatever is in them still.
func (gs groups) end() {
	for _, g := range gs {
		if g.orphaned() {
			g.end()
		}
	}
}
