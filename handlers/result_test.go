package handlers_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

func (s *site) result(t *testing.T, quest string) *goquery.Document {
	t.Helper()
	return parsed(t, call(t, s.pages.Delivery, nil, "quest", quest))
}

// Each sentence of a result is true of its own quest.
func TestAResultSaysWhatCameOfThisQuest(t *testing.T) {
	t.Parallel()
	s := newSite()
	unchecked := handlerstest.Finished(s.engine, "Say hello", "main").Quest
	delivered := handlerstest.Finished(s.engine, "Say more", "main")
	s.submit(t, delivered, orchestration.QuestDelivered{How: "merge", Branch: "main", Commit: "8d1f0c3b5a7e"})
	merged := delivered.Quest
	errand := handlerstest.Errand(s.engine)
	errand.FinishErrand()
	for what, c := range map[string]struct {
		quest, class string
		says         map[string]string
	}{
		"a skipped step": {skipped(t, s).Quest, "warn", map[string]string{
			"#outcome":        "1 of 2 steps done, 1 skipped: Login form",
			"#did-store":      "Keep sessions ✓ Done Codeweaver: written",
			"#did-form":       "Login form » Skipped Skipped by you: by hand.",
			"#result-check":   "The check passed on each step that is done and on the complete work. It took",
			"#result-review":  "The complete work was reviewed. Lawbringer: all is there",
			"#result-missing": "What is missing Skipped Login form: skipped by you: by hand Not covered",
			"#try":            "cd '/repo' && git status Copy Then run the check there: make test",
		}},
		"no check": {unchecked, "warn", map[string]string{
			"#did-store": "Keep sessions in the store ! Done, not checked commit c0ffee on quest/" + unchecked, "#result-check": "Check No check ran on the result.",
			"#result-missing": "Done, but the check did not pass Keep sessions in the store: not checked", "#result-figures": "$0.93 in 3 agent runs",
		}},
		"an errand": {errand.Quest, "good", map[string]string{
			"#outcome": "1 of 1 step done. The check passed", "#result-check": "The check passed. It took", "#result-review": "Not reviewed: errand.", "#did-errand": "Codeweaver: greeted",
		}},
		"a merged one": {merged, "warn", map[string]string{
			"#outcome": "Merged into main. Merged with a merge commit Branch main Commit 8d1f0c3b5a7e", "#try": "git switch quest/" + merged,
		}},
	} {
		page := s.result(t, c.quest)
		if page.Find("#outcome.state-"+c.class).Length() != 1 {
			t.Errorf("%s: its verdict is not %s", what, c.class)
		}
		for at, want := range c.says {
			if got := words(page, at); !strings.Contains(got, want) {
				t.Errorf("%s: %s says %q, not %q", what, at, got, want)
			}
		}
		if open := words(page, "#result-missing"); strings.Contains(open, "Still open") {
			t.Errorf("%s: %q", what, open)
		}
	}
	if page := s.result(t, errand.Quest); words(page, "#result-missing") != "What was left out Done without a siege Greet: no siege: errand" || page.Find("#result-missing.state-warn").Length() != 0 {
		t.Errorf("missing from a green errand: %q", words(page, "#result-missing"))
	}
}

// The page of a quest that goes on says what is there so far and what is open, and offers
// nothing that only a complete one has.
func TestTheResultOfAnOpenQuestPromisesNothing(t *testing.T) {
	t.Parallel()
	s := newSite()
	busy := s.result(t, handlerstest.Busy(s.engine).Quest)
	if got := words(busy, "#outcome.state-idle"); !strings.HasPrefix(got, "The quest is not complete yet: 1 question waits for you; 1 blocked step waits for your decision.") {
		t.Errorf("%q", got)
	}
	if got := words(busy, "#result-steps"); !strings.HasPrefix(got, "What was done so far") {
		t.Errorf("%q", got)
	}
	if got := words(busy, "#result-missing"); !strings.Contains(got, "Still open") || !strings.Contains(got, "Login form: Running") {
		t.Errorf("open: %q", got)
	}
	young := s.result(t, handlerstest.OnBase(s.engine).Quest)
	for what, page := range map[string]*goquery.Document{"busy": busy, "young": young} {
		if n := page.Find("#deliver, [data-merge], form[action$='/push'], #follow-up").Length(); n != 0 {
			t.Errorf("%s: %d ways to end it", what, n)
		}
		if page.Find("#duplicate").Length() != 1 {
			t.Errorf("%s cannot be duplicated", what)
		}
	}
	for what, c := range map[string][2]string{
		"young, check": {words(young, "#result-check"), "Check No step is done yet, so there is nothing to check."},
		"young, steps": {words(young, "#result-steps"), "What was done so far No step is done yet."},
		"busy, check":  {words(busy, "#result-check"), "The complete work is not checked yet."},
	} {
		if !strings.Contains(c[0], c[1]) {
			t.Errorf("%s: %q", what, c[0])
		}
	}
	if young.Find("#try").Length() != 0 {
		t.Error("there are commands for a branch that is not there")
	}
}

