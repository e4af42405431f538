package orchestration_test

import (
	"fmt"
	"strings"
	"testing"

	"questboard/orchestration"
)

// The pull request says what is not in it.
func TestReport_namesWhatIsMissingAndWhy(t *testing.T) {
	t.Parallel()
	p := outcomeOf(t, nil, []orchestration.PlanStep{carrying(step("a"), "o1"), carrying(step("b"), "o2")}, func(p *player) {
		p.do(orchestration.SkipPressed{Step: "b", Reason: "by hand\n# no heading"})
		p.stepThrough("a")
		p.reviewed()
	})
	want := "1 of 2 steps done, 1 skipped: b; 1 of 2 observables is not covered. The check passed on each step that is done and on the complete work. The complete work was reviewed.\n" +
		"\nSkipped:\n\n- b: skipped by the user: by hand …\n\nNot covered:\n\n- text of o2 (not built, because these steps were skipped: b)\n" +
		"\nProven:\n\n- text of o1\n  - a: by a command `true: exit code 0`\n"
	if got := p.q.Report(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The text of a pull request has a limit. What an agent writes as evidence is code there:
// it calls nobody by name and shows no picture.
func TestReport_isBoundedAndItsEvidenceIsCode(t *testing.T) {
	t.Parallel()
	var ids []string
	var evidence []orchestration.Evidence
	for n := range 150 {
		id := fmt.Sprintf("o%d", n)
		ids = append(ids, id)
		evidence = append(evidence, orchestration.Evidence{Observable: id, Kind: orchestration.ByCommand, How: "`@team` ![x](http://example.com): exit code 0 " + strings.Repeat("long ", 180)})
	}
	p := inForce(t, plan(carrying(step("a"), ids...)), ids...)
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardPassed)
	r := p.at("a", orchestration.Siegemaster)
	p.do(orchestration.SignalReceived{Run: r.ID, TreeChanged: orchestration.TreeDiffers,
		Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "a", Summary: "it holds", Evidence: evidence}})
	p.exit(r, orchestration.EndClean)
	p.ward("a", orchestration.EndWardPassed)
	p.q.Request = strings.Repeat("a line of the request\n", 10_000)
	text := p.q.PullText()
	if n := strings.Count(text, "\n- text of o"); n != 100 || !strings.Contains(text, "\n- 50 more\n") {
		t.Errorf("it names %d observables", n)
	}
	if !strings.Contains(text, "by a command `'@team' ![x](http://example.com): exit code 0 long") {
		t.Errorf("evidence:\n%.600s", text[strings.Index(text, "Proven:"):])
	}
	if len(text) > 60_000 || strings.Count(text, "(The rest is cut") != 1 {
		t.Errorf("%d bytes, cut %d times", len(text), strings.Count(text, "(The rest is cut"))
	}
}
