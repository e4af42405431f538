package e2e_test

import (
	"slices"
	"testing"
)

// quicks is a scenario of two steps, one of them of high risk. Siegemaster and Lawbringer
// write who they are and where they work into the file RUNS.
const quicks = `
- role: chaoswhisperer
  do:
    - tool: {name: set-requirements, input: {requirements: [{id: r1, context: a repository, observables: [{id: o1, text: hello.txt greets}, {id: o2, text: bye.txt takes leave}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}
- role: pathseeker
  do:
    - tool: {name: plan-steps, input: {steps: [
        {id: hello, title: Greet, description: write hello.txt, files: [hello.txt], dependsOn: [], observables: [o1]},
        {id: bye, title: Leave, description: write bye.txt, files: [bye.txt], dependsOn: [], observables: [o2], risk: high, riskReason: "others read it"}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: two steps}}
- role: codeweaver
  step: hello
  do:
    - write: {path: hello.txt, content: "hello\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: written}}
- role: codeweaver
  step: bye
  do:
    - write: {path: bye.txt, content: "bye\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: written}}
- role: siegemaster
  do:
    - run: echo siegemaster >>'RUNS'
    - run: cat hello.txt bye.txt
    - tool: {name: signal-back, input: {signal: complete, summary: both are there}}
- role: lawbringer
  do:
    - run: echo lawbringer >>'RUNS'
    - tool: {name: signal-back, input: {signal: complete, summary: good}}
`

// A quick quest is besieged and reviewed once, on the whole work. What each siege of its own
// would have proven is proven there, so nothing is amber. With sieges of the risky steps, one
// step has its own, and Lawbringer proves the other.
func TestAQuickQuestIsBesiegedAndReviewedOnce(t *testing.T) {
	t.Parallel()
	for fields, by := range map[string]string{
		`,"size":"quick","approve":[]`:                 "review",
		`,"size":"quick","siege":"risky","approve":[]`: "bye",
		`,"size":"full","siege":"end","approve":[]`:    "review",
	} {
		t.Run(fields, func(t *testing.T) {
			t.Parallel()
			r := startErrands(t, quicks)
			q := r.untilStatus(r.order(fields), "complete")
			if got := slices.DeleteFunc(r.ledger(), func(role string) bool { return role == "ward" }); !slices.Equal(got, []string{"lawbringer", "siegemaster"}) {
				t.Errorf("who looked: %v", got)
			}
			if sieges := ofStep(q, "siegemaster", by); len(sieges) != 1 {
				t.Errorf("%d sieges of %s: %s", len(sieges), by, jsonText(q["runs"]))
			}
			outcome, _ := q["outcome"].(object)
			if outcome == nil || len(objects(outcome["unproven"])) > 0 || len(objects(outcome["notCovered"])) > 0 || outcome["reviewed"] != true {
				t.Errorf("the outcome is %s", jsonText(q["outcome"]))
			}
			for _, o := range objects(q["evidence"]) {
				if o["state"] != "proven" {
					t.Errorf("%s", jsonText(o))
				}
			}
			if n := len(objects(q["evidence"])); n != 2 {
				t.Errorf("evidence for %d observables: %s", n, jsonText(q["evidence"]))
			}
		})
	}
}
