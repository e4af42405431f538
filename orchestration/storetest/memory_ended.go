package storetest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"questboard/orchestration"
)

// Ended implements engine.Store.
func (m *Memory) Ended(ctx context.Context, f orchestration.EndedFilter) ([]orchestration.Ended, error) {
	quests, err := m.Quests(ctx, true)
	if err != nil {
		return nil, err
	}
	return EndedOf(quests, f), nil
}

// EndedOf lists the quests that are over and match a filter.
func EndedOf(quests []*orchestration.Quest, f orchestration.EndedFilter) []orchestration.Ended {
	var list []orchestration.Ended
	for _, q := range quests {
		if f.Status != "" && f.Status != q.Status(nil) || q.EndedAt.Before(f.Since) || f.Undelivered && !q.Undelivered() || f.Follows != "" &&
			f.Follows != q.Follows {
			continue
		}
		found := strings.ToLower(q.Title + "\n" + q.Repo + "\n" + q.ID)
		if !strings.Contains(found, strings.ToLower(f.Search)) {
			continue
		}
		e := orchestration.Ended{Outcome: q.Outcome(), Changed: q.ChangedFiles()}
		e.Quest = q.Head()
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b orchestration.Ended) int {
		return cmp.Or(b.EndedAt.Compare(a.EndedAt), cmp.Compare(a.ID, b.ID))
	})
	list = list[min(max(f.Skip, 0), len(list)):]
	return list[:min(max(f.N, 0), len(list))]
}

// Tally implements engine.Store.
func (m *Memory) Tally(ctx context.Context) (orchestration.Tally, error) {
	t := orchestration.Tally{Outcomes: map[orchestration.Outcome]int{}}
	quests, err := m.Quests(ctx, true)
	for _, q := range quests {
		if q.Abandoned {
			t.Abandoned++
		} else {
			t.Complete++
		}
		t.CostUSD += q.CostUSD
		for _, r := range q.Runs.All() {
			t.Outcomes[r.Outcome]++
		}
	}
	return t, err
}

// Paid implements engine.Store.
func (m *Memory) Paid(ctx context.Context) ([]orchestration.Paid, error) {
	over, err := m.Quests(ctx, true)
	if err != nil {
		return nil, err
	}
	active, err := m.Quests(ctx, false)
	return PaidOf(append(over, active...)), err
}

// PaidOf lists what ended runs have used, as a store does.
func PaidOf(quests []*orchestration.Quest) []orchestration.Paid {
	var runs []*orchestration.Run
	for _, q := range quests {
		for _, r := range q.Runs.All() {
			if r.Model != "" && !r.EndedAt.IsZero() {
				runs = append(runs, r)
			}
		}
	}
	slices.SortFunc(runs, func(a, b *orchestration.Run) int {
		return cmp.Or(b.EndedAt.Compare(a.EndedAt), cmp.Compare(a.ID, b.ID))
	})
	var list []orchestration.Paid
	count := map[string]int{}
	for _, r := range runs {
		if count[r.Model]++; count[r.Model] <= orchestration.PaidMost {
			list = append(list, orchestration.Paid{Model: r.Model, USD: r.CostUSD, Tokens: r.Tokens})
		}
	}
	return list
}

// Past implements engine.Store.
func (m *Memory) Past(ctx context.Context) ([]orchestration.Past, error) {
	quests, err := m.Quests(ctx, true)
	return PastOf(quests), err
}

// PastOf lists what complete quests took, as a store does.
func PastOf(quests []*orchestration.Quest) []orchestration.Past {
	var list []orchestration.Past
	count, done := map[orchestration.Size]int{}, map[string]int{}
	for _, q := range quests {
		for _, s := range q.Steps.All() {
			if s.Stage == orchestration.StageDone {
				done[q.ID]++
			}
		}
	}
	for _, e := range EndedOf(quests, orchestration.EndedFilter{Status: orchestration.StatusComplete, N: len(quests)}) {
		if count[e.Size]++; count[e.Size] <= orchestration.PastMost {
			list = append(list, orchestration.Past{Size: e.Size, Took: e.EndedAt.Sub(e.CreatedAt), CostUSD: e.CostUSD, Steps: done[e.ID]})
		}
	}
	return list
}
