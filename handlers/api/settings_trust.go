package api

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// trustJSON is a trusted repository. It says whether the repository's configuration is
// still the one that the user trusted.
type trustJSON struct {
	Path  string     `json:"path"`
	State string     `json:"state"` // trusted, changed, unreadable
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
		if last, is := t.Last(record.RepoConfig{}); is {
			out[i].Hash, out[i].At = last.Hash, instant(last.At)
		}
		h.presentFileTrust(ctx, s, &out[i])
		config, err := h.Repos.RepoConfig(t.Path)
		out[i].Now = config.Hash
		switch {
		case err != nil:
			out[i].State = "unreadable"
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
	out.FileState = string(service.StateOf(file, out.Path, s))
	if out.FileState == "" {
		out.FileState = "none"
		return
	}
	out.FileNow = file.Config.Hash
}

// readTrust reads the current configuration of the listed repositories, because that is
// what the user trusts. It reads the disk, so it runs before the settings change.
func (h handlers) readTrust(ctx context.Context, list *[]string, wrong *checks) map[string][]record.RepoConfig {
	if list == nil {
		return nil
	}
	all := map[string][]record.RepoConfig{}
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
			all[dir] = []record.RepoConfig{config}
		}
		file, err := h.Repos.RepoFile(ctx, dir, "")
		switch {
		case err != nil || file.Config.Nothing(): // such as a folder without git
		case len(file.Config.Faults) > 0:
			wrong.add(field, "%s", file.Config.Faults[0])
		default:
			all[dir] = append(all[dir], file.Config)
		}
	}
	return all
}

// trust makes exactly these repositories trusted. A new or changed configuration becomes
// a new entry.
func trust(s *record.Settings, all map[string][]record.RepoConfig, at time.Time) {
	for _, path := range s.TrustedRepos() {
		if _, stays := all[path]; !stays {
			s.Withdraw(path)
		}
	}
	for path, configs := range all {
		for _, config := range configs {
			if was, _ := s.TrustOf(path); !was.Covers(config) {
				s.AddTrust(path, config, at)
			}
		}
	}
}
