package main

import (
	"sync"
	"time"

	"questboard/agents/claude"
	"questboard/agents/workspace"
	"questboard/orchestration"
)

// lfsWanted stands in a list of files for the question whether git-lfs may run.
var lfsWanted = orchestration.WantedFile{Path: ".gitattributes (filter=lfs)", Sum: "git-lfs"}

// wantsOf is all that a directory asks programs of the user's to run or to load.
func wantsOf(dir string) (orchestration.Wants, error) {
	wants, err := claude.Wants(dir)
	if err != nil || !workspace.UsesLFS(dir) {
		return wants, err
	}
	wants.Files = append(wants.Files, lfsWanted)
	wants.List = append(wants.List, orchestration.Want{File: ".gitattributes", Kind: "filter", Name: "lfs",
		Text: "git-lfs, as your own git configuration names it, runs on the files that are kept in it. Until you trust it, worktrees hold pointers in their place."})
	return wants.Sealed(), nil
}

// trustedWithLFS reports whether the user has seen that a repository uses git-lfs.
func trustedWithLFS(s orchestration.Settings, repo string) bool {
	trust, _ := s.TrustOf(repo)
	return trust.Covers(orchestration.Wants{Files: []orchestration.WantedFile{lfsWanted}})
}

// recentWants spares boards, which are rendered at every change and for every
// browser, a new walk through the trees of a quest. What runs load, and what the
// user is asked to trust, is looked at anew.
type recentWants struct {
	mu   sync.Mutex
	kept map[string]keptWants // by directory
}

type keptWants struct {
	wants orchestration.Wants
	until time.Time
}

const (
	// lookLife is how long a look is kept, and lookShare how many times longer
	// than it took, if that is more.
	lookLife  = 5 * time.Second
	lookShare = 20
	mostLooks = 100
)

func (r *recentWants) read(dir string) (orchestration.Wants, error) {
	begun := time.Now()
	r.mu.Lock()
	kept, known := r.kept[dir]
	r.mu.Unlock()
	if known && begun.Before(kept.until) {
		return kept.wants, nil
	}
	wants, err := wantsOf(dir)
	if err != nil {
		return wants, err
	}
	life := max(lookLife, lookShare*time.Since(begun))
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.kept) >= mostLooks {
		clear(r.kept)
	}
	r.kept[dir] = keptWants{wants, time.Now().Add(life)}
	return wants, nil
}
