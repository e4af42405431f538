package storetest

import (
	"context"
	"errors"
	"testing"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// Exercise is the conformance suite of engine.Store. open returns a new, empty
// store that is closed with the test.
func Exercise(t *testing.T, open func(t *testing.T) engine.Store) {
	t.Helper()
	for name, rule := range map[string]func(*testing.T, engine.Store){
		"every field of a new quest comes back":              everyFieldOfANewQuest,
		"every field of a changed quest comes back":          everyFieldOfAChangedQuest,
		"a replaced plan leaves no old step":                 replacedPlan,
		"quests are listed by whether they are over":         questsByOver,
		"quests that are over are listed without their rows": endedQuests,
		"the list of those that are over says their outcome": endedOutcome,
		"the list of those that are over finds follow-ups":   endedFollows,
		"what complete quests took is known for each size":   pastQuests,
		"what ended runs cost is known for each model":       paidRuns,
		"what is not there is not found":                     notFound,
		"deleting takes the history along":                   deleting,
		"every field of the history comes back in order":     history,
		"the server's rows are replaced as a whole":          serverRows,
		"a hold that a transition brings is kept":            holdOfTransition,
		"a store that works is ready":                        ready,
		"only the version it was made from is overwritten":   versionGuard,
		"a quest is made once":                               madeOnce,
		"a run is overwritten by a later epoch alone":        epochGuard,
		"several transitions of one quest are one commit":    severalTransitions,
		"a gap between transitions is stale":                 gapBetweenTransitions,
		"a transition without a change writes nothing":       emptyTransition,
		"one stale quest keeps the whole commit from taking": atomicity,
		"of commits at the same time one wins":               oneWins,
		"a reader never sees half a commit":                  wholeCommits,
		"a cancelled context commits nothing":                cancelled,
		"what Apply makes of a whole quest comes back":       followsApply,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rule(t, open(t))
		})
	}
}

// commit commits, or ends the test.
func commit(t *testing.T, s engine.Store, transitions ...orchestration.Transition) {
	t.Helper()
	if err := s.Commit(t.Context(), transitions, nil); err != nil {
		t.Fatalf("commit: %v", err)
	}
}

// wantStale fails the test unless the commit is stale.
func wantStale(t *testing.T, s engine.Store, transitions ...orchestration.Transition) {
	t.Helper()
	if err := s.Commit(t.Context(), transitions, nil); !errors.Is(err, engine.ErrStale) {
		t.Fatalf("commit: got %v, want %v", err, engine.ErrStale)
	}
}

// wantQuest fails the test unless the store has exactly this quest.
func wantQuest(t *testing.T, s engine.Store, want *orchestration.Quest) {
	t.Helper()
	got, err := s.Quest(t.Context(), want.ID)
	if err != nil {
		t.Fatal(err)
	}
	if d := Diff(want, got); d != "" {
		t.Fatalf("quest %s (-committed +loaded):\n%s", want.ID, d)
	}
}

// wantNoQuest fails the test if there is such a quest.
func wantNoQuest(t *testing.T, s engine.Store, id string) {
	t.Helper()
	if _, err := s.Quest(context.WithoutCancel(t.Context()), id); !errors.Is(err, engine.ErrNotFound) {
		t.Fatalf("load %s: got %v, want %v", id, err, engine.ErrNotFound)
	}
}
