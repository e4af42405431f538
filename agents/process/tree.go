package process

import "slices"

// identity identifies a process by more than its pid, because pids are reused.
type identity struct {
	pid   int
	start uint64 // when it started, in the platform's own ticks; grows
}

// proc is one live process. Zombies are not listed: they must be reaped, not ended.
type proc struct {
	identity
	parent  int
	session int // pid of the session's first process; 0: unknown
	// headless: its first thread has ended. A program may live on like that. A Go
	// program does not: it is being killed.
	headless bool
}

// Mark identifies what is left of a run.
type Mark struct {
	BootID string // the boot in which the run was started
	PID    int    // of the supervisor
	Start  uint64 // start time of the supervisor; 0: unknown
	RunID  string // the marker in the environment of the run's processes
}

// on reports whether the process has the marker of this run in its environment.
func (m Mark) on(p proc) bool {
	run, ok := variable(p.pid, RunMarker)
	return ok && run == m.RunID
}

// descendants lists the processes that root started, directly or indirectly.
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

// marksOf lists the processes with the run's marker. It leaves out processes that
// belong to another supervisor, because two servers may know a run with the same id.
func marksOf(all []proc, mark Mark, supervisor int) []proc {
	var found []proc
	var byPID map[int]proc
	for _, p := range all {
		// Nothing that the run started is older than its supervisor, so skip older
		// processes.
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
	for range len(byPID) { // a snapshot may contain a cycle
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

// unique removes duplicates and the process with the pid not.
func unique(found []proc, not int) []proc {
	seen := make(map[int]bool, len(found))
	return slices.DeleteFunc(found, func(p proc) bool {
		double := seen[p.pid] || p.pid == not
		seen[p.pid] = true
		return double
	})
}
