package metrics

import (
	"time"

	"questboard/orchestration"
)

// census has the numbers that are counted over all quests.
type census struct {
	now            time.Time
	agents, checks atWork
	open           int
	longest        time.Duration // for a slot
	costs          float64
	status         map[orchestration.Status]int
	outcome        map[orchestration.Outcome]int
}

// atWork counts what runs, and what waits to run.
type atWork struct{ live, waiting int }

func (c *census) add(q *orchestration.Quest, held []orchestration.AccountHold) {
	c.status[q.Status(held)]++
	c.costs += q.CostUSD
	for _, r := range q.Runs.All() {
		switch {
		case !r.Live():
		case r.Role.Agent():
			c.agents.live++
		default:
			c.checks.live++
		}
		c.outcome[r.Outcome]++
	}
	for _, ask := range q.Questions.All() {
		if ask.Open() {
			c.open++
		}
	}
	for _, w := range q.Queue() {
		if r := q.Run(w.Step.Run); r != nil && r.State == orchestration.RunQueued && !r.Role.Agent() {
			c.checks.waiting++
			continue
		}
		c.agents.waiting++
		c.longest = max(c.longest, c.now.Sub(w.Since))
	}
}
