package handlers_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// ask calls a handler with a query.
func ask(t *testing.T, handler echo.HandlerFunc, query string, params ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/?"+query, nil)
	return send(t, handler, r, params...)
}

func send(t *testing.T, handler echo.HandlerFunc, r *http.Request, params ...string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	c := echo.New().NewContext(r, w)
	var names, values []string
	for i := 0; i < len(params); i += 2 {
		names, values = append(names, params[i]), append(values, params[i+1])
	}
	c.SetParamNames(names...)
	c.SetParamValues(values...)
	if err := handler(c); err != nil {
		t.Fatal(err)
	}
	return w
}

// fileNamed returns the section of a file.
func fileNamed(t *testing.T, page *goquery.Document, name string) *goquery.Selection {
	t.Helper()
	file := page.Find(".diff-file").FilterFunction(func(_ int, s *goquery.Selection) bool { return s.Find("h2").Text() == name })
	if file.Length() != 1 {
		t.Fatalf("%d files are named %q", file.Length(), name)
	}
	return file
}

// The page shows each file with its numbers of lines, and with facts that the lines do
// not show.
func TestADiffShowsEveryKindOfFile(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	page := parsed(t, call(t, s.pages.StepDiff, nil, "quest", p.Quest, "step", "form"))
	for name, says := range map[string]string{
		"docs/notes.txt":         "docs/notes.txt −1 removed deleted",
		"internal/form.go":       "+4 added −1 removed",
		"internal/form_test.go":  "+7 added new file",
		"logo.png":               "logo.png binary: its content is not shown",
		"run.sh":                 "mode 100755, was 100644",
		"style":                  "new file symbolic link",
		"web/login.html":         "renamed from web/old.html ! not in the plan",
		"a name with spaces.txt": "new file",
	} {
		if got := textOf(fileNamed(t, page, name).Find(".file-head")); !strings.Contains(got, says) {
			t.Errorf("%s says %q, not %q", name, got, says)
		}
	}
	// The sign, the word and the line numbers of a removed and of an added line.
	rows := fileNamed(t, page, "internal/form.go").Find("tr.del, tr.add")
	if got := textOf(rows.First()); got != "5 − removed // line 3 of the form" {
		t.Errorf("the removed line is %q", got)
	}
	if got := textOf(rows.Eq(1)); got != "5 + added // line 3 of the login form" {
		t.Errorf("the added line is %q", got)
	}
	if got := textOf(fileNamed(t, page, "web/app.css").Find("tr.add")); got != "1 + added a { color: blue } ␍ 2 + added b { color: red } no newline at the end" {
		t.Errorf("line ends: %q", got)
	}
	if got := words(page, ".diff-tools p:first-child"); got != "10 files +17 added −4 removed" {
		t.Errorf("in all: %q", got)
	}
	if got := words(page, ".diff-tree .muted"); got != "internal/ web/" {
		t.Errorf("the folders of the tree are %q", got)
	}
	page.Find(".diff-tree a").Each(func(_ int, a *goquery.Selection) {
		if to, _ := a.Attr("href"); page.Find("[id='"+strings.TrimPrefix(to, "#")+"']").Length() != 1 {
			t.Errorf("the tree leads to %s, which is not there", to)
		}
	})
}

