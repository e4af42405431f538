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
		"\n1 of 2 observables proven; 1 without evidence:\n\n- text of o1\n  - a: by a command `true: exit code 0`\n"
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
		t.Errorf("evidence:\n%.600s", text[strings.Index(text, "observables proven"):])
	}
	if len(text) > 60_000 || strings.Count(text, "(The rest is cut") != 1 {
		t.Errorf("%d bytes, cut %d times", len(text), strings.Count(text, "(The rest is cut"))
	}
}

// Titles and observables of agents name nobody, close no issue, and show no picture. A
// request that is cut within a block of code ends it.
func TestReport_quotesWhatAgentsWrote(t *testing.T) {
	t.Parallel()
	const hostile = "Fixes #12 and gh-7: @security ![x](http://example.com/x.png) <b>"
	a, b := carrying(step("a"), "o1"), carrying(step("b"), "o1")
	a.Title, b.Title = hostile, hostile
	p := outcomeOf(t, func(n *orchestration.NewQuest) {
		n.Plan.Requirements[0].Observables[0].Text = hostile + "\r# Heading"
	}, []orchestration.PlanStep{a, b}, func(p *player) {
		p.do(orchestration.SkipPressed{Step: "b", Reason: hostile})
		p.stepThrough("a")
		p.reviewed()
	})
	p.q.Request = "```\n" + strings.Repeat("a line\n", 20_000)
	text := p.q.PullText()
	const safe = "Fixes #\u206012 and gh-\u20607: @\u2060security !\\[x\\](http://example.com/x.png) \\<b\\>"
	for _, want := range []string{"- " + safe + " …\n  - " + safe + ": by a command `true: exit code 0`\n  - " + safe + ": no evidence: skipped\n",
		"1 skipped: " + safe + ";", "0 of 2 observables proven; 2 without evidence:", "- " + safe + ": skipped by the user", "a line\n```\n\n(The rest is cut"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text[strings.Index(text, "---"):])
		}
	}
	if strings.Contains(text[strings.Index(text, "---"):], "@s") {
		t.Error("somebody is named")
	}
}
