package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// typing requests the part of the form that depends on the repository, as htmx does.
func (s *site) typing(t *testing.T, values url.Values) *goquery.Document {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/quests/new/repository?"+values.Encode(), nil)
	r.Header.Set("HX-Request-Type", "partial")
	w := httptest.NewRecorder()
	if err := s.pages.RepositoryChoices(echo.New().NewContext(r, w)); err != nil {
		t.Fatal(err)
	}
	return parsed(t, w)
}

func TestTheFormTellsWhatToExpectOfARepository(t *testing.T) {
	t.Parallel()
	s := newSite()
	for repo, want := range map[string][]string{
		"":      {"Leave empty for what is checked out."},
		"here":  {"Leave empty for what is checked out."},
		"/repo": {"Leave empty for main, which is checked out."},
		"/odd": {"3 uncommitted files will not be included.", "detached HEAD",
			"Worktrees do not include its submodules", "It uses Git LFS."},
		"/empty":   {"/empty has no commit yet: make a first one"},
		"/nowhere": {"There is no folder /nowhere."},
	} {
		page := s.typing(t, url.Values{"repo": {repo}})
		for _, says := range want {
			if got := words(page, "#repository-choices, #repository-options"); !strings.Contains(got, says) {
				t.Errorf("%s: %q does not say %q", repo, got, says)
			}
		}
	}
	for repo, checked := range map[string]string{"/repo": "#workspace-worktree[value=worktree]", "/empty": "#workspace-shared", "": "#workspace-worktree[value='']"} {
		if s.typing(t, url.Values{"repo": {repo}}).Find(checked+"[checked]").Length() != 1 {
			t.Errorf("%q: %s is not chosen", repo, checked)
		}
	}
	if s.typing(t, url.Values{"repo": {"/empty"}}).Find("#workspace-worktree[disabled]").Length() != 1 {
		t.Error("worktrees can be chosen where there can be none")
	}
}

// Without scripts a button reads the repository. It creates nothing.
func TestLookingAtARepositoryCreatesNothing(t *testing.T) {
	t.Parallel()
	s := newSite()
	w := call(t, s.pages.LookAtRepository, url.Values{"request": {"Say hello"}, "repo": {"/odd"}, "slots": {"x"}})
	page := parsed(t, w)
	if w.Code != http.StatusOK || page.Find("#request").Text() != "Say hello" || !strings.Contains(words(page, "#repository-choices"), "3 uncommitted files") {
		t.Errorf("%d: %q", w.Code, words(page, "#new-quest"))
	}
	if quests, _ := s.engine.Quests(t.Context()); len(quests) != 0 {
		t.Error("a quest was begun")
	}
	if page.Find("button.without-scripts[formaction='/quests/new']").Length() != 1 || page.Find("#new-quest button").First().Text() != "Start the quest" {
		t.Error("no button looks, or Enter would only look")
	}
}

func TestWhatWorktreesNeedIsSavedWithTheQuest(t *testing.T) {
	t.Parallel()
	s := newSite()
	create := func(values url.Values) int {
		values.Set("request", "Say hello")
		return call(t, s.pages.CreateQuest, values).Code
	}
	create(url.Values{"repo": {"/repo"}, "setup": {"npm ci"}, "links": {"node_modules"}})
	if got := s.now(t).Repo("/repo"); got.Setup != "npm ci" || len(got.Links) != 1 {
		t.Fatalf("saved: %+v", got)
	}
	page := s.typing(t, url.Values{"repo": {"/repo"}})
	if setup, _ := page.Find("#setup").Attr("value"); setup != "npm ci" || page.Find("#worktree-setup[open]").Length() != 1 {
		t.Errorf("not filled in: %q", setup)
	}
	// Fields that were never shown filled in do not change what is stored.
	create(url.Values{"repo": {"/repo"}})
	if s.now(t).Repo("/repo").Setup != "npm ci" {
		t.Error("a form without scripts wiped the settings")
	}
	page = s.typing(t, url.Values{"repo": {"/odd"}, "setup-of": {"/repo"}, "setup": {"npm ci"}})
	if setup, _ := page.Find("#setup").Attr("value"); setup != "" {
		t.Errorf("another repository gets %q", setup)
	}
	page = s.typing(t, url.Values{"repo": {"/repo"}, "setup": {"typed before the path"}})
	if setup, _ := page.Find("#setup").Attr("value"); setup != "typed before the path" {
		t.Errorf("what was typed became %q", setup)
	}
	create(url.Values{"repo": {"/repo"}, "setup-of": {"/repo"}, "workspace": {"shared"}, "setup": {"make"}})
	if s.now(t).Repo("/repo").Setup != "npm ci" {
		t.Error("a quest without worktrees changed what they need")
	}
	create(url.Values{"repo": {"/repo"}, "setup-of": {"/repo"}})
	if len(s.now(t).Repos) != 0 {
		t.Errorf("it cannot be taken away: %+v", s.now(t).Repos)
	}
}

