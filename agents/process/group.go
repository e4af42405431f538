package process

// groups are cgroups of runs whose supervisors may be dead. A group whose supervisor is
// alive is left to it: two servers may know a run with the same id.
type groups []*group

// in lists the processes in the groups that no live supervisor holds.
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

// end removes the groups and ends whatever is still in them.
func (gs groups) end() {
	for _, g := range gs {
		if g.orphaned() {
			g.end()
		}
	}
}
