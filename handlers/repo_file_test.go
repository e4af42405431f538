package handlers_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

func ownFile() service.RepoFile {
	return service.RepoFile{
		File: &orchestration.RepoFile{Commit: "0123456789abcdef", Check: "make own", Setup: "npm ci", BeforeMerge: "make <b>lint</b>",
			Slots: map[orchestration.Role]int{orchestration.Ward: 1}, Limits: orchestration.Limits{Ward: 5}},
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
		"limits.ward: 5", "slots.ward: 1"} {
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
