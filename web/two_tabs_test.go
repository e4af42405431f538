package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// tab is a page that is open, and the button that is pressed on it.
type tab struct {
	at, action string // as in stale
	field      string // the name of a text field; "": nothing is typed
	how        string // how to merge
}

// twoTabs are two tabs that decide about the same thing.
type twoTabs struct {
	of            func(*world) *handlerstest.Party
	first, second tab
	says          string                  // what the page of the one that came too late says
	counts        orchestration.EventType // what happens once
	inTurn        bool                    // the server lets only one form come so far that it is applied
}

func bothTabs() []twoTabs {
	const step, gate = "/quests/:quest/steps/limit", "/quests/:quest/gates/plan"
	approve, back := tab{gate, gate + "/approve", "", ""}, tab{gate, gate + "/changes", "feedback", ""}
	answer := tab{"/questions/:quest-q1", "/questions/:quest-q1/answer", "answer", ""}
	retry, skip := tab{step, step + "/retry", "instructions", ""}, tab{step, step + "/skip", "reason", ""}
	change := tab{"/quests/:quest/change", "/quests/:quest/change", "text", ""}
	merge := tab{"/quests/:quest/delivery", "/quests/:quest/delivery", "message", "merge"}
	squash := merge
	squash.how = "squash"
	edit := tab{"/quests/:quest/steps/audit/edit", "/quests/:quest/steps/audit/edit", "description", ""}
	settings := tab{"/quests/:quest/settings", "/quests/:quest/settings", "ward", ""}
	follow := tab{"/quests/:quest/follow-up", "/quests/:quest/follow-up", "request", ""}
	return []twoTabs{
		{gatedOf, approve, back, "The last decision, at 08:00:00 UTC: You: Plan", "", false},
		{gatedOf, back, back, "You: Plan sent back: words of mine", orchestration.EventGateSentBack, false},
		{partyOf, answer, answer, "Answered by", orchestration.EventQuestionAnswered, false},
		{partyOf, answer, tab{":share/questions/:quest-q1", ":share/questions/:quest-q1", "answer", ""}, "Answered by", orchestration.EventQuestionAnswered, false},
		{partyOf, retry, retry, "You: Retried: words of mine", orchestration.EventStepRetried, false},
		{partyOf, retry, skip, "You: ", "", false},
		{partyOf, change, change, "You: The requirements are changed: words of mine", orchestration.EventChangeRequested, false},
		{finishedOf, merge, change, "You: ", "", false},
		{finishedOf, merge, squash, "You: Quest merged into main", orchestration.EventQuestDelivered, false},
		{partyOf, edit, edit, "changed elsewhere", orchestration.EventStepEdited, false},
		{partyOf, settings, settings, "changed elsewhere", orchestration.EventQuestEdited, false},
		{finishedOf, follow, follow, "started elsewhere", "", true},
	}
}

// Two tabs have read the same state, and both requests arrive before either is applied. One
// counts. The other gets 409, with what happened, and keeps what was typed in it.
func TestOfTwoTabsThatDecideAtTheSameMomentOneCounts(t *testing.T) {
	t.Parallel()
	for _, c := range bothTabs() {
		t.Run(c.first.action+" and "+c.second.action, func(t *testing.T) {
			t.Parallel()
			for range 5 {
				c.round(t)
			}
		})
	}
}

func (c twoTabs) round(t *testing.T) {
	t.Helper()
	w := newWorld(t)
	quest := c.of(w).Quest
	events := func() int {
		list, err := w.engine.Events(context.Background(), quest, orchestration.EventFilter{Types: []orchestration.EventType{c.counts}, N: 100})
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	before := events()
	var forms [2]plainForm
	for i, tab := range []tab{c.first, c.second} {
		forms[i] = stale{at: tab.at, action: tab.action, party: c.of, field: tab.field}.opened(t, w)
		forms[i].values.Set("how", tab.how)
		forms[i].values.Set("name", "Ada")
		if tab.field != "" {
			forms[i].values.Set(tab.field, fmt.Sprintf("%s, typed in tab %d", mine, i))
		}
	}
	if w.engine.Arrived = together(2); c.inTurn {
		w.engine.Arrived = together(1)
	}
	var got [2]*httptest.ResponseRecorder
	var all sync.WaitGroup
	for i, f := range forms {
		all.Go(func() {
			got[i] = w.request(http.MethodPost, f.action, f.values.Encode(), owned)
			w.engine.Arrived() // if it was refused before
		})
	}
	all.Wait()
	counted, late := 0, -1
	for i, answer := range got {
		switch answer.Code {
		case http.StatusSeeOther:
			counted++
		case http.StatusConflict:
			late = i
		default:
			t.Errorf("tab %d: %d", i, answer.Code)
		}
	}
	if counted != 1 || late < 0 {
		t.Fatalf("%d of two tabs count", counted)
	}
	if n := events() - before; c.counts != "" && n != 1 {
		t.Errorf("%s happened %d times", c.counts, n)
	}
	page := pageOf(t, "the late tab", got[late])
	text := page.Text()
	for _, input := range page.Find("input").EachIter() {
		text += "\n" + input.AttrOr("value", "")
	}
	if strings.Contains(text, ".. Nothing") {
		t.Errorf("a sentence ends twice: %s", text)
	}
	if !strings.Contains(text, c.says) {
		t.Errorf("does not say %q: %s", c.says, strings.Join(strings.Fields(text), " "))
	}
	if field := [2]tab{c.first, c.second}[late].field; field != "" && !strings.Contains(text, fmt.Sprintf("typed in tab %d", late)) {
		t.Errorf("what was typed in tab %d is lost: %s", late, strings.Join(strings.Fields(text), " "))
	}
}

// together returns a function that waits until so many have called it. Later calls do not
// wait.
func together(n int64) func() {
	var calls atomic.Int64
	open := make(chan struct{})
	return func() {
		if calls.Add(1) == n {
			close(open)
		}
		<-open
	}
}
