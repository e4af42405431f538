package storetest

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

func everyFieldOfANewQuest(t *testing.T, s engine.Store) {
	for id, even := range map[string]bool{"even": true, "odd": false} {
		q := full(id, even)
		commit(t, s, creation(q))
		wantQuest(t, s, q)
	}
	bare := small("bare")
	commit(t, s, creation(bare))
	wantQuest(t, s, bare)
}

// The changed quest has another value in every field except those that never change.
func everyFieldOfAChangedQuest(t *testing.T, s engine.Store) {
	q := full("quest", true)
	commit(t, s, creation(q))
	t2 := after(q, func(c *orchestration.Quest, changed *orchestration.Changed) {
		other := full("quest", false)
		other.Version, other.Request = c.Version, q.Request
		for n := range 3 {
			r, a := *other.Runs.At(n), *other.Questions.At(n)
			r.ID, r.Epoch, a.ID = q.Runs.At(n).ID, q.Runs.At(n).Epoch+1, q.Questions.At(n).ID
			r.Why, a.Answer = "other", "other"
			other.Runs, other.Questions = other.Runs.With(n, &r), other.Questions.With(n, &a)
		}
		other.Title, other.Wait, other.Requirements = "other", nil, nil
		*c = *other
		*changed = creation(c).Changed
	})
	commit(t, s, t2)
	wantQuest(t, s, t2.Quest)
}

func replacedPlan(t *testing.T, s engine.Store) {
	q := full("quest", true)
	commit(t, s, creation(q))
	t2 := after(q, func(c *orchestration.Quest, changed *orchestration.Changed) {
		only := *c.Steps.At(2)
		only.N = 0
		c.Steps = orchestration.TableOf(&only)
		changed.Plan, changed.Steps = true, []int{0}
	})
	commit(t, s, t2)
	wantQuest(t, s, t2.Quest)
}

func questsByOver(t *testing.T, s engine.Store) {
	late, early, done := small("alate"), small("early"), small("done")
	late.CreatedAt = late.CreatedAt.Add(time.Second)
	done.Abandoned = true
	commit(t, s, creation(late), creation(early), creation(done))
	for over, want := range map[bool][]*orchestration.Quest{false: {early, late}, true: {done}} {
		got, err := s.Quests(t.Context(), over)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("over=%v: %d quests, want %d", over, len(got), len(want))
		}
		for i := range want {
			if d := Diff(want[i], got[i]); d != "" {
				t.Errorf("over=%v, place %d:\n%s", over, i, d)
			}
		}
	}
	// Over, but one run is still ending: a restart must find that run.
	leaving := after(early, func(q *orchestration.Quest, c *orchestration.Changed) {
		q.Abandoned = true
		q.Runs, c.Runs = orchestration.TableOf(&orchestration.Run{ID: "early-r1", State: orchestration.RunRunning}), []int{0}
	})
	commit(t, s, leaving)
	wantOver(t, s, 1)
	commit(t, s, after(leaving.Quest, func(q *orchestration.Quest, c *orchestration.Changed) {
		q.Runs, c.Runs = orchestration.TableOf(&orchestration.Run{ID: "early-r1", Epoch: 1, State: orchestration.RunEnded}), []int{0}
	}))
	wantOver(t, s, 2)
}

func wantOver(t *testing.T, s engine.Store, want int) {
	t.Helper()
	if got, err := s.Quests(t.Context(), true); err != nil || len(got) != want {
		t.Fatalf("%d quests are over (%v), want %d", len(got), err, want)
	}
}

func notFound(t *testing.T, s engine.Store) {
	wantNoQuest(t, s, "nobody")
	if err := s.Delete(t.Context(), orchestration.Deletion{Quest: "nobody"}); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("delete: got %v, want %v", err, engine.ErrNotFound)
	}
	if events, err := s.Events(t.Context(), "nobody", orchestration.EventFilter{N: 10}); err != nil || len(events) != 0 {
		t.Errorf("events of nobody: %v, %v", events, err)
	}
}

