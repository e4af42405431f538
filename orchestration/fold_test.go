package orchestration_test

import (
	"testing"

	"questboard/orchestration"
)

// A step with several commits arrives as one. Only a proof of its last commit is one of
// the same files.
func TestEvidence_isOfTheCommitOnTheBranchIfTheStepsCommitsWereFolded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		folded []string
		want   string
	}{
		"its last commit":     {[]string{"aaaa", "9999"}, "proven at ffff"},
		"one before the last": {[]string{"bbbb", "aaaa"}, "proven at aaaa"},
		"nothing folded":      {nil, "proven at aaaa"},
	} {
		p, r := besieged(t, "o1")
		p.do(verdict(r, piece("o1", "test", "TestGreet")))
		p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Tip: "aaaa", Changed: []string{"a_test.go"}}})
		p.ward("a", orchestration.EndWardPassed)
		p.do(orchestration.MergeEnded{Step: "a", Outcome: orchestration.MergeMerged, Commit: "ffff", Folded: c.folded})
		if said := p.q.Evidence()[0].Proof.Words(); said != c.want {
			t.Errorf("%s: it says %q, want %q", name, said, c.want)
		}
	}
}
