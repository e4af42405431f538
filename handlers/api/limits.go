package api

import "questboard/orchestration"

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
