package service

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"questboard/agents/claude"
	"questboard/agents/ward"
	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/patience"
)

// Repositories says whether a directory can be used for a quest. It implements Repos.
type Repositories struct {
	git    workspace.Git
	recent *recentConfigs
	waits  *patience.Calls
}

// NewRepositories uses git to look at repositories.
func NewRepositories(git workspace.Git) Repositories {
	return Repositories{git, newRecentConfigs(), &patience.Calls{Most: foldersStuck}}
}

// Look implements Repos.
func (r Repositories) Look(ctx context.Context, dir string) (Repository, error) {
	facts, err := r.check(ctx, dir)
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

// check is git.Check for a folder that may be away.
func (r Repositories) check(ctx context.Context, dir string) (workspace.Facts, error) {
	if why := r.away(ctx, dir); why != "" {
		return workspace.Facts{Path: filepath.Clean(dir)}, &workspace.Fault{Code: workspace.FaultUnreachable, Path: dir, Reason: why + "."}
	}
	return r.git.Check(ctx, dir)
}

// away says that a folder does not answer; "": it does, or what is wrong shows when it is
// read. Git has a time limit, and our own look at the folder has none.
func (r Repositories) away(ctx context.Context, dir string) string {
	err := r.there(ctx, dir)
	if errors.Is(err, patience.ErrNoAnswer) || errors.Is(err, patience.ErrTooMany) {
		return folderFault(dir, err)
	}
	return ""
}

// RepoConfig implements Repos.
func (r Repositories) RepoConfig(dir string) (record.RepoConfig, error) {
	if why := r.away(context.Background(), dir); why != "" {
		return record.RepoConfig{}, refusedAt("repo", why)
	}
	return RepoConfigOf(dir)
}

// CachedRepoConfig implements Repos.
func (r Repositories) CachedRepoConfig(dir string) (record.RepoConfig, error) {
	return r.recent.read(dir)
}

// noTrees says why steps cannot have worktrees; "" means that they can.
func noTrees(facts workspace.Facts) string {
	if !facts.Commits {
		return fmt.Sprintf("%s has no commit yet, and a worktree starts from one: make a first commit there, or let the agents work in the "+
			"repository itself", facts.Path)
	}
	return ""
}

// WithDefaults implements Repos.
func (r Repositories) WithDefaults(ctx context.Context, n orchestration.NewQuest) (orchestration.NewQuest, error) {
	facts, err := r.check(ctx, n.Repo)
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
			return n, refusedAt("base", "agents that work in the repository itself start from what is checked out there: leave the base out, or "+
				"choose worktrees")
		}
		n.Branch = facts.Branch
		return n, nil
	}
	if why != "" {
		return n, refusedAt("workspace", why)
	}
	base, err := r.git.Base(ctx, facts.Path, n.Branch)
	if errors.Is(err, workspace.ErrNoRevision) {
		return n, noBase(n.Branch, facts.Path)
	}
	n.Branch = base
	return n, err
}

// noBase refuses a base that is not in the repository.
func noBase(base, repo string) error {
	return refusedAt("base", fmt.Sprintf("there is no branch or commit %q in %s", base, repo))
}

// refusedAt returns a refusal for one field.
func refusedAt(field, why string) error {
	return &orchestration.Error{Code: orchestration.CodeInvalid, Message: field + ": " + why, Fields: map[string]string{field: why}}
}

// lfsWanted is the entry in a list of files that asks whether git-lfs may run.
var lfsWanted = record.WantedFile{Path: ".gitattributes (filter=lfs)", Sum: "git-lfs"}

// RepoConfigOf returns everything that a directory asks the user's programs to run or
// to load.
func RepoConfigOf(dir string) (record.RepoConfig, error) {
	config, err := claude.RepoConfig(dir)
	if err != nil || !workspace.UsesLFS(dir) {
		return config, err
	}
	config.Files = append(config.Files, lfsWanted)
	config.List = append(config.List, record.Want{File: ".gitattributes", Kind: "filter", Name: "lfs",
		Text: "git-lfs, as set in your own git configuration, runs on the files that are stored in it. Until you trust it, worktrees hold " +
			"pointers in their place."})
	return config.Sealed(), nil
}

// TrustedWithLFS reports whether the user has seen that a repository uses git-lfs.
func TrustedWithLFS(s record.Settings, repo string) bool {
	trust, _ := s.TrustOf(repo)
	return trust.Covers(record.RepoConfig{Files: []record.WantedFile{lfsWanted}})
}

// recentConfigs keeps recent results for boards, which are rendered at every change and
// for every browser, so that they need not walk through the trees each time. Starting a
// run and asking the user for trust always look again.
type recentConfigs struct {
	look  func(dir string) (record.RepoConfig, error) // RepoConfigOf, but for tests
	calls patience.Calls

	mu   sync.Mutex
	kept map[string]keptConfig // by directory
}

func newRecentConfigs() *recentConfigs {
	return &recentConfigs{look: RepoConfigOf, kept: map[string]keptConfig{}}
}

type keptConfig struct {
	config record.RepoConfig
	until  time.Time
}

const (
	// lookLife is how long a result is kept. If reading took long, it is kept lookShare
	// times as long as that.
	lookLife  = 5 * time.Second
	lookShare = 20
	mostLooks = 100
)

// read returns what a directory asks for. If the directory does not answer, that is what it asked
// for at the last look.
func (r *recentConfigs) read(dir string) (record.RepoConfig, error) {
	r.mu.Lock()
	kept, known := r.kept[dir]
	r.mu.Unlock()
	if known && time.Now().Before(kept.until) {
		return kept.config, nil
	}
	config, err := patience.Wait(context.Background(), &r.calls, dir, foldersWait, func() (record.RepoConfig, error) { return r.again(dir) })
	if known && (errors.Is(err, patience.ErrNoAnswer) || errors.Is(err, patience.ErrTooMany)) {
		return kept.config, nil
	}
	return config, err
}

// again looks again, and keeps the result.
func (r *recentConfigs) again(dir string) (record.RepoConfig, error) {
	begun := time.Now()
	config, err := r.look(dir)
	if err != nil {
		return config, err
	}
	life := max(lookLife, lookShare*time.Since(begun))
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.kept) >= mostLooks {
		clear(r.kept)
	}
	r.kept[dir] = keptConfig{config, time.Now().Add(life)}
	return config, nil
}