func TestTheWorkspaceAndBaseOfANewQuest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		form    url.Values
		want    orchestration.WorkspaceMode
		base    string
		refused string
	}{
		"untouched":             {url.Values{"repo": {"/repo"}, "workspace": {""}}, "worktree", "main", ""},
		"without a commit":      {url.Values{"repo": {"/empty"}, "workspace": {""}}, "shared", "main", ""},
		"shared":                {url.Values{"repo": {"/repo"}, "workspace": {"shared"}}, "shared", "main", ""},
		"a base":                {url.Values{"repo": {"/repo"}, "base": {" release "}}, "worktree", "release", ""},
		"worktrees that cannot": {url.Values{"repo": {"/empty"}, "workspace": {"worktree"}}, "", "", "workspace"},
		"no such base":          {url.Values{"repo": {"/repo"}, "base": {"nowhere"}}, "", "", "base"},
		"a path that leaves":    {url.Values{"repo": {"/repo"}, "copies": {"../secrets"}}, "", "", "copies"},
		"no such folder":        {url.Values{"repo": {"/nowhere"}}, "", "", "repo"},
	} {
		s := newSite()
		c.form.Set("request", "Say hello")
		w := call(t, s.pages.CreateQuest, c.form)
		if c.refused != "" {
			page := parsed(t, w)
			if w.Code != http.StatusUnprocessableEntity || words(page, "#"+c.refused+"-error") == "" {
				t.Errorf("%s: %d, no fault at %s", name, w.Code, c.refused)
			}
			if kept, _ := page.Find("#base").Attr("value"); kept != c.form.Get("base") {
				t.Errorf("%s: the base became %q", name, kept)
			}
			continue
		}
		q := s.quest(t, &handlerstest.Party{Quest: "quest1"})
		if q.Workspace != c.want || q.Branch != c.base {
			t.Errorf("%s: %s from %q", name, q.Workspace, q.Branch)
		}
	}
}

// The content of a repository suggests check commands. The best one is filled in, and the
// user sees it before it runs.
func TestAWardIsSuggestedByWhatTheRepositoryHolds(t *testing.T) {
	t.Parallel()
	s := newSite()
	page := parsed(t, call(t, s.pages.LookAtRepository, url.Values{"repo": {"/repo"}}))
	if got, _ := page.Find("#ward-suggestions option").First().Attr("value"); got != "make check" || page.Find(`#ward[list="ward-suggestions"][value="make check"]`).Length() != 1 ||
		!strings.Contains(words(page, "#ward-hint"), "Found in this repository: make check.") {
		t.Errorf("offered: %q", words(page, "#repository-choices"))
	}
	page = parsed(t, call(t, s.pages.LookAtRepository, url.Values{"repo": {"/nowhere"}}))
	if page.Find("#ward-suggestions").Length() != 1 || page.Find("#ward-suggestions option").Length() != 0 {
		t.Error("a folder that is not there has suggestions")
	}
}

