package api

import (
	"time"

	"questboard/orchestration"
)

// instant returns a time as the API writes it: in RFC 3339 and UTC. The zero time is null.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	u := t.UTC()
	return &u
}

// orNull returns nil for the zero value, which becomes null.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// list returns an empty list for nil, so that the JSON is never null.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

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

// needJSON is one thing that waits for the user.
type needJSON struct {
	Kind     orchestration.NeedKind `json:"kind"`
	Quest    *string                `json:"quest"` // null where it holds several: quests
	Step     *string                `json:"step"`  // or requirements, plan, review
	Question *string                `json:"question"`
	Reason   string                 `json:"reason"`
	Since    *time.Time             `json:"since"`
	Agent    *string                `json:"agent"`
	Quests   []string               `json:"quests"`
}

func presentNeeds(needs []orchestration.Need) []needJSON {
	out := make([]needJSON, len(needs))
	for i, n := range needs {
		out[i] = needJSON{Kind: n.Kind, Quest: orNull(n.Quest), Step: orNull(n.Step), Question: orNull(n.Question),
			Reason: n.Reason, Since: instant(n.Since), Agent: orNull(n.Agent), Quests: list(n.Quests)}
	}
	return out
}
