package api

import (
	"fmt"
	"path/filepath"
	"time"

	"questboard/orchestration/record"
)

// trustJSON says of a trusted repository whether what it holds now is what the
// user has seen.
type trustJSON struct {
	Path  string     `json:"path"`
	State string     `json:"state"` // trusted, changed, unreadable
	Hash  string     `json:"hash"`  // of what was trusted last
	Now   string     `json:"now"`   // of what the repository holds
	At    *time.Time `json:"at"`
}

func (h handlers) presentTrust(all []record.Trust) []trustJSON {
	out := make([]trustJSON, len(all))
	for i, t := range all {
		out[i] = trustJSON{Path: t.Path, State: "trusted"}
		if len(t.Seen) > 0 {
			out[i].Hash, out[i].At = t.Seen[0].Hash, instant(t.Seen[0].At)
		}
		wants, err := h.Repos.Wants(t.Path)
		out[i].Now = wants.Hash
		switch {
		case err != nil:
			out[i].State = "unreadable"
		case !t.Covers(wants):
			out[i].State = "changed"
		}
	}
	return out
}

// readTrust reads what the repositories in the list hold, for that is what is
// trusted. It looks at disks, so it comes before the change of the settings.
func (h handlers) readTrust(list *[]string, wrong *checks) map[string]record.Wants {
	if list == nil {
		return nil
	}
	all := map[string]record.Wants{}
	for i, dir := range *list {
		field := fmt.Sprintf("trustedRepos.%d", i)
		dir = wrong.directory(field, dir)
		if !filepath.IsAbs(dir) {
			continue // it was refused
		}
		wants, err := h.Repos.Wants(dir)
		switch {
		case err != nil:
			wrong.add(field, "%s cannot be looked at, and only what is there can be trusted", dir)
		case len(wants.Faults) > 0:
			wrong.add(field, "%s", wants.Faults[0])
		default:
			all[dir] = wants
		}
	}
	return all
}

// trust trusts these repositories as they are, and no others.
func trust(s *record.Settings, all map[string]record.Wants, at time.Time) {
	for _, path := range s.TrustedRepos() {
		if _, stays := all[path]; !stays {
			s.Withdraw(path)
		}
	}
	for path, wants := range all {
		if was, known := s.TrustOf(path); !known || !was.Covers(wants) {
			s.AddTrust(path, wants, at)
		}
	}
}
