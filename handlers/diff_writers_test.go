package handlers_test

import (
	"slices"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// Where several steps changed a file, the first line of each says which step wrote it. Where
// one did, the head of the file says it.
func TestLinesOfAFileOfSeveralStepsSayWhichWroteThem(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	q := s.quest(t, p)
	siege := q.Step("form").Run
	s.submit(t, p, handlerstest.Proven(q, orchestration.SignalReceived{Run: siege,
		Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "form", Summary: "tested"}}))
	p.Exit(siege, orchestration.EndClean, orchestration.Exit{Changed: []string{"internal/store.go"}})
	p.Ward("form", orchestration.EndWardPassed, "passed again")
	s.submit(t, p, orchestration.MergeEnded{Step: "form", Outcome: orchestration.MergeMerged, Commit: "c0ffee2"})
	s.diffs.Set(p.Quest, "", "diff --git a/internal/store.go b/internal/store.go\n--- a/internal/store.go\n+++ b/internal/store.go\n"+
		"@@ -1,3 +1,7 @@\n+one\n+two\n same\n-gone\n+three\n+four\n+five\n same\n"+added("internal/form.go", "alone"))
	s.diffs.SetWriters(p.Quest, "internal/store.go", "c0ffee", "c0ffee", "base", "c0ffee", "c0ffee2", "somebody", "base")
	said := func(query string) (by []string) {
		page := parsed(t, ask(t, s.pages.QuestDiff, query, "quest", p.Quest))
		page.Find("td.code em").Each(func(_ int, e *goquery.Selection) {
			by = append(by, e.Parent().Find("span:not(.unseen)").Text()+" "+e.Text())
		})
		return by
	}
	want := []string{"one by Keep sessions in the store", "three by Keep sessions in the store", "four by Login form", "five by an unknown step"}
	for _, columns := range []string{"view=unified", "view=split"} {
		if got := said(columns); !slices.Equal(got, want) {
			t.Errorf("%s: the lines say %q, want %q", columns, got, want)
		}
	}
	s.diffs.SetWriters(p.Quest, "internal/store.go")
	if got := said(""); len(got) > 0 {
		t.Errorf("git knows nothing, and the lines say %q", got)
	}
}
