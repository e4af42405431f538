package api

import (
	"time"

	"questboard/orchestration"
)

// holdJSON keeps every run of one kind of agent from getting a slot.
type holdJSON struct {
	Agent  string                 `json:"agent"`
	Kind   orchestration.HoldKind `json:"kind"`
	Until  *time.Time             `json:"until"` // null: until a probe succeeds
	Reason string                 `json:"reason"`
}

func presentHolds(holds []orchestration.AccountHold) []holdJSON {
	out := make([]holdJSON, len(holds))
	for i, h := range holds {
		out[i] = holdJSON{Agent: h.Agent, Kind: h.Kind, Until: instant(h.Until), Reason: h.Reason}
	}
	return out
}

// orDefaults shows the limits that count where none were set.
func orDefaults(l orchestration.Limits) orchestration.Limits {
	d := orchestration.DefaultLimits
	for _, f := range []struct {
		limit    *int
		standard int
	}{
		{&l.Crash, d.Crash}, {&l.Stuck, d.Stuck}, {&l.Nudge, d.Nudge}, {&l.Infra, d.Infra},
		{&l.Partial, d.Partial}, {&l.Ward, d.Ward}, {&l.Depth, d.Depth}, {&l.Followups, d.Followups},
	} {
		if *f.limit == 0 {
			*f.limit = f.standard
		}
	}
	return l
}
