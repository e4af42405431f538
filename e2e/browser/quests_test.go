package browser_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// The list of quests and its menus are accessible, with quests that wait and quests
// that are over.
func TestTheListOfQuests(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := newTab(t)
	b.open(s.login)
	handlerstest.Busy(s.engine)
	gated := handlerstest.Begin(s.engine, "Show the exchange rate on invoices")
	gated.ToPlanGate()
	for i := range 4 {
		old := handlerstest.Begin(s.engine, fmt.Sprint("Number ", i, " of what was done long ago"))
		_, _ = s.engine.Submit(t.Context(), old.Quest, "user", orchestration.AbandonPressed{})
	}
	handlerstest.Finished(s.engine, "Say hello", "main")
	b.auditAll(s.url, []namedPage{{"quests-many", "/quests"}, {"quests-found", "/quests?q=hello&state=complete"}})
	b.theme("light")
	b.size(1440, 900)
	b.open(s.url + "/quests")
	b.live()
	if got := eval[string](b, `document.querySelector('h1').textContent + [...document.querySelectorAll('.quest-row')].length`); got != "Quests7" {
		t.Errorf("the list: %s", got)
	}
	b.click(`.quest-row:nth-child(3) > .line > button`)
	b.until(`document.querySelector(':popover-open')?.innerText.includes('Delete')`)
	// It stays open while the list changes around it.
	begun := handlerstest.Begin(s.engine, "Begun while a menu was open")
	b.until(`document.getElementById('quest-` + begun.Quest + `') !== null`)
	_, _ = s.engine.Submit(t.Context(), gated.Quest, "user", orchestration.AbandonPressed{})
	b.until(`document.getElementById('quest-` + gated.Quest + `').innerText.includes('Abandoned')`)
	if !eval[bool](b, `document.querySelector(':popover-open')?.innerText.includes('Delete') === true`) {
		t.Error("a change of the list closed its menu")
	}
	b.shot("quests-menu")
	b.accessible("quests-menu")
}

// A quest that changes keeps its place in the list: it comes after those that run, and
// before those that are over. A new one comes to its place, too.
func TestAQuestThatChangesKeepsItsPlaceInTheList(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := newTab(t)
	b.open(s.login)
	handlerstest.Finished(s.engine, "Say hello", "main")
	first := handlerstest.Begin(s.engine, "The first that runs")
	second := handlerstest.Begin(s.engine, "The second that runs")
	b.open(s.url + "/quests")
	b.live()
	const order = `[...document.querySelectorAll('.quest-row')].map((row) => row.id).join(' ')`
	first.ToPlanGate()
	b.until(`document.getElementById('quest-` + first.Quest + `').innerText.includes('approval')`)
	begun := handlerstest.Begin(s.engine, "Begun while the list was open")
	b.until(`document.getElementById('quest-` + begun.Quest + `') !== null`)
	_, _ = s.engine.Submit(t.Context(), second.Quest, "user", orchestration.AbandonPressed{})
	b.until(`document.getElementById('quest-` + second.Quest + `').innerText.includes('Abandoned')`)
	got := eval[string](b, order)
	b.open(s.url + "/quests")
	if want := eval[string](b, order); got != want {
		t.Errorf("the open list is %s, read again it is %s", got, want)
	}
}

func TestADraftIsKeptAndBroughtBack(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := newTab(t)
	b.open(s.login)
	b.auditAll(s.url, []namedPage{{"drafts-none", "/quests?state=draft"}})
	b.open(s.url + "/quests/new")
	b.do(chromedp.SendKeys(`#request`, "Keep this for another day"))
	b.click(`button[formaction="/drafts"]`)
	b.until(`document.querySelector('#draft-draft1 h2')?.textContent === 'Keep this for another day'`)
	if kept := eval[string](b, "localStorage.getItem('draft:request') ?? ''"); kept != "" {
		t.Errorf("the browser keeps %q besides", kept)
	}
	b.auditAll(s.url, []namedPage{{"drafts", "/quests?state=draft"}})
	b.do(chromedp.Navigate(s.url+"/quests?state=draft"), chromedp.WaitReady("#main"))
	b.click(`#draft-draft1 form:last-child button`)
	b.until(`document.body.innerText.includes('The draft is deleted.')`)
	b.shot("draft-deleted")
	b.accessible("draft-deleted")
	b.click(`form.note button`)
	b.until(`document.querySelector('#draft-draft1')`)
}

// Another part of the page may change while a form is on its way. The text that was sent is
// no draft because of that.
func TestATextThatWasSentIsNoDraftAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	swapped := make(chan struct{})
	swap := sync.OnceFunc(func() { close(swapped) })
	defer swap()
	s.fault = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/swapped":
				swap()
			case "/drafts":
				<-swapped
			}
			next.ServeHTTP(w, r)
		})
	}
	b := newTab(t)
	b.open(s.login)
	b.open(s.url + "/quests/new")
	b.live()
	b.do(chromedp.SendKeys(`#request`, "Keep this for another day"))
	eval[any](b, `void document.addEventListener('submit', () => {
		document.addEventListener('htmx:after:swap', () => fetch('/swapped'));
		document.querySelector('button[name=browse]').click();
	})`)
	b.click(`button[formaction="/drafts"]`)
	b.until(`document.querySelector('#draft-draft1')`)
	if kept := eval[string](b, "localStorage.getItem('draft:request') ?? ''"); kept != "" {
		t.Errorf("the browser keeps %q besides", kept)
	}
}

// What the server wrote into a field is no draft, whatever else of the page changes.
func TestWhatTheServerWroteIsNoDraft(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest)
	b.live()
	b.click("#link-limit")
	b.until(`document.getElementById('instructions') !== null`)
	eval[any](b, `void (document.getElementById('instructions').value = 'from the server')`)
	b.click("#card-routes .menu-button")
	b.until(`document.querySelector('#actions-menu:popover-open') !== null`)
	if kept := eval[string](b, "localStorage.getItem('draft:instructions-"+party.Quest+"-limit') ?? ''"); kept != "" {
		t.Errorf("the browser keeps %q", kept)
	}
}

// A gate that was sent back shows what changed since.
func TestTheChangesAtAGateAreAccessible(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Begin(s.engine, "Rates")
	party.ToPlanGate()
	if _, err := s.engine.Submit(t.Context(), party.Quest, "user", orchestration.GateDecided{Gate: "plan", Feedback: "Leave out the mail, and say what store is about."}); err != nil {
		t.Fatal(err)
	}
	run := party.Start(orchestration.StepPlan)
	plan := append([]orchestration.PlanStep{}, handlerstest.Plan[:11]...)
	plan[1].Description = "What store is about: it keeps sessions, in a sentence or three."
	if _, err := s.engine.Submit(t.Context(), party.Quest, "pathseeker", orchestration.PlanDrafted{Run: run, Draft: orchestration.PlanDraft{Steps: plan}}); err != nil {
		t.Fatal(err)
	}
	party.Signal(orchestration.StepPlan, orchestration.Signal{Kind: orchestration.Complete, Summary: "Again."})
	b := newTab(t)
	b.open(s.login)
	b.auditAll(s.url, []namedPage{{"gate-changed", "/quests/" + party.Quest + "/gates/plan"}})
	if got := eval[int](b, `document.querySelectorAll('#changes li').length`); got != 2 {
		t.Errorf("%d changes", got)
	}
}
