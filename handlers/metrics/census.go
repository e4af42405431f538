package metrics

import (
	"time"

	"questboard/orchestration"
)

// census counts over quests.
type census struct {
	now                 time.Time
	live, waiting, open int
	longest             time.Duration
	costs               float64
	status              map[orchestration.Status]int
	outcome             map[orchestration.Outcome]int
}

func (c *census) add(q *orchestration.Quest, held []orchestration.AccountHold) {
	c.status[q.Status(held)]++
	c.costs += q.CostUSD
	for _, r := range q.Runs.All() {
		if r.Live() {
			c.live++
		}
		c.outcome[r.Outcome]++
	}
	for _, ask := range q.Questions.All() {
		if ask.Open() {
			c.open++
		}
	}
	if q.Over() || q.Paused {
		return
	}
	for _, r := range q.OpenRuns() {
		if r.State == orchestration.RunQueued {
			c.waits(latest(r.QueuedAt, r.NotBefore))
		}
	}
	var ready []*orchestration.Step
	ended := map[string]time.Time{}
	for _, s := range q.Steps.All() {
		ended[s.ID] = s.EndedAt
		if s.Stage == orchestration.StageReady && s.Run == "" && s.Hold == orchestration.HoldNone {
			ready = append(ready, s)
		}
	}
	if len(ready) == 0 {
		return
	}
	since := planned(q)
	for _, s := range ready { // since the last of what it depends on was done
		at := since
		for _, id := range s.DependsOn {
			at = latest(at, ended[id])
		}
		c.waits(at)
	}
}

// waits counts what would start now if slots were free, and since when.
func (c *census) waits(since time.Time) {
	c.waiting++
	c.longest = max(c.longest, c.now.Sub(since))
}

// planned is when the steps of a quest were there.
func planned(q *orchestration.Quest) time.Time {
	at := q.CreatedAt
	for _, r := range q.Runs.All() {
		if r.Role == orchestration.PathSeeker {
			at = latest(at, r.EndedAt)
		}
	}
	return at
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
