package handlers_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

func ownFile() service.RepoFile {
	return service.RepoFile{
		File: &orchestration.RepoFile{Commit: "0123456789abcdef", Check: "make own", Setup: "npm ci", BeforeMerge: "make <b>lint</b>",
			Slots: map[orchestration.Role]int{orchestration.Ward: 1}, Ports: 60, Limits: orchestration.Limits{Ward: 5}},
		Config: record.RepoConfig{Own: true, Files: []record.WantedFile{{Path: ".questboard/config.yaml", Sum: "1"}},
			List: []record.Want{{File: ".questboard/config.yaml", Kind: "setting for quests", Name: "config.yaml", Text: "check: make own"}}}.Sealed(),
	}
}

// The form says what the repository's own file sets, whether it counts, and where the
// person reads and trusts it.
func TestTheFormSaysWhatComesFromTheRepositorysFile(t *testing.T) {
	t.Parallel()
	s := newSite()
	if got := words(s.typing(t, url.Values{"repo": {"/repo"}}), "#own-file"); got != "" {
		t.Error("there is no file, and the form speaks of one")
	}
	file := ownFile()
	s.pages.Repos = handlerstest.Repos{Own: file}
	page := s.typing(t, url.Values{"repo": {"/repo"}, "base": {"next"}})
	if got := words(page, "#own-file"); !strings.Contains(got, "does not count, because you have not trusted it yet") || strings.Contains(got, "make own") {
		t.Errorf("untrusted: %q", got)
	}
	if href, _ := page.Find("#own-file a").Attr("href"); href != "/settings/trust?repo=%2Frepo&base=next" {
		t.Errorf("it leads to %q", href)
	}
	err := s.settings.ChangeSettings(t.Context(), func(s *record.Settings) { s.AddTrust("/repo", file.Config, time.Unix(1, 0)) })
	if err != nil {
		t.Fatal(err)
	}
	got := words(s.typing(t, url.Values{"repo": {"/repo"}, "setup": {"make deps"}, "setup-of": {"/repo"}}), "#own-file")
	for _, want := range []string{"at 0123456789", "check: make own", "setup: npm ci (the form has another value, which counts)", "beforeMerge: make <b>lint</b>",
		"limits.ward: 5", "slots.ward: 1", "ports: 60"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	changed := ownFile()
	changed.Config.Files[0].Sum = "2"
	s.pages.Repos = handlerstest.Repos{Own: service.RepoFile{File: changed.File, Config: changed.Config.Sealed()}}
	if got := words(s.typing(t, url.Values{"repo": {"/repo"}}), "#own-file"); !strings.Contains(got, "changed since you trusted it, so it does not count") {
		t.Errorf("changed: %q", got)
	}
	s.pages.Repos = handlerstest.Repos{Own: service.RepoFile{Config: record.RepoConfig{Own: true, Faults: []string{".questboard/config.yaml:3: there is no key \"x\""}}}}
	page = s.typing(t, url.Values{"repo": {"/repo"}})
	if got := words(page, "#own-file"); !strings.Contains(got, "so they do not count") || !strings.Contains(got, `config.yaml:3: there is no key "x"`) || page.Find("#own-file a").Length() != 0 {
		t.Errorf("faulty: %q", got)
	}
	noBase := &orchestration.Error{Code: orchestration.CodeInvalid, Message: "base: no", Fields: map[string]string{"base": "there is no branch or commit \"gone\""}}
	s.pages.Repos = handlerstest.Repos{OwnFault: noBase}
	if got := words(s.typing(t, url.Values{"repo": {"/repo"}, "base": {"gone"}}), "#own-file"); got != `There is no branch or commit "gone".` {
		t.Errorf("no such base: %q", got)
	}
}

// The page of trust shows the file beside what Claude Code loads, each with a decision of
// its own.
func TestTheTrustPageAsksForEachKindByItself(t *testing.T) {
	t.Parallel()
	s, file := newSite(), ownFile()
	s.pages.Repos = handlerstest.Repos{Own: file, Wanted: record.RepoConfig{Files: []record.WantedFile{{Path: ".mcp.json", Sum: "1"}}}.Sealed()}
	if w := call(t, s.pages.SetTrust, url.Values{"repo": {"/repo"}, "base": {"next"}, "hash": {file.Config.Hash}}); w.Header().Get("Location") != "/settings/trust?repo=%2Frepo&base=next&notice=trusted" {
		t.Errorf("%d, to %q", w.Code, w.Header().Get("Location"))
	}
	settings, _ := s.settings.Settings(t.Context())
	trust, _ := settings.TrustOf("/repo")
	if wanted, _ := s.pages.Repos.RepoConfig("/repo"); !trust.Covers(file.Config) || trust.Covers(wanted) {
		t.Errorf("the file is trusted: %v; what Claude Code loads: %v", trust.Covers(file.Config), trust.Covers(wanted))
	}
	page := parsed(t, call(t, s.pages.TrustPage, url.Values{"repo": {"/repo"}}))
	if got := words(page, "#content-1 h2") + "|" + words(page, "#content-2 h2"); got != "Not trusted|Trusted" {
		t.Errorf("the page says %q", got)
	}
}

// The form sends back what it showed of the file. If another file applies by then, it
// comes back with that, and with everything that was typed; sent again, it starts.
func TestAFormStartsNoQuestWithAnotherFileThanItShowed(t *testing.T) {
	t.Parallel()
	s, file := newSite(), ownFile()
	s.pages.Repos = handlerstest.Repos{Own: file}
	err := s.settings.ChangeSettings(t.Context(), func(s *record.Settings) { s.AddTrust("/repo", file.Config, time.Unix(1, 0)) })
	if err != nil {
		t.Fatal(err)
	}
	shown := func(page *goquery.Document) string { return page.Find("input[name=own-file]").AttrOr("value", "none") }
	typed := url.Values{"request": {"Say <b>hello"}, "repo": {"/repo"}, "title": {"Mine"}, "setup": {"make deps"}, "setup-of": {"/repo"}, "slots": {"2"}}
	typed.Set("own-file", shown(s.typing(t, typed)))
	changed := ownFile()
	changed.Config.Files[0].Sum = "2"
	s.pages.Repos = handlerstest.Repos{Own: service.RepoFile{File: changed.File, Config: changed.Config.Sealed()}}

	w := call(t, s.pages.CreateQuest, typed)
	page := parsed(t, w)
	if said := words(page, ".summary-error"); w.Code != http.StatusConflict || !strings.Contains(said, "another content than you were shown. Nothing was started") {
		t.Errorf("%d: %q", w.Code, said)
	}
	if got := words(page, "#own-file"); !strings.Contains(got, "changed since you trusted it, so it does not count") {
		t.Errorf("what applies now: %q", got)
	}
	for field, want := range map[string]string{"title": "Mine", "setup": "make deps", "slots": "2", "repo": "/repo"} {
		if got := page.Find("#new-quest [name="+field+"]").AttrOr("value", ""); got != want {
			t.Errorf("%s is %q", field, got)
		}
	}
	if got := page.Find("#request").Text(); got != "Say <b>hello" {
		t.Errorf("the request is %q", got)
	}
	if quests, _ := s.engine.Quests(t.Context()); len(quests) != 0 || len(s.now(t).Repos) != 0 {
		t.Error("something was begun or saved")
	}
	typed.Set("own-file", shown(page))
	if w := call(t, s.pages.CreateQuest, typed); w.Code != http.StatusSeeOther {
		t.Errorf("sent again: %d", w.Code)
	}
}

// A draft keeps what its form showed, and does not start with another file either.
func TestADraftStartsWithTheFileThatItsFormShowed(t *testing.T) {
	t.Parallel()
	s, file := newSite(), ownFile()
	start := func(own service.RepoFile, draft string) *httptest.ResponseRecorder {
		t.Helper()
		s.pages.Repos = handlerstest.Repos{Own: own}
		return call(t, s.pages.StartDraft, url.Values{"x": {"y"}}, "draft", draft)
	}
	s.pages.Repos = handlerstest.Repos{Own: file}
	typed := url.Values{"request": {"hello"}, "repo": {"/repo"}, "base": {"next"}}
	typed.Set("own-file", s.typing(t, typed).Find("input[name=own-file]").AttrOr("value", "none"))
	for range 2 {
		call(t, s.pages.SaveDraft, typed)
	}
	w := start(service.RepoFile{}, "draft1")
	page := parsed(t, w)
	if said := words(page, ".summary-error"); w.Code != http.StatusConflict || !strings.Contains(said, "is not there any more") || page.Find("[name=draft]").AttrOr("value", "") != "draft1" {
		t.Errorf("%d: %q", w.Code, said)
	}
	if w := start(file, "draft2"); w.Header().Get("Location") != "/quests/draft2" {
		t.Errorf("as it was shown: %d", w.Code)
	}
}

func TestTheTrustPageSaysWhyAFileCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newSite()
	s.pages.Repos = handlerstest.Repos{OwnFault: errors.New("git: <bad> object")}
	page := parsed(t, call(t, s.pages.TrustPage, url.Values{"repo": {"/repo"}}))
	got := words(page, "#content-2")
	if !strings.Contains(got, "Cannot be trusted") || !strings.Contains(got, "(.questboard) cannot be read: git: <bad> object") || strings.Contains(got, "nothing to run or load") ||
		page.Find("#content-2 input[name=hash]").Length() != 0 {
		t.Errorf("it says %q", got)
	}
}
