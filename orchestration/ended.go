package orchestration

import "time"

// Ended is a quest that is over as a list shows it: its own fields, without
// documents, steps, runs and questions. There may be thousands.
type Ended struct {
	*Quest
	Done, Total int  // steps that are settled, of those that were not replaced
	Changed     bool // ChangedFiles
}

// EndedFilter chooses quests that are over; zero fields choose all.
type EndedFilter struct {
	Status Status    // complete or abandoned
	Search string    // in title, repository or id, whatever the case
	Since  time.Time // that ended then or later
	// Undelivered: only those whose work waits for its delivery.
	Undelivered bool
	Skip        int
	N           int // at most so many
}

// Tally counts what the quests that are over came to.
type Tally struct {
	Complete, Abandoned int
	CostUSD             float64
	Outcomes            map[Outcome]int // of their runs
}
