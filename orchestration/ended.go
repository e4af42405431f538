package orchestration

import "time"

// Ended is a quest that is over as a list shows it: its own fields, without
// documents, steps, runs and questions. There may be thousands.
type Ended struct {
	*Quest
	Outcome QuestOutcome // as it was when the quest ended
	Changed bool         // ChangedFiles
}

// Why says in words what the quest came to.
func (e Ended) Why() string {
	if e.Damaged() {
		return e.Wait.Reason
	}
	return e.endWords(e.Outcome)
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
