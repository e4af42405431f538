package api

import (
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

const (
	maxSlots   = 64
	titleLimit = 200 // characters
)

// limitsEdit has the limits to change. A missing limit keeps its value.
type limitsEdit struct {
	Crash     *int `json:"crash"`
	Stuck     *int `json:"stuck"`
	Nudge     *int `json:"nudge"`
	Infra     *int `json:"infrastructure"`
	Partial   *int `json:"partial"`
	Ward      *int `json:"ward"`
	Depth     *int `json:"depth"`
	Followups *int `json:"followups"`
	Runs      *int `json:"runs"`
}

// over returns l with the edit applied, or nil if there is no edit. It refuses zero for
// every limit but runs, because the core reads zero as "the default".
func (e *limitsEdit) over(l orchestration.Limits, wrong *checks) *orchestration.Limits {
	if e == nil {
		return nil
	}
	for _, f := range []struct {
		name   string
		edit   *int
		limit  *int
		lowest int
	}{
		{"crash", e.Crash, &l.Crash, 1},
		{"stuck", e.Stuck, &l.Stuck, 1},
		{"nudge", e.Nudge, &l.Nudge, 1},
		{"infrastructure", e.Infra, &l.Infra, 1},
		{"partial", e.Partial, &l.Partial, 1},
		{"ward", e.Ward, &l.Ward, 1},
		{"depth", e.Depth, &l.Depth, 1},
		{"followups", e.Followups, &l.Followups, 1},
		{"runs", e.Runs, &l.Runs, 0},
	} {
		if f.edit == nil {
			continue
		}
		wrong.between("limits."+f.name, *f.edit, f.lowest, 1_000_000)
		*f.limit = *f.edit
	}
	return &l
}

// timesJSON has durations such as "10m". In an edit, a missing one keeps its value, and
// an empty one goes back to the value that the server started with.
type timesJSON map[string]string

func presentTimes(t record.Timeouts) timesJSON {
	shown := timesJSON{}
	for _, r := range t.Ranges() {
		shown[r.Name] = ""
		if *r.Value > 0 {
			shown[r.Name] = record.ShortDuration(*r.Value)
		}
	}
	return shown
}

// checkTimes returns now with the edit applied.
func checkTimes(in timesJSON, now record.Timeouts, wrong *checks) record.Timeouts {
	known := map[string]bool{}
	for _, r := range now.Ranges() {
		known[r.Name] = true
		text, named := in[r.Name]
		if !named {
			continue
		}
		*r.Value = 0
		if text == "" {
			continue
		}
		d, err := time.ParseDuration(text)
		*r.Value = d
		if why := r.Fault(); err != nil || d <= 0 || why != "" {
			*r.Value = -1
			wrong.add("timeouts."+r.Name, "%s", r.Fault())
		}
	}
	for name := range in {
		if !known[name] {
			wrong.add("timeouts."+name, "is not known")
		}
	}
	return now
}

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