// In two columns, removed lines are next to the lines in their place. The browser
// remembers the choice.
func TestTwoColumnsAreChosenAndRemembered(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	w := ask(t, s.pages.QuestDiff, "view=split", "quest", p.Quest)
	page := parsed(t, w)
	pair := fileNamed(t, page, "web/login.html").Find("tr.pair")
	if got := textOf(pair); got != "3 − removed < p > two </ p > 3 + added < p > zwei </ p >" {
		t.Errorf("the pair is %q", got)
	}
	if got := words(page, ".view[aria-current]"); got != "Split" {
		t.Errorf("%q is shown as chosen", got)
	}
	cookie := w.Result().Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode {
		t.Errorf("the cookie is %v", cookie)
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.AddCookie(cookie)
	if again := parsed(t, send(t, s.pages.QuestDiff, r, "quest", p.Quest)); again.Find("table.split").Length() == 0 {
		t.Error("the choice was forgotten")
	}
	if plain := parsed(t, call(t, s.pages.QuestDiff, nil, "quest", p.Quest)); plain.Find("table.split").Length() != 0 {
		t.Error("two columns without a choice")
	}
}

// If there is no diff, the page says why, and what to do.
func TestAnEmptyDiffSaysWhy(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	shared := handlerstest.Busy(s.engine)
	fresh := handlerstest.Review(s.engine, handlerstest.NewDiffs()) // another quest that the fixture has no diff of
	s.diffs.Set(p.Quest, "store", "")
	for _, d := range []struct{ quest, step, says string }{
		{p.Quest, "hash", "has not started, so nothing is changed yet. Its changes are committed when its first run ends"},
		{p.Quest, "notes", "was skipped: none of its work is in the quest"},
		{p.Quest, "store", "is done, and it changed nothing"},
		{p.Quest, "plan", "is written from reading the repository"},
		{fresh.Quest, "form", "Nothing is committed yet."},
		{fresh.Quest, "", "Nothing has reached the quest's branch yet."},
		{shared.Quest, "form", "work in the repository itself"},
		{shared.Quest, "", "git -C /repo diff HEAD"},
	} {
		handler, params := s.pages.QuestDiff, []string{"quest", d.quest}
		if d.step != "" {
			handler, params = s.pages.StepDiff, append(params, "step", d.step)
		}
		w := call(t, handler, nil, params...)
		page := parsed(t, w)
		if got := words(page, "#diff-empty"); w.Code != http.StatusOK || !strings.Contains(got, d.says) {
			t.Errorf("%s %q: %d %q, not %q", d.quest, d.step, w.Code, got, d.says)
		}
		if page.Find("#diff-form, .diff-tools").Length() != 0 {
			t.Errorf("%s %q: there is something to comment on", d.quest, d.step)
		}
	}
	// Until a step is merged, the page names the steps that have changes.
	page := parsed(t, call(t, s.pages.QuestDiff, nil, "quest", fresh.Quest))
	if href, _ := page.Find("#diff-empty a").Attr("href"); href != "/quests/"+fresh.Quest+"/steps/form/diff" {
		t.Errorf("leads to %q", href)
	}
}

// If the repository is gone or git fails, the page says so in words, with a fitting
// status. Any other error is an internal one.
func TestADiffThatCannotBeReadSaysWhatToDo(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	s.diffs.Break(&orchestration.Error{Code: orchestration.CodeUnavailable, Message: "the repository /repo is not there"})
	w := call(t, s.pages.StepDiff, nil, "quest", p.Quest, "step", "form")
	page := parsed(t, w)
	if got := words(page, "#diff-empty"); w.Code != http.StatusServiceUnavailable || !strings.Contains(got, "The repository /repo is not there. Nothing of the quest is lost") {
		t.Errorf("%d %q", w.Code, got)
	}
	if page.Find("#diff-empty a").Length() != 1 {
		t.Error("there is no way on")
	}
	broken := errors.New("disk full")
	s.diffs.Break(broken)
	c := echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder())
	c.SetParamNames("quest")
	c.SetParamValues(p.Quest)
	if err := s.pages.QuestDiff(c); !errors.Is(err, broken) {
		t.Errorf("the error became %v", err)
	}
}