func deleting(t *testing.T, s engine.Store) {
	kept := small("kept")
	commit(t, s, creation(full("gone", true)), creation(kept))
	commit(t, s, noted(full("gone", true)), noted(kept))
	d := orchestration.DeletionOf(full("gone", true))
	if err := s.Delete(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	wantDeletions(t, s, d)
	wantNoQuest(t, s, "gone")
	if events, err := s.Events(t.Context(), "gone", orchestration.EventFilter{N: 10}); err != nil || len(events) != 0 {
		t.Errorf("the history outlived its quest: %v, %v", events, err)
	}
	if events, err := s.Events(t.Context(), "kept", orchestration.EventFilter{N: 10}); err != nil || len(events) != 1 {
		t.Errorf("the other quest has %d entries (%v), want 1", len(events), err)
	}
	commit(t, s, creation(full("gone", false))) // nothing of the old quest is in the way
	wantQuest(t, s, full("gone", false))
	wantDeletions(t, s) // what it left belongs to it again
	for _, id := range []string{"gone", "kept"} {
		if err := s.Delete(t.Context(), orchestration.Deletion{Quest: id}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := s.Deleted(t.Context(), "gone"); err != nil {
			t.Error(err)
		}
		wantDeletions(t, s, orchestration.Deletion{Quest: "kept"})
	}
}

func wantDeletions(t *testing.T, s engine.Store, want ...orchestration.Deletion) {
	t.Helper()
	if got, err := s.Deletions(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("deletions %+v (%v), want %+v", got, err, want)
	}
}

func history(t *testing.T, s engine.Store) {
	q := small("quest")
	first := creation(q)
	f := &filler{}
	for seq := range int64(5) {
		var e orchestration.Event
		f.fill(&e)
		e.Seq = seq + 1
		first.Events = append(first.Events, e)
	}
	q.Seq = 5
	commit(t, s, first)
	last := noted(q)
	commit(t, s, last)
	want := append(first.Events, last.Events...)
	for _, page := range []struct {
		f    orchestration.EventFilter
		want []orchestration.Event
	}{
		{orchestration.EventFilter{N: 100}, want},
		{orchestration.EventFilter{N: 2}, want[:2]},
		{orchestration.EventFilter{After: 2, N: 3}, want[2:5]},
		{orchestration.EventFilter{After: 5, N: 10}, want[5:]},
		{orchestration.EventFilter{After: 6, N: 10}, nil},
		{orchestration.EventFilter{}, nil},
		{orchestration.EventFilter{Newest: true, N: 2}, reversed(want[4:])},
		{orchestration.EventFilter{Newest: true, Before: 4, N: 10}, reversed(want[:3])},
		{orchestration.EventFilter{After: 1, Before: 4, N: 10}, want[1:3]},
		{orchestration.EventFilter{Types: []orchestration.EventType{want[3].Type, want[1].Type, "none"}, N: 10},
			[]orchestration.Event{want[1], want[3]}},
		{orchestration.EventFilter{Without: []orchestration.EventType{want[3].Type, want[1].Type, "none"}, N: 2},
			[]orchestration.Event{want[0], want[2]}},
		{orchestration.EventFilter{Step: want[2].Step, N: 10}, want[2:3]},
		{orchestration.EventFilter{Actor: want[2].Actor, N: 10}, want[2:3]},
		{orchestration.EventFilter{Actor: want[2].Actor, Step: want[1].Step, N: 10}, nil},
	} {
		got, err := s.Events(t.Context(), "quest", page.f)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(page.want, got); d != "" {
			t.Errorf("%+v (-want +got):\n%s", page.f, d)
		}
	}
}

func reversed(events []orchestration.Event) []orchestration.Event {
	events = slices.Clone(events)
	slices.Reverse(events)
	return events
}

func serverRows(t *testing.T, s engine.Store) {
	wantServer(t, s, engine.Server{})
	var filled engine.Server
	(&filler{}).fill(&filled)
	for i := range filled.Holds {
		filled.Holds[i].Host = "" // holds of hosts are not stored
	}
	other := engine.Server{Settings: record.Settings{Slots: 2, Trust: []record.Trust{{Path: "/a"}}},
		Holds: []orchestration.AccountHold{{Agent: "claude", Kind: orchestration.HoldLogin}}}
	for _, want := range []engine.Server{filled, other, {}} {
		if err := s.Commit(t.Context(), nil, &want); err != nil {
			t.Fatal(err)
		}
		want.Notices = nil // they are told, and no part of the state
		wantServer(t, s, want)
	}
}

func holdOfTransition(t *testing.T, s engine.Store) {
	q := small("quest")
	hold := orchestration.AccountHold{Agent: "claude", Kind: orchestration.HoldOverload, Until: time.Unix(1_800_000_000, 5).UTC(),
		Reason: "busy"}
	first := creation(q)
	first.Account = &hold
	commit(t, s, first)
	wantServer(t, s, engine.Server{Holds: []orchestration.AccountHold{hold}})
	longer := hold
	longer.Until = hold.Until.Add(time.Minute)
	second := noted(q)
	second.Account = &longer
	commit(t, s, second)
	wantServer(t, s, engine.Server{Holds: []orchestration.AccountHold{longer}})
	third := noted(second.Quest)
	third.Account = &hold
	if err := s.Commit(t.Context(), []orchestration.Transition{third}, &engine.Server{Settings: record.Settings{Slots: 4}}); err != nil {
		t.Fatal(err)
	}
	wantServer(t, s, engine.Server{Settings: record.Settings{Slots: 4}}) // given rows already contain the hold
}

func ready(t *testing.T, s engine.Store) {
	if err := s.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantServer(t, s, engine.Server{}) // reading leaves nothing behind
}

func wantServer(t *testing.T, s engine.Store, want engine.Server) {
	t.Helper()
	got, err := s.Server(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want.Holds = sortHolds(want.Holds)
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("server (-want +got):\n%s", d)
	}
}
