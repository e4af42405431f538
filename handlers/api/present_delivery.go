package api

import (
	"time"

	"questboard/orchestration"
)

// baselineJSON is the result of the check on the base branch, before any step changed it.
type baselineJSON struct {
	State string   `json:"state"`
	Run   *string  `json:"run"`
	Known []string `json:"known"`
}

func presentBaseline(q *orchestration.Quest) baselineJSON {
	state := string(q.Baseline)
	if q.Baseline == orchestration.BaselineOff {
		state = "off"
	}
	return baselineJSON{State: state, Run: orNull(q.BaselineRun), Known: list(q.KnownFaults)}
}

// deliveredJSON says how a quest's work reached its base branch.
type deliveredJSON struct {
	How    string     `json:"how"`
	Branch string     `json:"branch"`
	Commit string     `json:"commit"`
	At     *time.Time `json:"at"`
}

func presentDelivered(d *orchestration.Delivery) *deliveredJSON {
	if d == nil {
		return nil
	}
	return &deliveredJSON{How: d.How, Branch: d.Branch, Commit: d.Commit, At: instant(d.At)}
}
