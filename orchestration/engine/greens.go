package engine

import (
	"sync"

	"questboard/agents"
	"questboard/orchestration"
)

// greens remembers the trees on which checks passed before anybody had changed anything.
// The next quest that starts from the same files with the same check need not run it
// again. It forgets them when the server ends.
type greens struct {
	mu    sync.Mutex
	trees map[string]string // by repository and check command
}

// mostGreens is how many of them are remembered.
const mostGreens = 1000

func keyOf(q *orchestration.Quest) string { return q.Repo + "\x00" + q.Ward }

// tree returns the fingerprint of the tree on which the quest's check passed last; "":
// unknown.
func (g *greens) tree(q *orchestration.Quest) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.trees[keyOf(q)]
}

// note remembers the result of a check of the base.
func (g *greens) note(q *orchestration.Quest, r *orchestration.Run, ended agents.Ended) {
	if r.Step != orchestration.StepBaseline || ended.End != orchestration.EndWardPassed || ended.Exit.Tree == "" || ended.Exit.NoCheck {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.trees == nil || len(g.trees) >= mostGreens {
		g.trees = map[string]string{}
	}
	g.trees[keyOf(q)] = ended.Exit.Tree
}