// An abandoned quest promises no result.
func TestTheResultOfAnAbandonedQuestExpectsNothingMore(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.OnBase(s.engine)
	s.submit(t, p, orchestration.AbandonPressed{})
	page := s.result(t, p.Quest)
	if got := words(page, "#result-steps"); got != "What was done No step was done." {
		t.Errorf("%q", got)
	}
	if got := words(page, "#result-check"); !strings.HasPrefix(got, "Check No step was done, so there was nothing to check.") {
		t.Errorf("%q", got)
	}
}

// Who did a step by hand, and what that leaves out, stands with the step.
func TestAResultNamesWhatAPersonDidByHand(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.OnBase(s.engine)
	run := p.Start(orchestration.StepBaseline)
	p.Exit(run, orchestration.EndWardPassed, orchestration.Exit{})
	for _, input := range []orchestration.InputKind{orchestration.TakeOverPressed{Step: "store"}, orchestration.MarkDonePressed{Step: "store"}} {
		s.submit(t, p, input)
	}
	p.Ward("store", orchestration.EndWardPassed, "passed")
	s.submit(t, p, orchestration.MergeEnded{Step: "store", Outcome: orchestration.MergeMerged, Commit: "c0ffee"})
	page := s.result(t, p.Quest)
	if got := words(page, "#did-store"); !strings.Contains(got, "A person changed it by hand.") {
		t.Errorf("%q", got)
	}
}

