package handlers_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

func chosenSize(page *goquery.Document) string {
	return strings.TrimPrefix(page.Find("#size input[checked]").AttrOr("id", ""), "size-")
}

func created(t *testing.T, s *site, form url.Values) *orchestration.Quest {
	t.Helper()
	w := call(t, s.pages.CreateQuest, form)
	id := strings.TrimPrefix(w.Header().Get("Location"), "/quests/")
	if w.Code != http.StatusSeeOther {
		t.Fatalf("%d: %s", w.Code, words(parsed(t, w), "main"))
	}
	return s.quest(t, &handlerstest.Party{Quest: id})
}

// The form offers every size with a sentence. Without a choice the quest is auto.
func TestSize_isChosenInTheForm_keptInADraft_andRefusedByField(t *testing.T) {
	t.Parallel()
	s := newSite()
	page := parsed(t, call(t, s.pages.NewQuest, nil))
	for _, want := range []string{"Auto: the first agent", "Errand: one agent, your check, merge", "Quick: ", "Full: ", "No history yet."} {
		if !strings.Contains(words(page, "#size"), want) {
			t.Errorf("no %q in %q", want, words(page, "#size"))
		}
	}
	if chosenSize(page) != "Auto" {
		t.Errorf("%q is chosen", chosenSize(page))
	}
	form := url.Values{"request": {"Greet"}, "repo": {"/repo"}, "size": {"huge"}, "siege": {"all"}}
	w := call(t, s.pages.CreateQuest, form)
	page = parsed(t, w)
	if got := words(page, "#size-error") + words(page, "#siege-error"); w.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(got, "Choose auto, errand, quick or full.") || !strings.Contains(got, "Choose each, risky or end.") {
		t.Errorf("%d %q", w.Code, got)
	}
	form.Set("size", "quick")
	form.Set("siege", "risky")
	call(t, s.pages.SaveDraft, form)
	drafts, err := s.drafts.Drafts(t.Context())
	if err != nil || len(drafts) != 1 || drafts[0].Quest.Size != orchestration.SizeQuick || drafts[0].Quest.Siege != orchestration.SiegeRisky {
		t.Fatalf("%+v %v", drafts, err)
	}
	page = parsed(t, call(t, s.pages.Draft, nil, "draft", drafts[0].ID))
	if siege := page.Find("#siege option[selected]").AttrOr("value", ""); chosenSize(page) != "Quick" || siege != "risky" {
		t.Errorf("the draft shows %q and %q", chosenSize(page), siege)
	}
	form.Set("size", "errand")
	form.Del("siege")
	if q := created(t, s, form); q.Size != orchestration.SizeErrand {
		t.Errorf("the quest is %s", q.Size)
	}
	form.Set("size", "")
	if q := created(t, s, form); q.Size != orchestration.SizeAuto {
		t.Errorf("without a choice it is %s", q.Size)
	}
}

// A trusted repository's file says the size of a quest for which nobody chooses one.
func TestSize_ofTheRepositorysFile_countsWithoutAChoice(t *testing.T) {
	t.Parallel()
	s := newSite()
	file := ownFile()
	file.File.Size = orchestration.SizeErrand
	s.pages.Repos = handlerstest.Repos{Own: file}
	if err := s.settings.ChangeSettings(t.Context(), func(s *record.Settings) { s.AddTrust("/repo", file.Config, now()) }); err != nil {
		t.Fatal(err)
	}
	if got := words(s.typing(t, url.Values{"repo": {"/repo"}}), "#own-file"); !strings.Contains(got, "size: errand") {
		t.Errorf("the form says %q", got)
	}
	form := url.Values{"request": {"Greet"}, "repo": {"/repo"}, "own-file": {service.ShownFile(file.Config.Hash, service.RepoFileCounts)}}
	for size, want := range map[string]orchestration.Size{"": orchestration.SizeErrand, "auto": orchestration.SizeAuto, "quick": orchestration.SizeQuick} {
		form.Set("size", size)
		if q := created(t, s, form); q.Size != want || q.SizedBy != "" {
			t.Errorf("chosen %q: %s by %q", size, q.Size, q.SizedBy)
		}
	}
}

