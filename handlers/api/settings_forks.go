package api

import (
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// forksJSON has the forks of new quests, with the defaults filled in.
type forksJSON struct {
	Fresh  []orchestration.Role `json:"fresh"`
	Within string               `json:"within"`
	Small  int                  `json:"small"`
	Large  int                  `json:"large"`
}

func presentForks(f orchestration.Forks) forksJSON {
	f = f.Or(orchestration.DefaultForks)
	return forksJSON{Fresh: list(f.Fresh), Within: record.ShortDuration(f.Within), Small: f.Small, Large: f.Large}
}

// forksEdit changes the forks of new quests: a missing field stays, an empty one goes back
// to the default.
type forksEdit struct {
	Fresh  *[]orchestration.Role `json:"fresh"`
	Within *string               `json:"within"`
	Small  *int                  `json:"small"`
	Large  *int                  `json:"large"`
}

// over returns now with the edit applied.
func (in *forksEdit) over(now orchestration.Forks, wrong *checks) orchestration.Forks {
	if in == nil {
		return now
	}
	put(&now.Fresh, in.Fresh)
	put(&now.Small, in.Small)
	put(&now.Large, in.Large)
	if in.Within != nil {
		d, err := time.ParseDuration(*in.Within)
		if now.Within = d; err != nil && *in.Within != "" {
			now.Within = -1
		}
	}
	for field, why := range now.Check() {
		wrong.add("forks."+field, "%s", why)
	}
	return now
}
