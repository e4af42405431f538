package orchestration_test

import (
	"slices"
	"testing"
	"time"

	"questboard/orchestration"
)

// transitionOf is one entry in the history of a quest that exists.
func transitionOf(q *orchestration.Quest, event orchestration.EventType, data map[string]string) orchestration.Transition {
	return orchestration.Transition{Before: 4, Quest: q, Events: []orchestration.Event{{Seq: 9, Type: event, Step: "step-0", Data: data}}}
}

func TestEachKindOfNoticeIsToldOfItsEvent(t *testing.T) {
	t.Parallel()
	q := &orchestration.Quest{ID: "quest", Title: "Tides"}
	for _, row := range orchestration.NoticeKinds {
		if row.Words == "" {
			t.Errorf("%s has no words", row.Kind)
		}
		if row.Event == "" {
			continue
		}
		data := map[string]string{"kind": string(row.Wait), "text": "why?", "reason": "why?", "why": "why?", "question": "quest-q1"}
		list := orchestration.NoticesOf(transitionOf(q, row.Event, data))
		if len(list) != 1 {
			t.Errorf("%s: %d notices of %s", row.Kind, len(list), row.Event)
			continue
		}
		n := list[0]
		if n.Kind != row.Kind || n.ID != "quest-e9" || n.Title != "Tides" || n.Step != "step-0" || n.Needs != row.Needs || (n.Text != "") != (row.Text != "") {
			t.Errorf("%s: %+v", row.Kind, n)
		}
	}
	if list := orchestration.NoticesOf(transitionOf(q, orchestration.EventRunQueued, nil)); len(list) != 0 {
		t.Errorf("a queued run is told: %v", list)
	}
}

func TestAnImportedQuestTellsNothingOfItsPast(t *testing.T) {
	t.Parallel()
	arrival := transitionOf(&orchestration.Quest{ID: "quest"}, orchestration.EventQuestionAsked, nil)
	arrival.Before = 0
	if list := orchestration.NoticesOf(arrival); len(list) != 0 {
		t.Errorf("told: %v", list)
	}
}

func TestAHeldAccountIsToldOnceAndWhenItIsFree(t *testing.T) {
	t.Parallel()
	hold := func(kinds ...orchestration.HoldKind) (list []orchestration.AccountHold) {
		for _, kind := range kinds {
			list = append(list, orchestration.AccountHold{Agent: "claude", Kind: kind, Reason: "why"})
		}
		return list
	}
	const overload, usage, login = orchestration.HoldOverload, orchestration.HoldUsage, orchestration.HoldLogin
	for _, c := range []struct {
		before, after []orchestration.AccountHold
		want          []orchestration.NoticeKind
	}{
		{nil, hold(usage), []orchestration.NoticeKind{orchestration.NoticeHeld}},
		{hold(usage), hold(usage), nil},
		{nil, hold(overload), nil},
		{hold(overload), nil, nil},
		{hold(overload), hold(overload, usage), []orchestration.NoticeKind{orchestration.NoticeHeld}},
		{hold(usage), hold(usage, login), []orchestration.NoticeKind{orchestration.NoticeLogin}},
		{hold(usage, login), hold(usage), []orchestration.NoticeKind{orchestration.NoticeHeld}},
		{nil, hold(login), []orchestration.NoticeKind{orchestration.NoticeLogin}},
		{hold(usage, login), nil, []orchestration.NoticeKind{orchestration.NoticeFree}},
		{hold(usage, overload), hold(overload), []orchestration.NoticeKind{orchestration.NoticeFree}},
	} {
		var got []orchestration.NoticeKind
		for _, n := range orchestration.HoldNotices(c.before, c.after, time.Unix(1, 0)) {
			got = append(got, n.Kind)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v to %v: %v, want %v", c.before, c.after, got, c.want)
		}
	}
}

func TestTheKindsOfNoticesAreAsThePageSays(t *testing.T) {
	t.Parallel()
	var said, known []string
	for _, table := range pageTables(t, "notifications.md") {
		for _, row := range table.Rows {
			if table.Columns[0] == "kind" {
				said = append(said, codes(row.Cells[0])...)
			}
		}
	}
	for _, row := range orchestration.NoticeKinds {
		known = append(known, string(row.Kind))
	}
	slices.Sort(said)
	slices.Sort(known)
	if !slices.Equal(said, known) {
		t.Errorf("the page has %v, the program %v", said, known)
	}
}