// The form and the board say what three or more quests of the size took.
func TestSize_saysWhatQuestsOfItTook(t *testing.T) {
	t.Parallel()
	s := newSite()
	begun := handlerstest.Errand(s.engine)
	option := func() string {
		page := parsed(t, call(t, s.pages.NewQuest, nil))
		return words(page, "label[for=size-Errand]")
	}
	board := func() string {
		return words(parsed(t, call(t, s.pages.Board, nil, "quest", begun.Quest)), "#quest-size")
	}
	for range 3 {
		if got := option() + board(); !strings.Contains(got, "No history yet.") || strings.Contains(got, "Usually") {
			t.Errorf("below three: %q", got)
		}
		handlerstest.Errand(s.engine).FinishErrand()
	}
	for _, got := range []string{option(), board()} {
		if !strings.Contains(got, "Usually ") || !strings.Contains(got, " and $0.31 here (median of 3 quests), none more than $0.31") {
			t.Errorf("three errands: %q", got)
		}
	}
}

// An errand that an agent said waits at its gate, with the reason. Start begins it.
func TestTheGateOfAnErrandSaysWhy_andStarts(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Sized(s.engine, "Mend <b>typo", "One word is <i>wrong.")
	const said = "Errand, because One word is <i>wrong"
	board := parsed(t, call(t, s.pages.Board, nil, "quest", party.Quest))
	if got := words(board, "#alerts"); !strings.Contains(got, said) || board.Find("#alerts a[href$='/gates/requirements']").Length() != 1 {
		t.Errorf("the board says %q", got)
	}
	if got := words(board, "#quest-size"); !strings.Contains(got, "errand, because One word is <i>wrong.") {
		t.Errorf("its head says %q", got)
	}
	if got := words(parsed(t, call(t, s.pages.List, nil)), "#quest-"+party.Quest); !strings.Contains(got, "errand, because One word is <i>wrong") {
		t.Errorf("the list says %q", got)
	}
	if got := words(parsed(t, call(t, s.pages.Inbox, nil)), "main"); !strings.Contains(got, said) {
		t.Errorf("what needs the user: %q", got)
	}
	at := []string{"quest", party.Quest, "gate", "requirements"}
	gate := parsed(t, call(t, s.pages.Gate, nil, at...))
	got := words(gate, "main")
	for _, want := range []string{said, "It is in README.md, line 3.", "Start", "Make it full"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q at the gate: %q", want, got)
		}
	}
	if strings.Contains(got, "Nothing is written yet") || gate.Find("main h2").First().Text() != "Errand" {
		t.Errorf("the gate: %q", got)
	}
	w := call(t, s.pages.ApproveGate, sent(gate, "form[action$='/approve']"), at...)
	if q := s.quest(t, party); w.Code != http.StatusSeeOther || q.Phase != orchestration.PhaseSteps || q.Step(orchestration.StepErrand) == nil {
		t.Errorf("%d: started in %s", w.Code, q.Phase)
	}
	for _, line := range []string{orchestration.StepPlan, orchestration.StepReview} {
		page := words(parsed(t, call(t, s.pages.Step, nil, "quest", party.Quest, "step", line)), "#step-head")
		if line == orchestration.StepPlan && !strings.Contains(page, "Not needed") || strings.Contains(page, "Done") {
			t.Errorf("%s says %q", line, page)
		}
	}
}