// The page does not wait for git: it asks afterwards, and says unknown if nobody knows.
func TestHowMuchChangedIsCountedAfterThePageIsShown(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Finished(s.engine, "Say hello", "main")
	if href, _ := s.result(t, p.Quest).Find("#changed a[hx-trigger^=load]").Attr("href"); href != "/quests/"+p.Quest+"/delivery/changed" {
		t.Errorf("the link leads to %q", href)
	}
	count := func() string {
		return words(parsed(t, call(t, s.pages.QuestChanged, nil, "quest", p.Quest)), "#changed")
	}
	for want, is := range map[string]record.Extent{
		"No file changed.": {}, "1 file changed, +3 −1 lines.": {Files: 1, Added: 3, Removed: 1},
		"More than 9 files changed, at least +1 −0 lines, without the lines of 2 binary or large.": {Files: 9, Added: 1, Uncounted: 2, More: true},
	} {
		s.trees.Measured = is
		if got := count(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	s.trees.MeasureErr = fmt.Errorf("git: %w", context.DeadlineExceeded)
	if got := count(); got != "Unknown: counting took too long." {
		t.Errorf("%q", got)
	}
	s.trees.MeasureErr = conflict("the repository <b> is not there")
	if got := count(); got != "Unknown: the repository <b> is not there." {
		t.Errorf("%q", got)
	}
}

// A command that is copied does what the page shows, whatever the repository is called.
func TestCommandsToTryTheResultAreQuotedForTheShell(t *testing.T) {
	t.Parallel()
	s := newSite()
	try := func(repo string) *goquery.Document {
		q, err := s.engine.Create(t.Context(), orchestration.NewQuest{Title: "Odd", Request: "x", Repo: repo, Ward: "make test", Agent: "claude", Size: orchestration.SizeErrand,
			Workspace: orchestration.WorkspaceWorktree, Branch: "main"})
		if err != nil {
			t.Fatal(err)
		}
		(&handlerstest.Party{Engine: s.engine, Quest: q.ID}).FinishErrand()
		return s.result(t, q.ID)
	}
	for _, repo := range []string{"/tmp/it's; touch pwned", "/tmp/$(touch pwned) `id`", `/tmp/a"b\ && echo`, "/tmp/-rf *"} {
		page := try(repo)
		page.Find("#try button[data-copy]").Each(func(i int, b *goquery.Selection) {
			command := b.AttrOr("data-copy", "")
			if shown := page.Find("#try code").Eq(i).Text(); shown != command {
				t.Errorf("%q is shown, %q is copied", shown, command)
			}
			if i > 1 {
				return
			}
			out, err := exec.Command("sh", "-c", `cd() { printf '<%s>\n' "$@"; }; git() { printf '<%s>\n' "$@"; }; `+command).Output()
			if err != nil || !strings.Contains(string(out), "<"+repo+">\n") || strings.Count(string(out), "\n") > 9 {
				t.Errorf("%q: a shell understands %q, %v", command, out, err)
			}
		})
	}
	for _, repo := range []string{"/tmp/a\nb", "/tmp/a\tb", "/tmp/a\u202eb", "/tmp/a\x1bb"} {
		if page := try(repo); page.Find("#try button").Length() != 0 || !strings.Contains(words(page, "#try"), "cannot be copied safely") {
			t.Errorf("%q: %q", repo, words(page, "#try"))
		}
	}
}

// A duplicate is the form with what was asked, and nothing is stored until it is sent.
func TestADuplicateIsAFilledFormAndBeginsNothing(t *testing.T) {
	t.Parallel()
	s := newSite()
	q, err := s.engine.Create(t.Context(), orchestration.NewQuest{Title: "Greet", Request: "Say <b>hello</b>.\nTwice.", Repo: "/repo", Ward: "make test", Agent: "claude", Size: orchestration.SizeErrand,
		Workspace: orchestration.WorkspaceWorktree, Branch: "release", Slots: 2, BudgetUSD: 1.5, Priority: orchestration.PriorityHigh})
	if err != nil {
		t.Fatal(err)
	}
	before := len(s.engine.Active())
	page := parsed(t, get(t, s.pages.NewQuest, "/quests/new?from="+q.ID))
	form := asSent(page, "#new-quest")
	for name, want := range map[string]string{"request": q.Request, "title": "Greet", "repo": "/repo", "ward": "make test", "size": "errand", "base": "release", "slots": "2", "budget": "1.5", "priority": "high", "agent": "claude"} {
		if got := strings.ReplaceAll(form.Get(name), "\r\n", "\n"); got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
	if form.Has("draft") || form["approve"] != nil || len(s.engine.Active()) != before {
		t.Errorf("draft %q, approvals %q, %d quests", form.Get("draft"), form["approve"], len(s.engine.Active()))
	}
	w := call(t, s.pages.CreateQuest, form)
	again, err := s.engine.Quest(t.Context(), strings.TrimPrefix(w.Header().Get("Location"), "/quests/"))
	if err != nil || again.ID == q.ID || again.Request != q.Request || again.Branch != q.Branch || again.Size != q.Size || again.Follows != "" {
		t.Errorf("started: %d, %+v, %v", w.Code, again, err)
	}
}

// The limits of its own go along with a duplicate; those that any new quest has do not show.
func TestADuplicateHasTheLimitsOfItsQuest(t *testing.T) {
	t.Parallel()
	s := newSite()
	server := orchestration.Limits{Ward: 5, Crash: 2}
	if err := s.settings.ChangeSettings(t.Context(), func(now *record.Settings) { now.Limits = server }); err != nil {
		t.Fatal(err)
	}
	create := func(l orchestration.Limits) string {
		q, err := s.engine.Create(t.Context(), orchestration.NewQuest{Request: "x", Repo: "/repo", Agent: "claude", Workspace: orchestration.WorkspaceShared, Limits: l})
		if err != nil {
			t.Fatal(err)
		}
		return q.ID
	}
	usual := parsed(t, get(t, s.pages.NewQuest, "/quests/new?from="+create(server.Or(orchestration.DefaultLimits))))
	if usual.Find("[name^=limit-]").Length() != 0 {
		t.Error("the form of a usual quest shows limits")
	}
	page := parsed(t, get(t, s.pages.NewQuest, "/quests/new?from="+create(orchestration.Limits{Ward: 3, Crash: 2, Runs: 40})))
	form := asSent(page, "#new-quest")
	if form.Get("limit-ward") != "3" || form.Get("limit-crash") != "" || form.Get("limit-runs") != "40" {
		t.Errorf("the form has %v", form)
	}
	wrong := parsed(t, call(t, s.pages.CreateQuest, with(maps.Clone(form), "limit-ward", "no")))
	if words(wrong, "#limit-ward-error") != "Enter a whole number from 1 to 1000000." || asSent(wrong, "#new-quest").Get("limit-runs") != "40" {
		t.Errorf("a wrong limit: %q", words(wrong, "#new-quest .error"))
	}
	call(t, s.pages.SaveDraft, form)
	drafts, err := s.drafts.Drafts(t.Context())
	if err != nil || len(drafts) != 1 {
		t.Fatal(drafts, err)
	}
	form = asSent(parsed(t, call(t, s.pages.Draft, nil, "draft", drafts[0].ID)), "#new-quest")
	w := call(t, s.pages.CreateQuest, form)
	q, err := s.engine.Quest(t.Context(), strings.TrimPrefix(w.Header().Get("Location"), "/quests/"))
	if want := (orchestration.Limits{Ward: 3, Runs: 40}).Or(orchestration.DefaultLimits); err != nil || q.Limits != want {
		t.Errorf("started: %d %+v %v", w.Code, q, err)
	}
}

// What an agent chose is open again, and what the first line gave as a title is no title.
func TestADuplicateTakesOnlyWhatThePersonChose(t *testing.T) {
	t.Parallel()
	s := newSite()
	sized := handlerstest.Sized(s.engine, "Greet", "one file")
	if size := asSent(parsed(t, get(t, s.pages.NewQuest, "/quests/new?from="+sized.Quest)), "#new-quest").Get("size"); size != "" {
		t.Errorf("the size is %q", size)
	}
	q, err := s.engine.Create(t.Context(), orchestration.NewQuest{Request: "Say hello.", Repo: "/repo", Agent: "claude", Workspace: orchestration.WorkspaceShared})
	if err != nil {
		t.Fatal(err)
	}
	if form := asSent(parsed(t, get(t, s.pages.NewQuest, "/quests/new?from="+q.ID)), "#new-quest"); form.Get("title") != "" || form.Get("workspace") != "shared" {
		t.Errorf("%v", form)
	}
}

// What was typed for a follow-up of a quest that is deleted meanwhile becomes a new quest.
func TestWhatWasMadeFromADeletedQuestLosesNothing(t *testing.T) {
	t.Parallel()
	s := newSite()
	w := call(t, s.pages.BeginFollowUp, url.Values{"request": {"Say <b>good bye</b>"}, "title": {"Bye"}, "size": {"quick"}, "was": {"0"}}, "quest", "gone")
	page := parsed(t, w)
	form := asSent(page, "#new-quest")
	if w.Code != http.StatusNotFound || !strings.Contains(words(page, "[role=alert]"), "was deleted, so nothing was started. Your text is below") ||
		form.Get("request") != "Say <b>good bye</b>" || form.Get("title") != "Bye" || form.Get("size") != "quick" || form.Get("repo") != "" {
		t.Errorf("%d: %v, %q", w.Code, form, words(page, "[role=alert]"))
	}
	gone := get(t, s.pages.NewQuest, "/quests/new?from=gone")
	if page := parsed(t, gone); gone.Code != http.StatusNotFound || !strings.Contains(words(page, "[role=alert]"), "The quest to duplicate was deleted.") {
		t.Errorf("%d: %q", gone.Code, words(page, "main"))
	}
}

// The palette leads to every result that waits.
func TestThePaletteOffersToMerge(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Finished(s.engine, "Say hello", "main")
	if got := parsed(t, get(t, s.pages.Palette, "/palette?q=merge")); got.Find(`main a[href="/quests/`+p.Quest+`/delivery"]`).First().Text() != "Merge: Say hello" {
		t.Errorf("%q", words(got, "main"))
	}
}
