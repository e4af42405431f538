package handlers_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// A card is in the column of its phase, with its state in words.
func TestBoardShowsWhereEveryStepStands(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	page := parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest))
	for step, want := range map[string]struct{ column, says string }{
		"audit":        {"waiting", "Waiting Waits for Session cookie, Login form"},
		"routes":       {"ready", "Queued"},
		"cookie":       {"build", "Needs your answer"},
		"form":         {"build", "Running"},
		"limit":        {"build", "Stopped by you"},
		"adapter":      {"build", "↳ then Codeweaver resumes"},
		"hash":         {"mend", "check failed 1×"},
		"parse-config": {"done", "Done"},
		"notes":        {"done", "Skipped by you: written by hand"},
	} {
		card := "#cards-" + want.column + " > #card-" + step
		if got := words(page, card); !strings.Contains(got, want.says) {
			t.Errorf("%s says %q, not %q", card, got, want.says)
		}
	}
	if first, _ := page.Find("#cards-build > li").First().Attr("id"); first != "card-cookie" {
		t.Errorf("%s stands before what needs the user", first)
	}
	if got := words(page, "#strip [aria-current]"); got != "▶ Build 2/12 : running" {
		t.Errorf("the strip is at %q", got)
	}
	if href, _ := page.Find(".alert a[data-answer]").Attr("href"); href != "/questions/"+p.Quest+"-q1" {
		t.Errorf("the alert leads to %q", href)
	}
}

