package api

import (
	"time"

	"questboard/orchestration"
)

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
