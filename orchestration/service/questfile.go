package service

import (
	"context"
	"fmt"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/questfile"
)

// historyPage is how many entries are read at a time.
const historyPage = 1000

// Export returns the file of a quest. It reads the history up to the newest entry that
// the quest knows, so that the two agree even if the quest goes on meanwhile.
func Export(ctx context.Context, q *orchestration.Quest, events func(ctx context.Context, quest string,
	f orchestration.EventFilter) ([]orchestration.Event, error)) ([]byte, error) {
	var all []orchestration.Event
	for last := int64(0); last < q.Seq; last = all[len(all)-1].Seq {
		page, err := events(ctx, q.ID, orchestration.EventFilter{After: last, N: int(min(q.Seq-last, historyPage))})
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			break
		}
		all = append(all, page...)
	}
	return questfile.Encode(q, all)
}

// Arrival returns the transitions that store an imported quest with every row. Unless
// it is over it is paused, so that its agents start when the user says so and not at
// the next start of the server. What a repository's own file said elsewhere does not count:
// nobody has trusted it here, and no page shows it. Nor does what a person allowed elsewhere.
func Arrival(q *orchestration.Quest, events []orchestration.Event, at time.Time) ([]orchestration.Transition, error) {
	q.File, q.Allowances = nil, nil
	all := orchestration.Transition{Quest: q, Events: events, Changed: orchestration.Changed{
		Requirements: true, Plan: true, Whole: places(len(q.Whole)), Steps: places(q.Steps.Len()),
		Runs: places(q.Runs.Len()), Questions: places(q.Questions.Len()),
	}}
	if q.Over() || q.Paused {
		return []orchestration.Transition{all}, nil
	}
	paused, err := orchestration.Apply(q, orchestration.Input{At: at, Actor: "user", Kind: orchestration.PausePressed{}})
	if err != nil {
		return nil, fmt.Errorf("pause quest %s: %w", q.ID, err)
	}
	return []orchestration.Transition{all, paused}, nil
}

// places returns the numbers 0 to n-1.
func places(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
