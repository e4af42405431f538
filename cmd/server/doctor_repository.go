package main

import (
	"context"
	"path/filepath"
	"strings"

	"questboard/orchestration/service"
)

// repositoryCheck looks at a repository: whether a quest can work there, and what its own
// file says at the commit that is checked out. Whether the user trusts that file is known
// to the server alone.
func repositoryCheck(cfg Config, w world, dir string) service.Check {
	const what = "repository"
	return service.Check{Name: what, Perform: func(ctx context.Context) service.Finding {
		full, err := filepath.Abs(dir)
		if err != nil {
			return service.Failed(what, "%s: %v", dir, err)
		}
		git := newTrees(cfg, w).Git
		repo, err := service.NewRepositories(git).Look(ctx, full)
		if err != nil {
			return service.Failed(what, "%s: %v", full, err)
		}
		if repo.Fault != "" {
			return service.Failed(what, "%s", repo.Fault)
		}
		file, err := service.RepoFileOf(ctx, git, repo.Path, "")
		switch faults := file.Config.Faults; {
		case err != nil:
			return service.Failed(what, "%v", err)
		case len(faults) > 0:
			return service.Failed(what, "%s: its own file does not count before this is corrected and committed: %s", repo.Path, strings.Join(faults, "; "))
		case file.File == nil:
			return service.Passed(what, "%s; its commit has no .questboard/config.yaml, so quests there ask for everything", repo.Path)
		}
		return service.Passed(what, "%s; its own file at %.10s sets %s", repo.Path, file.File.Commit, strings.Join(service.RepoFileSets(file.File), ", "))
	}}
}
