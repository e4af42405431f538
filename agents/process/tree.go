package process

import "slices"

// identity is a process and not merely a pid: pids are used again.
type identity struct {
	pid   int
	start uint64 // when it started, in the platform's own ticks; grows
}

// proc is one living process. Zombies are not listed: they need burying, not
// ending.
type proc struct {
	identity
	parent  int
	session int // pid of the session's first process; 0 where not known
	// headless: its first thread has left. A program may live on like that; one
	// of Go does not, it is being killed.
	headless bool
}

// Mark says how to find what is left of a run.
type Mark struct {
	BootID string // of the boot in which the run was started
	PID    int    // of the supervisor
	Start  uint64 // start time of the supervisor; 0 = not known
	RunID  string // what the processes carry in their environment
}

// on reports whether the process carries the mark's run in its environment.
func (m Mark) on(p proc) bool {
	run, ok := variable(p.pid, RunMarker)
	return ok && run == m.RunID
}

// descendants lists what root started, and what that started.
func descendants(all []proc, root int) []proc {
	children := make(map[int][]proc)
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	var found []proc
	seen := map[int]bool{root: true}
	for next := []int{root}; len(next) > 0; next = next[1:] {
		for _, p := range children[next[0]] {
			if !seen[p.pid] {
				seen[p.pid] = true
				found, next = append(found, p), append(next, p.pid)
			}
		}
	}
	return found
}

// marksOf lists what carries the run's marker. A marked process that belongs
// to another supervisor than ours is left alone: two servers may know a run
// of the same id.
func marksOf(all []proc, mark Mark, supervisor int) []proc {
	var found []proc
	var byPID map[int]proc
	for _, p := range all {
		// What the run started is not older than its supervisor: fewer to look at.
		if p.start < mark.Start || !mark.on(p) {
			continue
		}
		if byPID == nil {
			byPID = index(all)
		}
		if owner := supervisorOf(byPID, p.pid); owner == 0 || owner == supervisor {
			found = append(found, p)
		}
	}
	return found
}

// supervisorOf returns the nearest supervisor at or above pid, or 0.
func supervisorOf(byPID map[int]proc, pid int) int {
	for range len(byPID) { // a snapshot may show a circle
		p, ok := byPID[pid]
		if !ok {
			return 0
		}
		if _, is := variable(pid, supervisorMarker); is {
			return pid
		}
		pid = p.parent
	}
	return 0
}

func index(all []proc) map[int]proc {
	byPID := make(map[int]proc, len(all))
	for _, p := range all {
		byPID[p.pid] = p
	}
	return byPID
}

// unique drops doubles and the process not.
func unique(found []proc, not int) []proc {
	seen := make(map[int]bool, len(found))
	return slices.DeleteFunc(found, func(p proc) bool {
		double := seen[p.pid] || p.pid == not
		seen[p.pid] = true
		return double
	})
}
