package api

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// trustJSON is a repository of which the user trusts something. It says whether that is
// still what is there.
type trustJSON struct {
	Path  string     `json:"path"`
	State string     `json:"state"` // trusted, untrusted, changed, unreadable
	Hash  string     `json:"hash"`  // of the configuration that the user trusted
	Now   string     `json:"now"`   // of the current configuration
	At    *time.Time `json:"at"`
	// The same for the repository's own file at the commit that is checked out.
	// "none": there is no such file.
	FileState string `json:"fileState"` // none, counts, untrusted, changed, faulty, unreadable
	FileNow   string `json:"fileNow"`
}

func (h handlers) presentTrust(ctx context.Context, s record.Settings) []trustJSON {
	out := make([]trustJSON, len(s.Trust))
	for i, t := range s.Trust {
		out[i] = trustJSON{Path: t.Path, State: "trusted"}
		last, known := t.Last(record.RepoConfig{})
		if known {
			out[i].Hash, out[i].At = last.Hash, instant(last.At)
		}
		h.presentFileTrust(ctx, s, &out[i])
		config, err := h.Repos.RepoConfig(t.Path)
		out[i].Now = config.Hash
		switch {
		case err != nil:
			out[i].State = "unreadable"
		case !known:
			out[i].State = "untrusted"
		case !t.Covers(config):
			out[i].State = "changed"
		}
	}
	return out
}

// presentFileTrust says whether the repository's own file counts for new quests.
func (h handlers) presentFileTrust(ctx context.Context, s record.Settings, out *trustJSON) {
	file, err := h.Repos.RepoFile(ctx, out.Path, "")
	if err != nil {
		out.FileState = "unreadable"
		return
	}
	out.FileState = fileState(service.StateOf(file, out.Path, s))
	if !file.Config.Nothing() {
		out.FileNow = file.Config.Hash
	}
}

// readTrust reads the current configuration of the listed repositories, because that is
// what the user trusts. It reads the disk, so it runs before the settings change.
func (h handlers) readTrust(list *[]string, wrong *checks) map[string]record.RepoConfig {
	if list == nil {
		return nil
	}
	all := map[string]record.RepoConfig{}
	for i, dir := range *list {
		field := fmt.Sprintf("trustedRepos.%d", i)
		dir = wrong.directory(field, dir)
		if !filepath.IsAbs(dir) {
			continue // the path was refused
		}
		config, err := h.Repos.RepoConfig(dir)
		switch {
		case err != nil:
			wrong.add(field, "%s cannot be read, so it cannot be trusted", dir)
		case len(config.Faults) > 0:
			wrong.add(field, "%s", config.Faults[0])
		default:
			all[dir] = config
		}
	}
	return all
}

// trust makes exactly these repositories trusted. A new or changed configuration becomes
// a new entry.
func trust(s *record.Settings, all map[string]record.RepoConfig, at time.Time) {
	s.KeepTrust(false, func(repo, _ string) bool { _, stays := all[repo]; return stays })
	for path, config := range all {
		if was, _ := s.TrustOf(path); !was.Covers(config) {
			s.AddTrust(path, config, at)
		}
	}
}
