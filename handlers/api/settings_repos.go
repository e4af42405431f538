package api

import (
	"fmt"
	"maps"
	"slices"

	"questboard/orchestration/record"
)

// repoJSON is what new worktrees of a repository need.
type repoJSON struct {
	Path   string   `json:"path"`
	Setup  string   `json:"setup"`
	Links  []string `json:"links"`
	Copies []string `json:"copies"`
}

func presentRepos(repos []record.RepoSettings) []repoJSON {
	out := make([]repoJSON, len(repos))
	for i, r := range repos {
		out[i] = repoJSON{r.Path, r.Setup, list(r.Links), list(r.Copies)}
	}
	return out
}

func checkRepos(in *[]repoJSON, wrong *checks) []record.RepoSettings {
	if in == nil {
		return nil
	}
	seen := map[string]bool{}
	out := make([]record.RepoSettings, len(*in))
	for i, r := range *in {
		at := fmt.Sprintf("repos.%d.", i)
		r.Path = wrong.directory(at+"path", r.Path)
		if seen[r.Path] {
			wrong.add(at+"path", "%s is listed twice", r.Path)
		}
		seen[r.Path] = true
		r.Setup = wrong.line(at+"setup", r.Setup, 4096)
		out[i] = record.RepoSettings(r)
		faults := out[i].Check()
		for _, field := range slices.Sorted(maps.Keys(faults)) {
			wrong.add(at+field, "%s", faults[field])
		}
	}
	return out
}
