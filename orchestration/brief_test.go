package orchestration_test

import (
	"reflect"
	"testing"

	"questboard/orchestration"
)

// The briefs are word for word those of older versions.
func TestABriefOfAnOlderVersionIsReadAsItsKind(t *testing.T) {
	t.Parallel()
	type brief = orchestration.Brief
	for name, c := range map[string]struct {
		role      orchestration.Role
		old, want brief
	}{
		"the check failed": {orchestration.Spiritmender,
			brief{From: orchestration.Ward, Reason: "the check failed: exit 1: 2 tests failed", Digest: "FAIL", OutputOf: "q-r4"},
			brief{Kind: orchestration.BriefCheck, From: orchestration.Ward, Reason: "the check failed: exit 1: 2 tests failed", Digest: "FAIL", OutputOf: "q-r4"}},
		"a conflict": {orchestration.Spiritmender,
			brief{From: orchestration.Ward, Reason: "merging the quest's branch into this step's ended in a conflict", Context: "keep what both sides want: a.go"},
			brief{Kind: orchestration.BriefConflict, From: orchestration.Ward, Reason: "merging the quest's branch into this step's ended in a conflict", Context: "keep what both sides want: a.go"}},
		"markers are left": {orchestration.Spiritmender,
			brief{From: orchestration.Ward, Reason: "the markers of a conflict are left", Context: "a.go"},
			brief{Kind: orchestration.BriefMarkers, From: orchestration.Ward, Reason: "the markers of a conflict are left", Context: "a.go"}},
		"comments": {orchestration.Spiritmender,
			brief{Reason: "the user commented on the diff", Context: "a.go: why?"},
			brief{Kind: orchestration.BriefComments, Comments: "a.go: why?"}},
		"an agent that says the same": {orchestration.Spiritmender,
			brief{From: orchestration.Lawbringer, Reason: "the user commented on the diff", Context: "a.go: why?"},
			brief{Kind: orchestration.BriefRole, From: orchestration.Lawbringer, Reason: "the user commented on the diff", Context: "a.go: why?"}},
		"the user": {orchestration.PathSeeker,
			brief{Reason: "too large", Context: "The user asked for this re-split."},
			brief{Kind: orchestration.BriefResplit, Reason: "too large", Context: "The user asked for this re-split."}},
		"nobody called":      {orchestration.Codeweaver, brief{Summary: "done"}, brief{Summary: "done"}},
		"of this version":    {orchestration.Spiritmender, brief{Kind: orchestration.BriefResplit, Reason: "x"}, brief{Kind: orchestration.BriefResplit, Reason: "x"}},
		"comments to a role": {orchestration.PathSeeker, brief{Reason: "the user commented on the diff"}, brief{Kind: orchestration.BriefResplit, Reason: "the user commented on the diff"}},
	} {
		launch := orchestration.Launch{Role: c.role, Brief: c.old}
		q := &orchestration.Quest{Runs: orchestration.TableOf(&orchestration.Run{Launch: launch}),
			Steps: orchestration.TableOf(&orchestration.Step{Block: &orchestration.Block{Retry: launch}}, &orchestration.Step{})}
		orchestration.CarryOver(q)
		if got := q.Runs.At(0).Brief; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: a run is told %+v, want %+v", name, got, c.want)
		}
		if got := q.Steps.At(0).Block.Retry.Brief; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: a retry is told %+v, want %+v", name, got, c.want)
		}
	}
}

// If the user comments while the check is failing, Spiritmender gets both, and the brief
// keeps them in separate fields.
func TestCommentsBesideAFailingCheckAreToldApart(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.at("a", orchestration.Codeweaver)
	p.do(commentsOn("a", "why?"))
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardFailed)
	b := p.at("a", orchestration.Spiritmender).Brief
	if b.Kind != orchestration.BriefCheck || b.Comments != "\"a.go\", line 7: x := 1\nwhy?" || b.Context != "" {
		t.Errorf("spiritmender is told %+v", b)
	}
}
