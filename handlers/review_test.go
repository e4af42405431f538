package handlers_test

import (
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/handlers/present"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/web/paths"
)

// The board lists the rounds and findings of the review: what, where, and who mended it.
// A guest reads them without secrets.
func TestTheBoardListsWhatTheReviewFound(t *testing.T) {
	t.Parallel()
	s := newSite()
	q, err := s.engine.Create(t.Context(), orchestration.NewQuest{Title: "Add login", Request: "Do it.", Repo: "/repo", Agent: "claude", Ward: "make test",
		Workspace: orchestration.WorkspaceShared, Plan: &orchestration.OwnPlan{Steps: []orchestration.PlanStep{piece("store", "Keep sessions")}}})
	if err != nil {
		t.Fatal(err)
	}
	p := &handlerstest.Party{Engine: s.engine, Quest: q.ID}
	for range 2 { // codeweaver and siegemaster
		p.Complete("store", "written")
		p.Ward("store", orchestration.EndWardPassed, "passed")
	}
	p.Ward("review", orchestration.EndWardPassed, "passed")
	const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	no := false
	p.Start("review")
	p.Signal("review", orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, TargetRole: orchestration.Spiritmender, Reason: "three findings", Context: "there", Resume: &no,
		Findings: []orchestration.Found{{What: "The error is dropped.", Where: "store.go:12"}, {What: "A token is in a test: " + secret}, {What: strings.Repeat("long ", 26) + secret}}})
	board := parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest))
	if got := words(board, "#review-findings"); !strings.Contains(got, "store.go:12: The error is dropped. (being mended)") {
		t.Errorf("while it is being mended: %q", got)
	}
	p.Review("all is there", "passed")
	board = parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest))
	got := words(board, "#alerts")
	for _, want := range []string{"Review: 0 of 3 rounds, 3 findings.", "store.go:12: The error is dropped. (nothing was changed for it)", secret} {
		if !strings.Contains(got, want) {
			t.Errorf("the board does not say %q: %s", want, got)
		}
	}
	done, err := s.engine.Quest(t.Context(), p.Quest)
	if err != nil {
		t.Fatal(err)
	}
	guest := present.View{Share: &record.Share{Quest: q.ID}, Redactor: redact.New("", nil), Site: paths.Site{}, LastLine: func(string) string { return "" }}.Quest(done)
	for _, item := range guest.Board().Alerts.Items {
		if text := strings.Join(append(item.Folded, item.Text), "\n"); strings.Contains(text, secret[:12]) { // nor the part before a cut
			t.Errorf("a guest reads %q", text)
		}
	}
}
