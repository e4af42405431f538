package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"questboard/agents/claude"
	"questboard/agents/ward"
	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// Repositories tells whether a directory will do for a quest. It implements Repos.
type Repositories struct {
	git    workspace.Git
	recent *recentWants
}

// NewRepositories looks at repositories by this git.
func NewRepositories(git workspace.Git) Repositories {
	return Repositories{git, &recentWants{kept: map[string]keptWants{}}}
}

// Look implements Repos.
func (r Repositories) Look(ctx context.Context, dir string) (Repository, error) {
	facts, err := r.git.Check(ctx, dir)
	var fault *workspace.Fault
	switch {
	case errors.As(err, &fault):
		return Repository{Path: facts.Path, Fault: fault.Reason}, nil
	case err != nil:
		return Repository{}, err
	}
	return Repository{Path: facts.Path, Branch: facts.Branch, NoTrees: noTrees(facts), Changed: facts.Changed,
		Submodules: facts.Submodules, LFS: facts.LFS, Checks: ward.Suggest(facts.Path)}, nil
}

// Wants implements Repos.
func (r Repositories) Wants(dir string) (record.Wants, error) { return WantsOf(dir) }

// LatelyWanted implements Repos.
func (r Repositories) LatelyWanted(dir string) (record.Wants, error) {
	return r.recent.read(dir)
}

// noTrees says why steps cannot have trees of their own; "" where they can.
func noTrees(facts workspace.Facts) string {
	if !facts.Commits {
		return fmt.Sprintf("%s has no commit yet, and a worktree starts from one: make a first commit there, or let the agents work in the repository itself", facts.Path)
	}
	return ""
}

// Settle implements Repos.
func (r Repositories) Settle(ctx context.Context, n orchestration.NewQuest) (orchestration.NewQuest, error) {
	facts, err := r.git.Check(ctx, n.Repo)
	var fault *workspace.Fault
	switch {
	case errors.As(err, &fault):
		return n, refusedAt("repo", fault.Reason)
	case err != nil:
		return n, err
	}
	n.Repo = facts.Path
	why := noTrees(facts)
	if n.Workspace == "" {
		n.Workspace = orchestration.WorkspaceWorktree
		if why != "" {
			n.Workspace = orchestration.WorkspaceShared
		}
	}
	if n.Workspace != orchestration.WorkspaceWorktree {
		if n.Branch != "" {
			return n, refusedAt("base", "agents that work in the repository itself start from what is checked out there: leave the base out, or choose worktrees")
		}
		n.Branch = facts.Branch
		return n, nil
	}
	if why != "" {
		return n, refusedAt("workspace", why)
	}
	base, err := r.git.Base(ctx, facts.Path, n.Branch)
	if errors.Is(err, workspace.ErrNoRevision) {
		return n, refusedAt("base", fmt.Sprintf("there is no branch or commit %q in %s", n.Branch, facts.Path))
	}
	n.Branch = base
	return n, err
}

// refusedAt is the refusal of one field.
func refusedAt(field, why string) error {
	return &orchestration.Error{Code: orchestration.CodeInvalid, Message: field + ": " + why, Fields: map[string]string{field: why}}
}

const (
	foldersRead = 2000 // entries of one folder that are looked at
	foldersMost = 20
)

// Folders implements Repos: folders that a path may be about to name.
func (r Repositories) Folders(typed string) []string {
	if !filepath.IsAbs(typed) {
		return nil
	}
	parent, begun := filepath.Split(typed)
	dir, err := os.Open(parent) //#nosec G304 -- the owner types paths of this machine, and only names are told
	if err != nil {
		return nil // nothing is there to complete it with
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(foldersRead) // what was read before a failure is as good
	var found []string
	for _, e := range entries {
		hidden := strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(begun, ".")
		if e.IsDir() && !hidden && strings.HasPrefix(e.Name(), begun) {
			found = append(found, filepath.Join(parent, e.Name()))
		}
	}
	slices.Sort(found)
	return found[:min(len(found), foldersMost)]
}

// lfsWanted stands in a list of files for the question whether git-lfs may run.
var lfsWanted = record.WantedFile{Path: ".gitattributes (filter=lfs)", Sum: "git-lfs"}

// WantsOf is all that a directory asks programs of the user's to run or to load.
func WantsOf(dir string) (record.Wants, error) {
	wants, err := claude.Wants(dir)
	if err != nil || !workspace.UsesLFS(dir) {
		return wants, err
	}
	wants.Files = append(wants.Files, lfsWanted)
	wants.List = append(wants.List, record.Want{File: ".gitattributes", Kind: "filter", Name: "lfs",
		Text: "git-lfs, as your own git configuration names it, runs on the files that are kept in it. Until you trust it, worktrees hold pointers in their place."})
	return wants.Sealed(), nil
}

// TrustedWithLFS reports whether the user has seen that a repository uses git-lfs.
func TrustedWithLFS(s record.Settings, repo string) bool {
	trust, _ := s.TrustOf(repo)
	return trust.Covers(record.Wants{Files: []record.WantedFile{lfsWanted}})
}

// recentWants spares boards, which are rendered at every change and for every
// browser, a new walk through the trees of a quest. What runs load, and what the
// user is asked to trust, is looked at anew.
type recentWants struct {
	mu   sync.Mutex
	kept map[string]keptWants // by directory
}

type keptWants struct {
	wants record.Wants
	until time.Time
}

const (
	// lookLife is how long a look is kept, and lookShare how many times longer
	// than it took, if that is more.
	lookLife  = 5 * time.Second
	lookShare = 20
	mostLooks = 100
)

func (r *recentWants) read(dir string) (record.Wants, error) {
	begun := time.Now()
	r.mu.Lock()
	kept, known := r.kept[dir]
	r.mu.Unlock()
	if known && begun.Before(kept.until) {
		return kept.wants, nil
	}
	wants, err := WantsOf(dir)
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
