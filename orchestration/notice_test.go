package orchestration_test

import (
	"slices"
	"strings"
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
		if row.Kind == orchestration.NoticePermission {
			data["rule"] = "Bash(git push *)"
		}
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

func TestTheKindsOfNoticesAreAsTheDocumentSays(t *testing.T) {
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

func TestABudgetOfTheServerIsToldOnceAtFourFifthsAndOnceWhenItIsSpent(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	budgets := func(day, server, used float64) []orchestration.SharedBudget {
		ledger := orchestration.Ledger{}.Enter(orchestration.Amount{USD: used}, at)
		return ledger.SharedBudgets(orchestration.Amount{USD: day}, orchestration.Amount{USD: server}, at)
	}
	for name, c := range map[string]struct {
		before, after []orchestration.SharedBudget
		want          []string
	}{
		"little is spent":                {budgets(5, 9, 1), budgets(5, 9, 3.9), nil},
		"80 % of the day's":              {budgets(5, 9, 3), budgets(5, 9, 4), []string{"80 % of today's"}},
		"80 % of the server's":           {budgets(0, 10, 3), budgets(0, 10, 8), []string{"80 % of the server's"}},
		"that was told":                  {budgets(5, 5, 4), budgets(5, 5, 4.9), nil},
		"80 % of a lowered one":          {budgets(0, 9, 4), budgets(0, 5, 4), []string{"80 % of the server's"}},
		"80 % of a raised one":           {budgets(0, 4, 4), budgets(0, 5, 4), nil},
		"the day's is spent":             {budgets(5, 9, 4), budgets(5, 9, 5), []string{"today's"}},
		"the server's":                   {budgets(5, 9, 7.3), budgets(5, 9, 9), []string{"the server's, needs"}},
		"both, over 80 % in one step":    {budgets(5, 5, 3), budgets(5, 5, 6), []string{"today's", "the server's, needs"}},
		"it was told that this is spent": {budgets(5, 9, 9), budgets(5, 9, 10), nil},
		"a budget was lowered":           {budgets(0, 9, 4), budgets(0, 3, 4), []string{"the server's, needs"}},
		"a first budget is set":          {budgets(0, 0, 4), budgets(0, 3, 4), []string{"the server's, needs"}},
		"it was raised":                  {budgets(0, 3, 4), budgets(0, 9, 4), nil},
	} {
		var told []string
		ids := map[string]bool{}
		for _, n := range orchestration.SharedBudgetNotices(c.before, c.after, at) {
			said := "the server's"
			if strings.Contains(n.Text, "today's") {
				said = "today's"
			}
			if n.Kind == orchestration.NoticeSharedWarned {
				said = "80 % of " + said
			}
			if n.Needs {
				said += ", needs"
			}
			told, ids[n.ID] = append(told, said), true
			if n.Quest != "" || !strings.Contains(n.Text, "is spent") {
				t.Errorf("%s: %+v", name, n)
			}
		}
		if !slices.Equal(told, c.want) || len(ids) != len(told) {
			t.Errorf("%s: %q with the ids %v, want %q", name, told, ids, c.want)
		}
	}
}

// At midnight (UTC) nothing of the new day's budget is used, so its 80 % is told again.
func TestFourFifthsOfTheDaysBudgetAreToldOnceADay(t *testing.T) {
	t.Parallel()
	day := orchestration.Amount{USD: 5}
	ledger := orchestration.Ledger{}
	var told []string
	for _, run := range []struct {
		at  time.Time
		usd float64
	}{
		{time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC), 4}, {time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC), 0.5},
		{time.Date(2026, 11, 22, 1, 0, 0, 0, time.UTC), 3}, {time.Date(2026, 11, 22, 2, 0, 0, 0, time.UTC), 1},
		{time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC), 0.5},
	} {
		next := ledger.Enter(orchestration.Amount{USD: run.usd}, run.at)
		for _, n := range orchestration.SharedBudgetNotices(ledger.SharedBudgets(day, orchestration.Amount{}, run.at), next.SharedBudgets(day, orchestration.Amount{}, run.at), run.at) {
			told = append(told, string(n.Kind)+" "+run.at.Format("02 15"))
		}
		ledger = next
	}
	if want := []string{"server-budget-80 21 22", "server-budget-80 22 02"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// A person who looks at no page learns of everything that the inbox lists. A step that they
// took over is theirs: nobody must tell them.
func TestEveryNeedIsTold(t *testing.T) {
	t.Parallel()
	tellers := map[orchestration.NeedKind][]orchestration.NoticeKind{
		orchestration.NeedDelivery: {orchestration.NoticeComplete}, // it needs a person if the work waits to be merged
		orchestration.NeedBudget:   {"budget", orchestration.NoticeSharedBudget},
		orchestration.NeedYours:    {},
		orchestration.NeedFallback: {orchestration.NoticeHeld, orchestration.NoticeLogin}, // it goes on by itself after the hold
	}
	for _, need := range orchestration.NeedKinds {
		kinds, other := tellers[need]
		if !other {
			kinds = []orchestration.NoticeKind{orchestration.NoticeKind(need)}
		}
		for _, kind := range kinds {
			i := slices.IndexFunc(orchestration.NoticeKinds, func(row orchestration.NoticeRow) bool { return row.Kind == kind })
			if i < 0 || !orchestration.NoticeKinds[i].Needs && need != orchestration.NeedDelivery && need != orchestration.NeedFallback {
				t.Errorf("%s: no notice %q says that somebody is needed", need, kind)
			}
		}
	}
}
