package handlerstest

import (
	"context"
	"strings"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// Repos knows /repo, /empty, which has no commit, and /odd, with many remarks. It refuses
// every other folder.
type Repos struct {
	// Wanted is the configuration of every folder.
	Wanted record.RepoConfig
	// Own is the own file of every repository, and OwnFault why it cannot be read.
	Own      service.RepoFile
	OwnFault error
}

// Folders completes paths that begin with /r.
func (r Repos) Folders(typed string) []string {
	if typed == "/r" {
		return []string{"/repo", "/root <b>"}
	}
	return nil
}

// Expand knows /home/hero.
func (Repos) Expand(typed string) string {
	if rest, ok := strings.CutPrefix(typed, "~"); ok {
		return "/home/hero" + rest
	}
	return typed
}

// Browse lists /home/hero, and refuses every other folder.
func (Repos) Browse(_ context.Context, dir string) service.Listing {
	if dir != "/home/hero" {
		return service.Listing{Dir: dir, Parent: "/home", Fault: "there is no folder " + dir}
	}
	return service.Listing{Dir: dir, Parent: "/home", Left: 3,
		Folders: []service.Folder{{Name: "garden", Path: "/repo", Repository: true}, {Name: "notes <b>", Path: "/home/hero/notes <b>"}}}
}

// RepoConfig returns Wanted.
func (r Repos) RepoConfig(string) (record.RepoConfig, error) { return r.Wanted, nil }

// RepoFile returns Own.
func (r Repos) RepoFile(context.Context, string, string) (service.RepoFile, error) {
	return r.Own, r.OwnFault
}

// CachedRepoConfig returns Wanted.
func (r Repos) CachedRepoConfig(string) (record.RepoConfig, error) { return r.Wanted, nil }

// Look returns what there is to say about a folder.
func (Repos) Look(_ context.Context, dir string) (service.Repository, error) {
	r := service.Repository{Path: dir, Branch: "main", Checks: []string{"make check", "go vet ./... && go test ./..."}}
	switch dir {
	case "/repo":
	case "/empty":
		r.NoTrees = "/empty has no commit yet: make a first one"
	case "/odd":
		r.Branch, r.Changed, r.Submodules, r.LFS = "", 3, true, true
	default:
		return service.Repository{Fault: "There is no folder " + dir + "."}, nil
	}
	return r, nil
}

// WithDefaults chooses worktrees if there is a commit. The only base that it does not
// know is "nowhere".
func (r Repos) WithDefaults(ctx context.Context, n orchestration.NewQuest) (orchestration.NewQuest, error) {
	seen, _ := r.Look(ctx, n.Repo)
	refused := func(field, why string) error {
		return &orchestration.Error{Code: orchestration.CodeInvalid, Message: why, Fields: map[string]string{field: why}}
	}
	switch {
	case seen.Fault != "":
		return n, refused("repo", seen.Fault)
	case n.Workspace == orchestration.WorkspaceWorktree && seen.NoTrees != "":
		return n, refused("workspace", seen.NoTrees)
	case n.Branch == "nowhere":
		return n, refused("base", "there is no branch nowhere")
	case n.Workspace == "" && seen.NoTrees != "":
		n.Workspace = orchestration.WorkspaceShared
	case n.Workspace == "":
		n.Workspace = orchestration.WorkspaceWorktree
	}
	if n.Branch == "" {
		n.Branch = seen.Branch
	}
	return n, nil
}
