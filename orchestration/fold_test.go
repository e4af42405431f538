package orchestration_test

import (
	"testing"

	"questboard/orchestration"
)

// A step with several commits arrives as one, which has its files. A proof of files that
// have changed since is of the commit that it was of.
func TestEvidence_isOfTheCommitOnTheBranchIfTheStepsCommitsWereFolded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		brought string // a file that the quest's branch brings in before the merge
		folded  []string
		want    string
	}{
		"its last commit":     {"", []string{"aaaa", "9999"}, "proven at ffff"},
		"one before the last": {"b.go", []string{"bbbb", "aaaa"}, "proven at ffff"},
		"changed since":       {"a_test.go", []string{"bbbb", "aaaa"}, "proven at aaaa, changed since in ffff"},
		"nothing folded":      {"", nil, "proven at aaaa"},
	} {
		p, r := besieged(t, "o1")
		p.do(verdict(r, piece("o1", "test", "TestGreet")))
		p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Tip: "aaaa", Changed: []string{"a_test.go"}}})
		p.ward("a", orchestration.EndWardPassed)
		if c.brought != "" {
			p.do(orchestration.MergeEnded{Step: "a", Outcome: orchestration.MergeUpdated, Files: []string{c.brought}, Commit: "bbbb"})
			p.ward("a", orchestration.EndWardPassed)
		}
		p.do(orchestration.MergeEnded{Step: "a", Outcome: orchestration.MergeMerged, Commit: "ffff", Folded: c.folded})
		if said := p.q.Evidence()[0].Proof.Words(); said != c.want {
			t.Errorf("%s: it says %q, want %q", name, said, c.want)
		}
	}
}
