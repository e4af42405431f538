package api

import (
	"time"

	"questboard/orchestration"
)

// holdJSON is a hold: until it ends, no run of this kind of agent gets a slot.
type holdJSON struct {
	Agent  string                 `json:"agent"`
	Kind   orchestration.HoldKind `json:"kind"`
	Since  *time.Time             `json:"since"` // null: not known
	Until  *time.Time             `json:"until"` // null: until a probe succeeds
	Reason string                 `json:"reason"`
}

func presentHolds(holds []orchestration.AccountHold) []holdJSON {
	out := make([]holdJSON, len(holds))
	for i, h := range holds {
		out[i] = holdJSON{Agent: h.Agent, Kind: h.Kind, Since: instant(h.Since), Until: instant(h.Until), Reason: h.Reason}
	}
	return out
}