// Make it full leads back to ChaosWhisperer. A press on a gate that has changed does not.
func TestTheGateOfAnErrand_canMakeItFull(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Sized(s.engine, "Mend typo", "one word is wrong")
	gate := parsed(t, call(t, s.pages.Gate, nil, "quest", party.Quest, "gate", "requirements"))
	form := sent(gate, "#make-full")
	if w := call(t, s.pages.ChooseSize, form, "quest", party.Quest); w.Code != http.StatusSeeOther {
		t.Fatalf("%d", w.Code)
	}
	q := s.quest(t, party)
	if q.Size != orchestration.SizeFull || q.Phase != orchestration.PhaseRequirements || q.GateRequirements != orchestration.GatePending {
		t.Errorf("%s in %s, gate %s", q.Size, q.Phase, q.GateRequirements)
	}
	w := call(t, s.pages.ApproveGate, sent(gate, "form[action$='/approve']"), "quest", party.Quest, "gate", "requirements")
	if s.quest(t, party).Size != orchestration.SizeFull || w.Code != http.StatusConflict {
		t.Errorf("the old gate started it: %d", w.Code)
	}
	history := words(s.historyPage(t, party.Quest, "/"), "main")
	for _, want := range []string{"Size: errand, because: one word is wrong", "The size waits for your approval", "Size: full"} {
		if !strings.Contains(history, want) {
			t.Errorf("no %q in %q", want, history)
		}
	}
}

// What "Make it full" would change goes by the siege that the user chose.
func TestTheGateOfAQuickQuestSaysWhatFullChanges(t *testing.T) {
	t.Parallel()
	for siege, want := range map[orchestration.Siege]string{
		"":                     "Then each step gets a siege of its own, unless its risk is low.",
		orchestration.SiegeEnd: "Which steps get a siege stays as you chose it.",
	} {
		s := newSite()
		q, err := s.engine.Create(t.Context(), orchestration.NewQuest{Request: "Greet", Repo: "/repo", Agent: "claude", Workspace: orchestration.WorkspaceShared, ApproveReqs: true,
			Size: orchestration.SizeAuto, Siege: siege})
		if err != nil {
			t.Fatal(err)
		}
		party := &handlerstest.Party{Engine: s.engine, Quest: q.ID}
		run := party.Start(orchestration.StepRequirements)
		for _, input := range []orchestration.InputKind{
			orchestration.SizeSet{Run: run, Size: orchestration.SizeQuick, Reason: "one feature"},
			orchestration.RequirementsSet{Run: run, Requirements: []orchestration.Requirement{{ID: "greet", Context: "a visitor",
				Observables: []orchestration.Observable{{ID: "hello", Text: "it says hello"}}}}},
		} {
			if _, err := s.engine.Submit(t.Context(), q.ID, "chaoswhisperer", input); err != nil {
				t.Fatal(err)
			}
		}
		party.Signal(orchestration.StepRequirements, orchestration.Signal{Kind: orchestration.Complete, Summary: "written"})
		gate := parsed(t, call(t, s.pages.Gate, nil, "quest", q.ID, "gate", "requirements"))
		if got := words(gate, "#make-full"); !strings.Contains(got, want) {
			t.Errorf("siege %q: %q", siege, got)
		}
	}
}

// The settings offer the sizes that the quest may still have, and its siege.
func TestSettings_offerOtherSizesAndTheSiege(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Begin(s.engine, "Rates")
	settings := func() *goquery.Document {
		return parsed(t, call(t, s.pages.QuestSettings, nil, "quest", party.Quest))
	}
	page := settings()
	if got := words(page, "#quest-size-form legend"); got != "It is full. Make it" || page.Find("#size-Full").Length() != 0 || page.Find("#size-Errand").Length() != 1 {
		t.Errorf("%q: %q", got, words(page, "#quest-size-form"))
	}
	w := call(t, s.pages.ChooseSize, with(sent(page, "#quest-size-form"), "size", ""), "quest", party.Quest)
	if got := words(parsed(t, w), "#size-error"); w.Code != http.StatusUnprocessableEntity || got != "Choose a size." {
		t.Errorf("%d %q", w.Code, got)
	}
	call(t, s.pages.EditQuest, with(sent(settings(), "#quest-settings"), "siege", "risky"), "quest", party.Quest)
	if q := s.quest(t, party); q.Siege != orchestration.SiegeRisky {
		t.Errorf("the siege is %q", q.Siege)
	}
	if w := call(t, s.pages.ChooseSize, with(sent(settings(), "#quest-size-form"), "size", "errand"), "quest", party.Quest); w.Code != http.StatusSeeOther {
		t.Errorf("%d", w.Code)
	}
	if q := s.quest(t, party); q.Size != orchestration.SizeErrand {
		t.Errorf("it is %s", q.Size)
	}
	page = settings()
	if page.Find("#siege").Length() != 0 {
		t.Error("an errand has a siege to choose")
	}
	call(t, s.pages.EditQuest, with(sent(page, "#quest-settings"), "title", "Other rates"), "quest", party.Quest)
	if q := s.quest(t, party); q.Siege != orchestration.SiegeRisky || q.Title != "Other rates" {
		t.Errorf("after an edit the siege is %q, the title %q", q.Siege, q.Title)
	}
}

