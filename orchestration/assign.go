package orchestration

import "time"

// Pool is what Assign looks at: the slots, the quests that are not over, and
// the holds of accounts. All facts are arguments.
type Pool struct {
	Now    time.Time
	Slots  int
	Quests []*Quest
	Holds  []AccountHold
}

// Grant is the right to start one run: a queued one, or the first one of a
// ready step.
type Grant struct {
	Quest, Run, Step string // Run or Step
	Slot             int
}