// The words for a phase are those of its quest, also for who does not see its icon.
func TestTheStripSaysWhatIsSoOfEachPhase(t *testing.T) {
	t.Parallel()
	s := newSite()
	paused, gone, gated := handlerstest.Busy(s.engine), handlerstest.Busy(s.engine), handlerstest.Sized(s.engine, "Greet", "one file")
	s.submit(t, paused, orchestration.PausePressed{})
	s.submit(t, gone, orchestration.AbandonPressed{})
	done := handlerstest.Finished(s.engine, "Say hello", "main")
	for quest, want := range map[string]string{
		paused.Quest: "✓ Requirements : over ✓ Approved ✓ Plan : over ✓ Approved ▶ Build 2/12 : paused ○ Review : not begun ○ Complete : not begun",
		gone.Quest:   "○ Build 2/12 : abandoned ○ Review : not begun ○ Complete : not begun",
		gated.Quest:  "? Approve : waits for a decision",
		done.Quest:   "– Requirements : left out – Plan : left out ✓ Build 1/1 : over ✓ Review : over ! Complete : over, something is left",
	} {
		if got := words(parsed(t, call(t, s.pages.Board, nil, "quest", quest)), "#strip"); !strings.Contains(got, want) {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// Each decision does what it says, and leads back to its step.
func TestDecisionsAreCarriedOut(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	step := func(step string) *orchestration.Step { return s.quest(t, p).Step(step) }
	form := step("form").Run
	for _, d := range []struct {
		what     string
		do       func() string // returns the address that it leads to
		leadsTo  string
		happened func() bool
	}{
		{"retry", func() string {
			return call(t, s.pages.Retry, url.Values{"fresh": {"true"}}, "quest", p.Quest, "step", "limit").Header().Get("Location")
		}, "/steps/limit", func() bool {
			return step("limit").Hold == "" && s.quest(t, p).Run(step("limit").Run).ResumedFrom == ""
		}},
		{"skip", func() string {
			return call(t, s.pages.Skip, url.Values{"reason": {"later"}}, "quest", p.Quest, "step", "mail").Header().Get("Location")
		}, "/steps/mail", func() bool { return step("mail").Stage == orchestration.StageSkipped && step("mail").Reason == "later" }},
		{"message", func() string {
			return call(t, s.pages.MessageRun, url.Values{"text": {"use\r\nthe SSO"}}, "run", form).Header().Get("Location")
		}, "/steps/form", func() bool { return s.quest(t, p).Run(form).Stopping == orchestration.OutcomeStopped }},
		{"stop", func() string {
			return call(t, s.pages.StopRun, url.Values{}, "run", step("hash").Run).Header().Get("Location")
		}, "/steps/hash", func() bool { return s.quest(t, p).Run(step("hash").Run).Stopping == orchestration.OutcomeStopped }},
		{"pause", func() string { return call(t, s.pages.Pause, url.Values{}, "quest", p.Quest).Header().Get("Location") },
			"/quests/" + p.Quest, func() bool { return s.quest(t, p).Paused }},
		{"resume", func() string { return call(t, s.pages.Resume, url.Values{}, "quest", p.Quest).Header().Get("Location") },
			"/quests/" + p.Quest, func() bool { return !s.quest(t, p).Paused }},
		{"abandon", func() string {
			return call(t, s.pages.Abandon, url.Values{"title": {"Add login to billing"}}, "quest", p.Quest).Header().Get("Location")
		}, "/quests/" + p.Quest, func() bool { return s.quest(t, p).Abandoned }},
	} {
		if leads := d.do(); !strings.HasSuffix(leads, d.leadsTo) {
			t.Errorf("%s leads to %q", d.what, leads)
		}
		if !d.happened() {
			t.Errorf("%s did nothing", d.what)
		}
	}
}

// A live update fits the page: it replaces existing elements, or says where to insert new
// ones.
func TestLivePatchesFitThePage(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	at := []string{"quest", p.Quest, "step", "form"}
	page := parsed(t, call(t, s.pages.Step, nil, at...))
	tabs := []*goquery.Document{page, parsed(t, call(t, s.pages.StepTimeline, nil, at...)), parsed(t, call(t, s.pages.StepSignals, nil, at...)),
		parsed(t, call(t, s.pages.StepSessions, nil, at...)), parsed(t, call(t, s.pages.StepCost, nil, at...))}
	topics := []string{"nav", "board/" + p.Quest, "step/" + p.Quest + "/form", "timeline/" + p.Quest + "/form"}
	for _, step := range s.quest(t, p).Steps.All() {
		topics = append(topics, "board/"+p.Quest+"/"+step.ID)
	}
	html, err := s.live.Render(context.Background(), append(topics, "board/nowhere", "board/nowhere/x", "step/x/y", "nonsense", ""))
	if err != nil {
		t.Fatal(err)
	}
	patch, err := goquery.NewDocumentFromReader(strings.NewReader(html))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	patch.Find("body > *").Each(func(_ int, element *goquery.Selection) {
		n++
		id, _ := element.Attr("id")
		if id == "" || !slices.ContainsFunc(tabs, func(tab *goquery.Document) bool { return tab.Find("[id='"+id+"']").Length() == 1 }) {
			t.Errorf("nothing to replace on the page for %q", id)
		}
		into, moves := element.Attr("data-into")
		if moves && page.Find("#"+into+" > [id='"+id+"']").Length() != 1 {
			t.Errorf("%s would leave its place for %s", id, into)
		}
	})
	if n < 24 {
		t.Errorf("only %d elements", n)
	}
}

// A page that was rendered before the newest commit counts as stale.
func TestAPageOfYesterdayIsStale(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	version := s.quest(t, p).Version
	for topic, version := range map[string]int64{"board/" + p.Quest: version, "step/" + p.Quest + "/form": version} {
		if s.live.Stale(context.Background(), topic, version) {
			t.Errorf("%s is fresh", topic)
		}
		if !s.live.Stale(context.Background(), topic, version-1) {
			t.Errorf("%s is stale", topic)
		}
	}
}

// A page that missed a change gets all cards. A line of output changes only its card.
func TestAllMeansAllCardsAndATailOnlyItsOwn(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	for topic, want := range map[string]int{"board/" + p.Quest + "/*": 12, "board/" + p.Quest + "/form/tail": 1,
		"board/" + p.Quest + "/form": 2 /* itself, and who waits for it */, "board/" + p.Quest: 0} {
		html, err := s.live.Render(context.Background(), []string{topic})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(html, `id="card-`); got != want {
			t.Errorf("%s: %d cards", topic, got)
		}
	}
	// A step that is ready says what prevents it from starting, which another step may be.
	html, err := s.live.Render(context.Background(), []string{"board/" + p.Quest + "/form"})
	alone := regexp.MustCompile(`<p id="why-[a-z]+" data-of="card-[a-z]+">[^<]+</p>`).FindAllString(html, -1)
	if err != nil || len(alone) != 1 {
		t.Errorf("%d sentences of ready cards (%v):\n%s", len(alone), err, html)
	}
}

// The alert about a hold of all runs has the date of its end, because a hold may last for
// days.
func TestAHoldSaysOnWhichDayItEnds(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Busy(s.engine)
	s.engine.Hold(orchestration.AccountHold{Agent: "claude", Kind: orchestration.HoldOverload, Until: now().Add(50 * time.Hour), Reason: "the limit of the week is reached"})
	board := parsed(t, call(t, s.pages.Board, nil, "quest", party.Quest))
	alert := board.Find("#alerts .alert.bad:contains('limit of the week')")
	if said := textOf(alert.Find("p")); said != "The limit of the week is reached. Resumes: Monday 23 November 2026, 14:00 UTC" || alert.Find("time[datetime='2026-11-23T14:00:00Z']").Length() != 1 {
		t.Errorf("%q", said)
	}
}

// A card says how many times the conversation of the run at work was summarised.
func TestACardSaysHowManyTimesItsRunWasCompacted(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	chips := func() string {
		return words(parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest)), "#card-form .chips")
	}
	if strings.Contains(chips(), "compacted") {
		t.Errorf("nothing was compacted, and the card says %q", chips())
	}
	s.engine.Compact(s.quest(t, p).Step("form").Run)
	if !strings.Contains(chips(), "compacted 1×") {
		t.Errorf("the card says %q", chips())
	}
	html, err := s.live.Render(context.Background(), []string{"board/" + p.Quest + "/form/tail"})
	if err != nil || !strings.Contains(html, "compacted 1×") {
		t.Errorf("an open page is told %s, %v", html, err)
	}
}

// noLists is an engine that cannot read the list of ended quests.
type noLists struct{ *handlerstest.Engine }

func (noLists) Ended(context.Context, orchestration.EndedFilter) ([]orchestration.Ended, error) {
	return nil, errors.New("the disk is gone")
}

func TestTheBoardIsShownWithoutAListThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newSite()
	q, err := s.engine.Create(t.Context(), orchestration.NewQuest{Title: "Add login", Request: "Do it.", Repo: "/repo", Agent: "claude",
		Workspace: orchestration.WorkspaceShared})
	if err != nil {
		t.Fatal(err)
	}
	s.pages.Quests, s.pages.Log = noLists{s.engine}, slog.New(slog.DiscardHandler)
	if w := call(t, s.pages.Board, nil, "quest", q.ID); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "Add login") {
		t.Errorf("status %d", w.Code)
	}
}

// An agent names the steps. Two elements with one id would be taken for each other.
func TestNoStepTakesTheIDOfAnotherPartOfTheBoard(t *testing.T) {
	t.Parallel()
	s := newSite()
	q, err := s.engine.Create(t.Context(), orchestration.NewQuest{Title: "Rates", Request: "Something.", Repo: "/repo", Agent: "claude",
		Workspace: orchestration.WorkspaceShared, Plan: &orchestration.OwnPlan{Steps: []orchestration.PlanStep{{ID: "menu", Title: "Menu"}, {ID: "actions", Title: "Actions"},
			{ID: "actions-menu", Title: "All"}, {ID: "done", Title: "Done"}, {ID: "build", Title: "Build"}}}})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	parsed(t, call(t, s.pages.Board, nil, "quest", q.ID)).Find("[id]").Each(func(_ int, e *goquery.Selection) {
		id := e.AttrOr("id", "")
		if seen[id] {
			t.Errorf("two elements have the id %q", id)
		}
		seen[id] = true
	})
	if !seen["card-menu"] {
		t.Error("the board has no card of the step menu")
	}
}
