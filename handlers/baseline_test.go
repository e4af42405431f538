package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

func TestTheBoardSaysWhatTheCheckSaidOfTheBase(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.OnBase(s.engine)
	alerts := func() string { return words(parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest)), "#alerts") }
	if got := alerts(); !strings.Contains(got, "The check runs on the base before the first step") {
		t.Errorf("pending: %q", got)
	}
	p.BaseFails("FAIL TestOld <b>", "FAIL TestOlder")
	page := parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest))
	if got := words(page, "#alerts"); !strings.Contains(got, "The check already fails on the base") || !strings.Contains(got, "2 known failures FAIL TestOld <b> FAIL TestOlder") {
		t.Errorf("red: %q", got)
	}
	run := s.quest(t, p).BaselineRun
	if page.Find("#alerts a[href='/quests/"+p.Quest+"/steps/baseline?run="+run+"']").Length() != 1 || page.Find("#alerts details[open]").Length() != 0 {
		t.Error("no link to the output, or the faults are not folded")
	}
	w := call(t, s.pages.AcceptBaseline, url.Values{}, "quest", p.Quest)
	if w.Code != http.StatusSeeOther || s.quest(t, p).Baseline != orchestration.BaselineAccepted {
		t.Errorf("%d: %s", w.Code, s.quest(t, p).Baseline)
	}
	if got := alerts(); !strings.Contains(got, "Failures of the base are accepted") || strings.Contains(got, "Accept:") {
		t.Errorf("accepted: %q", got)
	}
}

func TestTheBoardSaysNothingOfACheckThatCannotRun_butItsBlock(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.OnBase(s.engine)
	p.Exit(p.Start(orchestration.StepBaseline), orchestration.EndWardBroke, orchestration.Exit{Why: "no make here"})
	got := words(parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest)), "#alerts")
	if !strings.Contains(got, "no make here") || strings.Contains(got, "The check runs on the base") {
		t.Errorf("%q", got)
	}
}

// If the check's output does not list its faults, new faults cannot be told from old
// ones. Then the rules refuse to accept the base, and no page offers it.
func TestABaseThatSaysNothingCannotBeAccepted(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.OnBase(s.engine)
	p.BaseFails()
	page := parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest))
	if got := words(page, "#alerts"); !strings.Contains(got, "cannot be told from new ones") || page.Find("#alerts form").Length() != 0 {
		t.Errorf("%q", got)
	}
}

// A person who takes over a step that waits for a slot finds its worktree on the step's
// page, as that of a step at work.
func TestAStepThatIsTakenOverBeforeItsFirstRunLeadsToItsWorktree(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.OnBase(s.engine)
	p.Ward(orchestration.StepBaseline, orchestration.EndWardPassed, "passed")
	at := []string{"quest", p.Quest, "step", "store"}
	if got := words(parsed(t, call(t, s.pages.StepSessions, nil, at...)), "#step-place"); got != "" {
		t.Errorf("before anybody has it: %q", got)
	}
	if w := call(t, s.pages.TakeOver, url.Values{}, at...); w.Code != http.StatusSeeOther {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	page := parsed(t, call(t, s.pages.StepSessions, nil, at...))
	if enter, _ := page.Find("#step-place button[data-copy^=cd]").Attr("data-copy"); enter != "cd '/data/work trees/"+p.Quest+"/store'" {
		t.Errorf("enter: %q", enter)
	}
	if page.Find("#take-over").Length() != 0 || strings.Contains(words(page, "#step-place"), "stop the run") {
		t.Errorf("no agent has worked there: %q", words(page, "#step-place"))
	}
}

// The commands that lead to a step's worktree are shown while the worktree exists.
func TestAStepLeadsToItsWorktree(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.OnBase(s.engine)
	p.Ward(orchestration.StepBaseline, orchestration.EndWardPassed, "passed")
	p.Start("store")
	step := func() string { return "/data/work trees/" + p.Quest + "/store" }
	page := parsed(t, call(t, s.pages.StepSessions, nil, "quest", p.Quest, "step", "store"))
	if page.Find("#open-editor").Length() != 0 || page.Find("#step-place a[href='/settings']").Length() != 1 {
		t.Error("without an editor the page does not lead to the settings")
	}
	if enter, _ := page.Find("#step-place button[data-copy^=cd]").Attr("data-copy"); enter != "cd '"+step()+"'" {
		t.Errorf("enter: %q", enter)
	}
	if resume := words(page, "#take-over"); resume != "claude --resume 0b7f3f0c-store" {
		t.Errorf("take over: %q", resume)
	}
	if got := words(page, "#step-place"); !strings.Contains(got, "stop the run before") {
		t.Errorf("its agent is at work: %q", got)
	}
	call(t, s.pages.SetEditor, url.Values{"editor": {"vscode://file{path}"}})
	page = parsed(t, call(t, s.pages.StepSessions, nil, "quest", p.Quest, "step", "store"))
	if link, _ := page.Find("#open-editor").Attr("href"); link != "vscode://file/data/work%20trees/"+p.Quest+"/store" {
		t.Errorf("the editor's link: %q", link)
	}
	codex := handlerstest.OnBaseBy(s.engine, "codex")
	codex.Ward(orchestration.StepBaseline, orchestration.EndWardPassed, "passed")
	codex.Start("store")
	page = parsed(t, call(t, s.pages.StepSessions, nil, "quest", codex.Quest, "step", "store"))
	if got := words(page, "body"); page.Find("#take-over").Length() != 0 || page.Find("#enter-worktree").Length() == 0 ||
		strings.Contains(got, "--resume") || !strings.Contains(got, "0b7f3f0c-store") {
		t.Errorf("claude cannot resume a session of codex: %q", got)
	}
	s.trees.Gone = []string{"store"}
	if got := words(parsed(t, call(t, s.pages.StepSessions, nil, "quest", p.Quest, "step", "store")), "#step-place"); got != "" {
		t.Errorf("without a worktree: %q", got)
	}
	busy := handlerstest.Busy(s.engine)
	if got := words(parsed(t, call(t, s.pages.StepSessions, nil, "quest", busy.Quest, "step", "form")), "#step-place"); got != "" {
		t.Errorf("in a shared tree: %q", got)
	}
}