// The check of the last quest in a repository is filled in before the one that is found
// there. A check of the repository's own file was typed by nobody.
func TestTheCheckThatWasTypedLastIsOfferedAgain(t *testing.T) {
	t.Parallel()
	s := newSite()
	order := func(repo, ward string) orchestration.NewQuest {
		return orchestration.NewQuest{Request: "x", Repo: repo, Ward: ward, Agent: "claude", Workspace: orchestration.WorkspaceShared}
	}
	ofFile := order("/repo", "make all")
	ofFile.File = &orchestration.RepoFile{Check: "make all"}
	at := now()
	s.engine.Now = func() time.Time { return at }
	for _, n := range []orchestration.NewQuest{order("/repo", "go test ./old"), order("/repo", "go test ./..."), order("/elsewhere", "npm test"), order("/repo", ""), ofFile} {
		at = at.Add(time.Minute)
		if _, err := s.engine.Create(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	look := func(typed url.Values) *goquery.Document { return parsed(t, call(t, s.pages.LookAtRepository, typed)) }
	choices := look(url.Values{"repo": {"/repo"}})
	if got := choices.Find("#ward").AttrOr("value", ""); got != "go test ./..." || !strings.HasPrefix(words(choices, "#ward-hint"), "As in the last quest of this repository: go test ./....") {
		t.Errorf("filled in is %q: %q", got, words(choices, "#ward-hint"))
	}
	var offered []string
	for _, o := range choices.Find("#ward-suggestions option").EachIter() {
		offered = append(offered, o.AttrOr("value", ""))
	}
	if len(offered) < 2 || offered[0] != "go test ./..." || offered[1] != "make check" {
		t.Errorf("offered are %q", offered)
	}
	if got := look(url.Values{"repo": {"/repo"}, "ward": {""}, "check-of": {"/repo"}, "detected": {"go test ./..."}}).Find("#ward").AttrOr("value", ""); got != "" {
		t.Errorf("a field that was emptied has %q", got)
	}
}

func TestTheFormOffersFoldersAndTheRepositoriesOfQuests(t *testing.T) {
	t.Parallel()
	s := newSite()
	handlerstest.Begin(s.engine, "One")
	handlerstest.Begin(s.engine, "Two of the same")
	var offered []string
	for _, o := range s.typing(t, url.Values{"repo": {"/r"}}).Find("#repositories option").EachIter() {
		offered = append(offered, o.AttrOr("value", ""))
	}
	if strings.Join(offered, ", ") != "/repo, /root <b>" {
		t.Errorf("while typing: %q", offered)
	}
	if got := parsed(t, call(t, s.pages.NewQuest, nil)).Find("#repositories option").AttrOr("value", ""); got != "/repo" {
		t.Errorf("at first: %q", got)
	}
}

// A path that begins at the home directory begins a quest like the whole path.
func TestAQuestBeginsInARepositoryBelowTheHomeDirectory(t *testing.T) {
	t.Parallel()
	s := newSite()
	w := call(t, s.pages.CreateQuest, url.Values{"request": {"Say hello"}, "repo": {"~/code"}})
	if page := parsed(t, w); !strings.Contains(words(page, "#repo-error"), "/home/hero/code") {
		t.Errorf("%d: it is not looked for in the home directory: %q", w.Code, words(page, "#repo-error"))
	}
}

// A check that was filled in for one repository begins no quest in another one.
func TestACheckThatWasFoundElsewhereBeginsNoQuest(t *testing.T) {
	t.Parallel()
	s := newSite()
	form := url.Values{"request": {"Say hello"}, "repo": {"/repo"}, "ward": {"npm test"}, "detected": {"npm test"}, "check-of": {"/elsewhere"}}
	w := call(t, s.pages.CreateQuest, form)
	page := parsed(t, w)
	if ward, _ := page.Find("#ward").Attr("value"); w.Code != http.StatusConflict || ward != "make check" || page.Find("#request").Text() != "Say hello" {
		t.Errorf("%d, the check is %q", w.Code, ward)
	}
	form.Set("check-of", "/repo")
	if w := call(t, s.pages.CreateQuest, form); w.Code != http.StatusSeeOther {
		t.Errorf("the same check, found here: %d", w.Code)
	}
}
