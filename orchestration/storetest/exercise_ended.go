package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

func endedQuests(t *testing.T, s engine.Store) {
	active := small("active")
	done, abandoned := small("done"), small("abandoned")
	done.Phase, done.Title, done.EndedAt = orchestration.PhaseComplete, "Say Hello to Éowyn in İzmir", time.Unix(10, 0).UTC()
	abandoned.Abandoned, abandoned.Repo, abandoned.EndedAt, abandoned.CostUSD = true, "/hello/there", time.Unix(20, 0).UTC(), 2.5
	// Only one of these waits for delivery. The others are delivered, left on their
	// branch, changed nothing, or were abandoned.
	waits, delivered, left, idle, given := finished("waits", 1), finished("delivered", 2), finished("left", 3), finished("idle", 4),
		finished("given", 5)
	delivered.Delivered = &orchestration.Delivery{How: "merge", Branch: "main", At: delivered.EndedAt}
	left.LeftAt = left.EndedAt
	idle.Steps = orchestration.TableOf(&orchestration.Step{PlanStep: orchestration.PlanStep{ID: "s"}, Stage: orchestration.StageDone},
		&orchestration.Step{PlanStep: orchestration.PlanStep{ID: "t"}, N: 1, Stage: orchestration.StageSuperseded, Changed: []string{"a"}})
	orchestration.Restore(idle)
	given.Abandoned = true
	for _, q := range []*orchestration.Quest{waits, delivered, left, idle, given} {
		commit(t, s, creation(q))
		stored, err := s.Quest(t.Context(), q.ID)
		if err != nil || !stored.LeftAt.Equal(q.LeftAt) || (stored.Delivered == nil) != (q.Delivered == nil) {
			t.Errorf("%s: left %v, delivered %v (%v)", q.ID, stored.LeftAt, stored.Delivered, err)
		}
	}
	list, err := s.Ended(t.Context(), orchestration.EndedFilter{N: 10, Undelivered: true})
	if err != nil || len(list) != 1 || list[0].ID != "waits" || !list[0].Undelivered() {
		t.Errorf("what waits for its delivery: %v (%v)", list, err)
	}
	all, err := s.Ended(t.Context(), orchestration.EndedFilter{N: 10})
	if err != nil || len(all) != 5 {
		t.Fatalf("%d are over (%v)", len(all), err)
	}
	for _, e := range all {
		if e.Undelivered() != (e.ID == "waits") {
			t.Errorf("%s waits for its delivery: %v", e.ID, e.Undelivered())
		}
		if err := s.Delete(t.Context(), orchestration.DeletionOf(e.Quest)); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range []*orchestration.Quest{active, done, abandoned} {
		commit(t, s, creation(q))
	}
	var letters strings.Builder // more than any alphabet has
	for r := 'Α'; r <= 'ӿ'; r++ {
		letters.WriteRune(r)
	}
	for _, c := range []struct {
		f    orchestration.EndedFilter
		want []string
	}{
		{orchestration.EndedFilter{N: 10}, []string{"abandoned", "done"}},
		{orchestration.EndedFilter{N: 1}, []string{"abandoned"}},
		{orchestration.EndedFilter{N: 10, Skip: 1}, []string{"done"}},
		{orchestration.EndedFilter{N: 10, Skip: 5}, nil},
		{orchestration.EndedFilter{}, nil},
		{orchestration.EndedFilter{N: 10, Status: orchestration.StatusComplete}, []string{"done"}},
		{orchestration.EndedFilter{N: 10, Search: "hELLO"}, []string{"abandoned", "done"}},
		{orchestration.EndedFilter{N: 10, Search: "Say Hello to Éowyn in İzmir"}, []string{"done"}},
		{orchestration.EndedFilter{N: 10, Search: "éOWYN"}, []string{"done"}},
		{orchestration.EndedFilter{N: 10, Search: "eowyn"}, nil},
		{orchestration.EndedFilter{N: 10, Search: letters.String()}, nil},
		{orchestration.EndedFilter{N: 10, Search: "%"}, nil},
		{orchestration.EndedFilter{N: 10, Since: time.Unix(20, 0)}, []string{"abandoned"}},
	} {
		list, err := s.Ended(t.Context(), c.f)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range list {
			got = append(got, e.ID)
			if e.Runs.Len()+e.Steps.Len() > 0 || e.Step("requirements") != nil || !e.Over() {
				t.Errorf("%s has rows", e.ID)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%+v (-want +got):\n%s", c.f, d)
		}
	}
	tally, err := s.Tally(t.Context())
	runs := 0
	for _, n := range tally.Outcomes {
		runs += n
	}
	if err != nil || tally.Complete != 1 || tally.Abandoned != 1 || tally.CostUSD != done.CostUSD+2.5 ||
		runs != done.Runs.Len()+abandoned.Runs.Len() {
		t.Errorf("%+v (%v)", tally, err)
	}
}

// finished returns a quest in worktree mode at its end. Its only step changed a file.
func finished(id string, ended int64) *orchestration.Quest {
	q := small(id)
	q.Phase, q.Workspace, q.EndedAt = orchestration.PhaseComplete, orchestration.WorkspaceWorktree, time.Unix(ended, 0).UTC()
	q.Steps = orchestration.TableOf(&orchestration.Step{PlanStep: orchestration.PlanStep{ID: "s"}, Stage: orchestration.StageDone,
		Changed: []string{"a"}})
	return orchestration.Restore(q)
}

// endedFollows: the filter finds the quests that follow another one.
func endedFollows(t *testing.T, s engine.Store) {
	for _, id := range []string{"one", "two", "three"} {
		q := finished(id, 10)
		if id != "one" {
			q.Follows, q.Former = "one", &orchestration.Former{Quest: "one", Request: "say hello"}
		}
		commit(t, s, creation(q))
	}
	list, err := s.Ended(t.Context(), orchestration.EndedFilter{Follows: "one", N: 10})
	if err != nil || len(list) != 2 || list[0].Follows != "one" || list[0].Former != nil {
		t.Errorf("%d quests (%v)", len(list), err)
	}
	if list, err := s.Ended(t.Context(), orchestration.EndedFilter{Follows: "two", N: 10}); err != nil || len(list) != 0 {
		t.Errorf("nothing follows it, and %d are listed (%v)", len(list), err)
	}
}

// endedOutcome: the list has the outcome that the quest itself would compute, without
// its rows. A quest that goes on again leaves the list.
func endedOutcome(t *testing.T, s engine.Store) {
	q := small("outcome")
	q.Steps = orchestration.TableOf(
		&orchestration.Step{PlanStep: orchestration.PlanStep{ID: "a", Title: "One", Observables: []string{"o1"}}, N: 0,
			Stage: orchestration.StageDone, GreenTree: "t"},
		&orchestration.Step{PlanStep: orchestration.PlanStep{ID: "b", Title: "Two", Observables: []string{"o2"}}, N: 1,
			Stage: orchestration.StageSkipped, Reason: "by hand"},
		&orchestration.Step{PlanStep: orchestration.PlanStep{ID: "c", Title: "Three"}, N: 2, Stage: orchestration.StageSuperseded,
			ReplacedBy: []string{"a"}})
	q.Requirements = []orchestration.Requirement{{ID: "r", Context: "c", Observables: []orchestration.Observable{{ID: "o1", Text: "x"},
		{ID: "o2", Text: "y"}}}}
	q.Phase, q.EndedAt = orchestration.PhaseComplete, time.Unix(10, 0).UTC()
	q = orchestration.Restore(q)
	commit(t, s, creation(q))
	list, err := s.Ended(t.Context(), orchestration.EndedFilter{N: 10})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d quests (%v)", len(list), err)
	}
	if d := cmp.Diff(q.Outcome(), list[0].Outcome); d != "" {
		t.Errorf("the outcome in the list (-quest +list):\n%s", d)
	}
	if got, want := list[0].Why(), q.Why(time.Unix(20, 0), nil); got != want {
		t.Errorf("the list says %q, the quest %q", got, want)
	}
	commit(t, s, after(q, func(q *orchestration.Quest, _ *orchestration.Changed) {
		q.Phase, q.EndedAt = orchestration.PhaseSteps, time.Time{}
	}))
	if list, err := s.Ended(t.Context(), orchestration.EndedFilter{N: 10}); err != nil || len(list) != 0 {
		t.Errorf("it goes on again and is listed: %d (%v)", len(list), err)
	}
}

// paidRuns: runs at work and those without a model do not count, and of many the newest of
// each model do.
func paidRuns(t *testing.T, s engine.Store) {
	q := finished("many", 0)
	var list []*orchestration.Run
	add := func(model string, ended time.Time, usd float64) {
		n := len(list)
		list = append(list, &orchestration.Run{ID: fmt.Sprintf("many-r%d", n+1), N: n,
			Launch: orchestration.Launch{Role: orchestration.Codeweaver, Step: orchestration.StepPlan},
			State:  orchestration.RunEnded, EndedAt: ended, Model: model, CostUSD: usd, Tokens: orchestration.Tokens{Input: int64(n), Output: 2,
				CacheRead: 3, CacheWrite: 4}})
	}
	add("", q.EndedAt, 5)
	add("rare", q.EndedAt.Add(-time.Hour), 7)
	for n := range orchestration.PaidMost + 2 {
		add("often", q.EndedAt.Add(time.Duration(n)*time.Minute), float64(n))
	}
	q.Runs = orchestration.TableOf(list...)
	commit(t, s, creation(q))
	paid, err := s.Paid(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, p := range paid {
		count[p.Model]++
		if p.Tokens.Output != 2 || p.Tokens.CacheRead != 3 || p.Tokens.CacheWrite != 4 || p.Model == "rare" &&
			(p.USD != 7 || p.Tokens.Input != 1) || p.Model == "often" && p.USD < 2 {
			t.Errorf("%+v", p)
		}
	}
	if len(count) != 2 || count["rare"] != 1 || count["often"] != orchestration.PaidMost {
		t.Errorf("runs by model: %v", count)
	}
}

// pastQuests: abandoned quests and those that go on took nothing that counts, and of many
// the newest count.
func pastQuests(t *testing.T, s engine.Store) {
	add := func(id string, size orchestration.Size, minutes int64, change func(*orchestration.Quest)) {
		q := finished(id, 0)
		q.Size, q.EndedAt, q.CostUSD = size, q.CreatedAt.Add(time.Duration(minutes*int64(time.Minute))), float64(minutes)
		if change != nil {
			change(q)
		}
		commit(t, s, creation(q))
	}
	add("given", orchestration.SizeErrand, 90, func(q *orchestration.Quest) { q.Abandoned = true })
	add("going", orchestration.SizeErrand, 80, func(q *orchestration.Quest) {
		q.Phase, q.EndedAt = orchestration.PhaseSteps, time.Time{}
	})
	add("full", orchestration.SizeFull, 70, func(q *orchestration.Quest) {
		for _, w := range q.Whole { // Steps are those of the plan
			w.Stage = orchestration.StageDone
		}
	})
	for n := range orchestration.PastMost + 2 {
		add(fmt.Sprintf("errand%d", n), orchestration.SizeErrand, int64(n+1), nil)
	}
	past, err := s.Past(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	took := map[orchestration.Size][]orchestration.Past{}
	for _, p := range past {
		took[p.Size] = append(took[p.Size], p)
	}
	if d := cmp.Diff([]orchestration.Past{{Size: orchestration.SizeFull, Took: 70 * time.Minute, CostUSD: 70, Steps: 1}},
		took[orchestration.SizeFull]); d != "" {
		t.Errorf("full (-want +got):\n%s", d)
	}
	list := took[orchestration.SizeErrand]
	if len(list) != orchestration.PastMost || len(past) != len(list)+1 {
		t.Fatalf("%d errands of %d", len(list), len(past))
	}
	for i, p := range list { // the newest end first
		if want := time.Duration(int64(orchestration.PastMost+2-i) * int64(time.Minute)); p.Took != want || p.CostUSD != want.Minutes() {
			t.Errorf("errand %d: %+v, want %v", i, p, want)
		}
	}
}