// Files that the plan does not list are marked on the page, on the card and in the panel.
func TestFilesOutsideThePlanAreMarkedEverywhere(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	page := parsed(t, call(t, s.pages.StepDiff, nil, "quest", p.Quest, "step", "form"))
	for name, outside := range map[string]int{"internal/form.go": 0, "web/app.css": 1, "web/login.html": 1, "run.sh": 0} {
		if got := fileNamed(t, page, name).Find(".chip.warn").Length(); got != outside {
			t.Errorf("%s: %d marks", name, got)
		}
	}
	if got := words(page, ".diff-tree .chip.warn"); got != "! not in the plan ! not in the plan" {
		t.Errorf("the tree marks %q", got)
	}
	panel := parsed(t, call(t, s.pages.Step, nil, "quest", p.Quest, "step", "form"))
	chip := panel.Find("#card-form .chip.warn")
	if title, _ := chip.Attr("title"); chip.Text() != "2 files outside its plan" || title != "web/app.css\nweb/login.html" {
		t.Errorf("the card says %q, %q", chip.Text(), title)
	}
	if got := words(panel, "#card-store .chips"); got != "1 file outside its plan" {
		t.Errorf("the card of what is done says %q", got)
	}
	if got := words(panel, "#step-outside li"); got != "web/app.css web/login.html" {
		t.Errorf("the panel lists %q", got)
	}
	if got := words(panel, "#step-tabs"); got != "Output Timeline Signals 1 Sessions 3 Cost Prompt Diff 3 Raw" {
		t.Errorf("the tabs are %q", got)
	}
	for selector, to := range map[string]string{"#step-tab-Diff": "/steps/form/diff", "#quest-changes": "/quests/" + p.Quest + "/diff"} {
		if href, _ := panel.Find(selector).Attr("href"); !strings.HasSuffix(href, to) {
			t.Errorf("%s leads to %q", selector, href)
		}
	}
}

// A diff that was cut says so, and says where the rest is.
func TestACutDiffSaysSo(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	s.diffs.Cut()
	s.diffs.Set(p.Quest, "form", handlerstest.Patch[:len(handlerstest.Patch)-40])
	page := parsed(t, call(t, s.pages.StepDiff, nil, "quest", p.Quest, "step", "form"))
	if got := words(page, ".alert"); !strings.Contains(got, "larger than 16 MiB") || !strings.Contains(got, "quest-steps/"+p.Quest+"/form") {
		t.Errorf("it says %q", got)
	}
	last := page.Find(".diff-file").Last()
	if got := textOf(last); !strings.Contains(got, "shown as plain text") || !strings.Contains(got, "-<p>two</p>") {
		t.Errorf("the file that was cut says %q", got)
	}
	if page.Find(".diff-file table").Length() < 5 {
		t.Error("the other files are not laid out")
	}
}

// status returns the status of the answer, or of Echo's error.
func status(t *testing.T, handler echo.HandlerFunc, r *http.Request, params ...string) int {
	t.Helper()
	w := httptest.NewRecorder()
	c := echo.New().NewContext(r, w)
	c.SetParamNames(params[0], params[2])
	c.SetParamValues(params[1], params[3])
	var refused *echo.HTTPError
	if err := handler(c); errors.As(err, &refused) {
		return refused.Code
	} else if err != nil {
		t.Fatal(err)
	}
	return w.Code
}

// The whole quest's diff names the steps that changed a file. A step that is not merged
// changed nothing there.
func TestAFileOfTheQuestNamesTheStepsThatChangedIt(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs) // "store" is merged, "form" is not
	patch := added("internal/store.go", "x") + added("internal/form.go", "x")
	s.diffs.Set(p.Quest, "", patch)
	page := parsed(t, ask(t, s.pages.QuestDiff, "", "quest", p.Quest))
	link := fileNamed(t, page, "internal/store.go").Find(".file-head span a")
	if to, _ := link.Attr("href"); textOf(link) != "Keep sessions in the store" || to != "/quests/"+p.Quest+"/steps/store/diff" {
		t.Errorf("the file is by %q, %q", textOf(link), to)
	}
	if link := fileNamed(t, page, "internal/form.go").Find(".file-head span a"); link.Length() != 0 {
		t.Errorf("a file of no merged step is by %q", textOf(link))
	}
	s.diffs.Set(p.Quest, "store", patch)
	if page := parsed(t, ask(t, s.pages.StepDiff, "", "quest", p.Quest, "step", "store")); page.Find(".file-head span a").Length() != 0 {
		t.Error("the step's own diff names steps")
	}
}
