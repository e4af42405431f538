package engine

import (
	"fmt"
	"sync"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// greens remembers the trees on which checks passed before anybody had changed anything.
// The next quest that starts from the same files with the same check need not run it
// again. It forgets them when the server ends.
type greens struct {
	mu    sync.Mutex
	trees map[string]string // by what decides a check of the base besides its files
}

// mostGreens is how many of them are remembered.
const mostGreens = 1000

// keyOf names repository, check command and set-up.
func keyOf(q *orchestration.Quest, needs record.RepoSettings) string {
	return fmt.Sprintf("%q %q %q %q %q", q.Repo, q.Ward, needs.Setup, needs.Links, needs.Copies)
}

// tree returns the fingerprint of the tree on which such a check passed last; "": unknown.
func (g *greens) tree(key string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.trees[key]
}

// note remembers that a check of the base passed.
func (g *greens) note(key string, ended agents.Ended) {
	if ended.End != orchestration.EndWardPassed || ended.Exit.Tree == "" || ended.Exit.NoCheck {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.trees == nil || len(g.trees) >= mostGreens {
		g.trees = map[string]string{}
	}
	g.trees[key] = ended.Exit.Tree
}
