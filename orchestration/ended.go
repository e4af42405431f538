package orchestration

import "time"

// Ended is a quest that is over, as lists show it: its own fields, without documents,
// steps, runs and questions. There may be thousands.
type Ended struct {
	*Quest
	Outcome QuestOutcome // as it was when the quest ended
	Changed bool         // ChangedFiles
}

// Why describes the outcome of the quest.
func (e Ended) Why() string {
	if e.Damaged() {
		return e.Wait.Reason
	}
	return e.endWords(e.Outcome)
}

// EndedFilter chooses quests that are over; zero fields choose all.
type EndedFilter struct {
	Status Status    // only complete, or only abandoned
	Search string    // in title, repository or id, ignoring case
	Since  time.Time // ended at this time or later
	// Undelivered chooses only quests whose work waits for delivery.
	Undelivered bool
	// Follows chooses only those that follow this quest.
	Follows string
	Skip    int
	N       int // the maximum number
}

// Tally counts the outcomes of all quests that are over.
type Tally struct {
	Complete, Abandoned int
	CostUSD             float64
	Outcomes            map[Outcome]int // of their runs
}
