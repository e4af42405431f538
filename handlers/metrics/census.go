package metrics

import (
	"time"

	"questboard/orchestration"
)

// census has the numbers that are counted over all quests.
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
	for _, w := range q.Queue() {
		c.waiting++
		c.longest = max(c.longest, c.now.Sub(w.Since))
	}
}
