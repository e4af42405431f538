package handlers_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

func TestKeptWorkIsListedWithTheReason(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	if got := words(parsed(t, call(t, s.pages.Kept, nil, "quest", p.Quest)), ".empty"); !strings.Contains(got, "Nothing is kept") {
		t.Errorf("empty: %q", got)
	}
	s.trees.KeptWork = handlerstest.KeptSample(p.Quest)
	page := parsed(t, call(t, s.pages.Kept, nil, "quest", p.Quest))
	for row, want := range map[string]string{
		"#kept > li:nth-child(1)": "Session cookie It was not committed when its worktree was removed. Uncommitted changes of cookie <script>alert(1)</script> · 3a0f2c51d0 · 3h 0m ago",
		"#kept > li:nth-child(2)": "Plan PathSeeker changed files although it may only read. The change was undone.",
	} {
		if got := words(page, row); !strings.HasPrefix(got, want) {
			t.Errorf("%s says %q, not %q", row, got, want)
		}
	}
	if name, _ := page.Find("#kept-1-branch").Attr("value"); name != "kept/"+p.Quest+"/cookie-uncommitted" {
		t.Errorf("proposed: %q", name)
	}
	for _, r := range s.quest(t, p).Runs.All() {
		if r.Step == "hash" && r.Role == orchestration.Ward {
			s.trees.KeptWork = []record.Kept{{Ref: "w", Step: "hash", Label: r.ID}}
		}
	}
	if got := words(parsed(t, call(t, s.pages.Kept, nil, "quest", p.Quest)), "#kept"); !strings.Contains(got, "The check left it behind.") {
		t.Errorf("of the check: %q", got)
	}
	s.trees.KeptWork = []record.Kept{{Ref: "s", Step: "_quest", Label: p.Quest + "-r1-setup"}}
	page = parsed(t, call(t, s.pages.Kept, nil, "quest", p.Quest))
	if got := words(page, "#kept"); !strings.HasPrefix(got, "The quest's own worktree The set-up command left it") {
		t.Errorf("of the set-up: %q", got)
	}
	if name, _ := page.Find("#kept-1-branch").Attr("value"); name != "kept/"+p.Quest+"/quest-"+p.Quest+"-r1-setup" {
		t.Errorf("proposed: %q", name)
	}
	s.trees.KeptWork = []record.Kept{{Ref: "x", Step: "cookie", Label: "un\u202ecommitted"}}
	if name, _ := parsed(t, call(t, s.pages.Kept, nil, "quest", p.Quest)).Find("#kept-1-branch").Attr("value"); name != "kept/"+p.Quest+"/1" {
		t.Errorf("of a ref that looks like another: %q", name)
	}
	s.trees.KeptWork = []record.Kept{{Ref: "x", Step: "gone", Label: "unmerged-2"}, {Ref: "y", Step: "gone", Label: "odd\x1b"}}
	if got := words(parsed(t, call(t, s.pages.Kept, nil, "quest", p.Quest)), "#kept"); !strings.Contains(got, "not merged when its step was given up") || strings.Contains(got, "\x1b") {
		t.Errorf("of a line that is gone: %q", got)
	}
}

func TestKeptWorkIsRestoredAsABranch(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	s.trees.KeptWork = handlerstest.KeptSample(p.Quest)
	ref := s.trees.KeptWork[0].Ref
	w := call(t, s.pages.RestoreKept, url.Values{"ref": {ref}, "branch": {" rescue/cookie "}}, "quest", p.Quest)
	if got := words(parsed(t, w), ".note"); w.Code != http.StatusOK || got != "Restored as branch rescue/cookie . The kept copy stays, too." {
		t.Errorf("%d: %q", w.Code, got)
	}
	if !slices.Equal(s.trees.Restored, [][2]string{{ref, "rescue/cookie"}}) {
		t.Errorf("restored: %v", s.trees.Restored)
	}
	s.trees.RestoreErr = &orchestration.Error{Code: orchestration.CodeInvalid, Fields: map[string]string{"branch": "take another name"}}
	w = call(t, s.pages.RestoreKept, url.Values{"ref": {ref}, "branch": {"main"}}, "quest", p.Quest)
	page := parsed(t, w)
	if w.Code != http.StatusUnprocessableEntity || words(page, "#kept-1-branch-error") != "Take another name." || page.Find("#kept-1-branch[value=main][aria-invalid]").Length() != 1 {
		t.Errorf("a name that is taken: %d, %q", w.Code, words(page, "#kept-1"))
	}
	if page.Find("#kept-2-branch[aria-invalid]").Length() != 0 {
		t.Error("another form is marked, too")
	}
}
