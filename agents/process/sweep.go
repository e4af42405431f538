package process

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Sweep ends what is left of earlier runs after a restart of the server: TERM, and KILL
// a second later, because nobody reads those runs' output any more. It returns how many
// processes it signalled. Nothing is left of marks from another boot. Processes are
// found by supervisor (pid and start time), by descent and by marker, never by name. It
// returns early, with an error, only when ctx ends.
func Sweep(ctx context.Context, bootID string, marks []Mark) (int, error) {
	var current []Mark
	for _, m := range marks {
		if m.BootID == bootID && m.RunID != "" {
			current = append(current, m)
		}
	}
	if len(current) == 0 {
		return 0, nil
	}
	groups := groupsOf(current)
	n := end(target{find: func() []proc { return leftOf(current, groups) }, kill: groups.kill, stop: ctx.Done()}, afterServer)
	if err := ctx.Err(); err != nil {
		return n, fmt.Errorf("sweep: %d runs looked for: %w", len(current), err)
	}
	groups.end()
	return n, nil
}

// endMarked ends what is left of a run whose supervisor is dead but not reaped: its pid
// still belongs to nobody else, and its session is the run's.
func endMarked(m Mark, killAfter time.Duration) {
	groups := groupsOf([]Mark{m})
	defer groups.end()
	end(target{kill: groups.kill, find: func() []proc {
		found := leftOf([]Mark{m}, groups)
		for _, p := range processes(nil) {
			if p.session == m.PID && p.start >= m.Start {
				found = append(found, p)
			}
		}
		return unique(found, m.PID)
	}}, killAfter)
}

// leftOf lists the live processes of these runs. A supervisor is listed only when its
// tree is empty; killed earlier it would release processes that only it can find.
func leftOf(marks []Mark, groups groups) []proc {
	all := processes(nil)
	byPID := index(all)
	found := groups.in(byPID)
	for _, m := range marks {
		supervisor := m.supervisor(all, byPID)
		tree := marksOf(all, m, supervisor)
		if supervisor != 0 {
			tree = append(tree, descendants(all, supervisor)...)
		}
		if tree = unique(tree, supervisor); len(tree) == 0 && supervisor != 0 {
			tree = append(tree, byPID[supervisor])
		}
		found = append(found, tree...)
	}
	return unique(found, 0)
}

// supervisor returns the pid of the run's supervisor, or 0 if it is gone: the one with
// the stored pid and start time, or one of this run whose server is dead (the server
// ended before it stored the pid).
func (m Mark) supervisor(all []proc, byPID map[int]proc) int {
	for _, p := range all {
		if p.start < m.Start || !m.on(p) {
			continue
		}
		server, is := variable(p.pid, supervisorMarker)
		if is && (p.identity == identity{m.PID, m.Start} || !serverLives(server, byPID)) {
			return p.pid
		}
	}
	return 0
}

// serverID identifies this process, and not a later one with the same pid.
func serverID() string {
	return fmt.Sprintf("%d.%d", os.Getpid(), startTime(os.Getpid()))
}

func serverLives(id string, byPID map[int]proc) bool {
	var server identity
	if _, err := fmt.Sscanf(id, "%d.%d", &server.pid, &server.start); err != nil {
		return false
	}
	p, ok := byPID[server.pid]
	return ok && p.identity == server && !p.headless
}
