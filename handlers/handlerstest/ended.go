package handlerstest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"questboard/orchestration"
)

// Active returns the quests that have not ended, or that have a run which is still
// ending, newest first.
func (e *Engine) Active() []*orchestration.Quest {
	all, _ := e.Quests(context.Background())
	return slices.DeleteFunc(all, func(q *orchestration.Quest) bool { return q.Over() && len(q.OpenRuns()) == 0 })
}

// Undelivered returns the quests whose work was not delivered yet.
func (e *Engine) Undelivered() []*orchestration.Quest {
	all, _ := e.Quests(context.Background())
	slices.Reverse(all)
	var list []*orchestration.Quest
	for _, q := range all {
		if q.Undelivered() {
			list = append(list, q.Head())
		}
	}
	return list
}

// Ended lists ended quests, the newest end first.
func (e *Engine) Ended(ctx context.Context, f orchestration.EndedFilter) ([]orchestration.Ended, error) {
	all, err := e.Quests(ctx)
	var list []orchestration.Ended
	for _, q := range all {
		found := strings.ToLower(q.Title + "\n" + q.Repo + "\n" + q.ID)
		if !q.Over() || q.EndedAt.Before(f.Since) || f.Status != "" && f.Status != q.Status(nil) || f.Undelivered && !q.Undelivered() ||
			f.Follows != "" && f.Follows != q.Follows || !strings.Contains(found, strings.ToLower(f.Search)) {
			continue
		}
		list = append(list, orchestration.Ended{Quest: bare(q), Outcome: q.Outcome(), Changed: q.ChangedFiles()})
	}
	slices.SortStableFunc(list, func(a, b orchestration.Ended) int { return cmp.Compare(b.EndedAt.UnixNano(), a.EndedAt.UnixNano()) })
	list = list[min(f.Skip, len(list)):]
	return list[:min(f.N, len(list))], err
}

// bare returns a quest as the index has it: without its rows and documents.
func bare(q *orchestration.Quest) *orchestration.Quest {
	own := *q
	own.Steps, own.Runs, own.Questions = orchestration.TableOf[orchestration.Step](), orchestration.TableOf[orchestration.Run](),
		orchestration.TableOf[orchestration.Question]()
	own.Whole, own.Request, own.Requirements, own.KnownFaults = [4]*orchestration.Step{}, "", nil, nil
	return orchestration.Restore(&own)
}

// Delete removes an ended quest.
func (e *Engine) Delete(_ context.Context, id string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	q, err := e.find(id)
	if err != nil {
		return err
	}
	if err := q.MayDelete(); err != nil {
		return err
	}
	e.quests = slices.DeleteFunc(e.quests, func(other *orchestration.Quest) bool { return other == q })
	e.left = append(e.left, orchestration.DeletionOf(q))
	return nil
}

// Deletions returns the deletions for which Deleted was not called.
func (e *Engine) Deletions(context.Context) ([]orchestration.Deletion, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.left), e.fault
}

// Deleted removes a deletion from the list.
func (e *Engine) Deleted(_ context.Context, quest string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.left = slices.DeleteFunc(e.left, func(d orchestration.Deletion) bool { return d.Quest == quest })
	return e.fault
}

// Tally sums up the results of ended quests.
func (e *Engine) Tally(ctx context.Context) (orchestration.Tally, error) {
	t := orchestration.Tally{Outcomes: map[orchestration.Outcome]int{}}
	over, err := e.Ended(ctx, orchestration.EndedFilter{N: 1000})
	for _, q := range over {
		if q.Abandoned {
			t.Abandoned++
		} else {
			t.Complete++
		}
		t.CostUSD += q.CostUSD
	}
	return t, err
}

// Usual says what complete quests of each size took.
func (e *Engine) Usual(ctx context.Context) (map[orchestration.Size]orchestration.Usual, error) {
	all, err := e.Quests(ctx)
	var past []orchestration.Past
	for _, q := range all {
		if q.Phase == orchestration.PhaseComplete && !q.Abandoned {
			past = append(past, orchestration.Past{Size: q.Size, Took: q.EndedAt.Sub(q.CreatedAt), CostUSD: q.CostUSD})
		}
	}
	return orchestration.UsualOf(past), err
}
