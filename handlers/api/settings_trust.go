package api

import (
	"fmt"
	"path/filepath"
	"time"

	"questboard/orchestration/record"
)

// trustJSON is a trusted repository. It says whether the repository's configuration is
// still the one that the user trusted.
type trustJSON struct {
	Path  string     `json:"path"`
	State string     `json:"state"` // trusted, changed, unreadable
	Hash  string     `json:"hash"`  // of the configuration that the user trusted
	Now   string     `json:"now"`   // of the current configuration
	At    *time.Time `json:"at"`
}

func (h handlers) presentTrust(all []record.Trust) []trustJSON {
	out := make([]trustJSON, len(all))
	for i, t := range all {
		out[i] = trustJSON{Path: t.Path, State: "trusted"}
		if len(t.Seen) > 0 {
			out[i].Hash, out[i].At = t.Seen[0].Hash, instant(t.Seen[0].At)
		}
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
	for _, path := range s.TrustedRepos() {
		if _, stays := all[path]; !stays {
			s.Withdraw(path)
		}
	}
	for path, config := range all {
		if was, known := s.TrustOf(path); !known || !was.Covers(config) {
			s.AddTrust(path, config, at)
		}
	}
}