// A complete errand says that nobody reviewed it, and offers a review until it is
// delivered. The list of quests, which has no steps, offers none.
func TestACompleteErrandCanBeReviewed(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Errand(s.engine)
	party.FinishErrand()
	board := func() *goquery.Document { return parsed(t, call(t, s.pages.Board, nil, "quest", party.Quest)) }
	page := board()
	if got := words(page, "#alerts"); !strings.Contains(got, "ot reviewed: errand") || page.Find("#alerts form[action$='/review']").Length() != 1 {
		t.Errorf("the board says %q", got)
	}
	if files := s.quest(t, party).Step(orchestration.StepErrand).Undeclared(); len(files) > 0 {
		t.Error("files are outside a plan that there is not")
	}
	if got := words(page, "#quest-head"); !strings.Contains(got, "Complete, not reviewed") {
		t.Errorf("its badge: %q", got)
	}
	if got := words(parsed(t, call(t, s.pages.List, nil)), "#quest-"+party.Quest); !strings.Contains(got, "Complete, not reviewed") {
		t.Errorf("the list says %q", got)
	}
	if w := call(t, s.pages.ReviewQuest, url.Values{}, "quest", party.Quest); w.Code != http.StatusSeeOther || s.quest(t, party).Phase != orchestration.PhaseReview {
		t.Errorf("%d in %s", w.Code, s.quest(t, party).Phase)
	}
	other := handlerstest.Errand(s.engine)
	other.FinishErrand()
	s.submit(t, other, orchestration.QuestDelivered{How: "merge", Branch: "main", Commit: "c0ffee"})
	if page := parsed(t, call(t, s.pages.Board, nil, "quest", other.Quest)); page.Find("form[action$='/review']").Length() != 0 {
		t.Error("a delivered errand can be reviewed")
	}
	if slices.Contains(s.quest(t, other).Controls(now(), nil), orchestration.ControlReview) {
		t.Error("a delivered errand has the control")
	}
}

// A follow-up has the size that is chosen for it.
func TestSize_ofAFollowUp_isChosenInItsForm(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Errand(s.engine)
	party.FinishErrand()
	page := parsed(t, call(t, s.pages.FollowUpPage, nil, "quest", party.Quest))
	if chosenSize(page) != "Auto" {
		t.Errorf("%q is chosen", chosenSize(page))
	}
	form := with(with(sent(page, "#follow-up"), "request", "More"), "size", "huge")
	w := call(t, s.pages.BeginFollowUp, form, "quest", party.Quest)
	if got := parsed(t, w); w.Code != http.StatusUnprocessableEntity || words(got, "#size-error") == "" || !strings.Contains(words(got, "#request"), "More") {
		t.Errorf("%d %q", w.Code, words(got, "#follow-up"))
	}
	w = call(t, s.pages.BeginFollowUp, with(form, "size", "quick"), "quest", party.Quest)
	id := strings.TrimPrefix(w.Header().Get("Location"), "/quests/")
	if q := s.quest(t, &handlerstest.Party{Quest: id}); q.Size != orchestration.SizeQuick {
		t.Errorf("it is %s", q.Size)
	}
}
