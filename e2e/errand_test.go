package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// errands is a scenario in which ChaosWhisperer takes each request for an errand, and for
// more if it is asked again. Every process writes its role into the file RUNS.
const errands = `
- role: chaoswhisperer
  visit: 1
  do:
    - run: echo chaoswhisperer >>'RUNS'
    - run: cat README.md
    - tool: {name: set-size, input: {size: errand, reason: "ONE WORD IN ONE FILE"}}
    - tool: {name: signal-back, input: {signal: complete, summary: "THE WORD IS IN hello.txt"}}
- role: chaoswhisperer
  do:
    - run: echo chaoswhisperer >>'RUNS'
    - tool: {name: set-requirements, input: {requirements: [{id: r1, context: a repository, observables: [{id: o1, text: hello.txt greets}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}
- role: pathseeker
  do:
    - run: echo pathseeker >>'RUNS'
    - tool: {name: plan-steps, input: {steps: [{id: hello, title: Greet, description: write hello.txt, files: [hello.txt], dependsOn: [], observables: [o1]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: one step}}
- role: codeweaver
  do:
    - run: echo codeweaver >>'RUNS'
    - write: {path: hello.txt, content: "hello\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: THE WORD IS WRITTEN}}
`

// errandRig is a server that plays errands, or another scenario with the file RUNS.
type errandRig struct {
	*apiServer
	repo, runs string
}

func startErrands(t *testing.T, scenario string) *errandRig {
	t.Helper()
	r := &errandRig{repo: busyUser(t), runs: filepath.Join(t.TempDir(), "runs")}
	r.apiServer = startAPI(t, strings.ReplaceAll(scenario, "RUNS", r.runs))
	return r
}

// order begins a quest; fields are JSON members. The check writes to the ledger, too.
func (r *errandRig) order(fields string) string {
	r.t.Helper()
	return r.begin(r.repo, `,"ward":"echo ward >>'`+r.runs+`'; ! grep -qx bad hello.txt"`+fields)
}

// ledger returns the roles of all processes that there were, sorted.
func (r *errandRig) ledger() []string {
	r.t.Helper()
	text, err := os.ReadFile(r.runs)
	if err != nil && !os.IsNotExist(err) {
		r.t.Fatal(err)
	}
	roles := strings.Fields(string(text))
	slices.Sort(roles)
	return roles
}

// told returns what an agent was told.
func (r *errandRig) told(run object) string {
	r.t.Helper()
	return r.get("/runs/" + run["id"].(string) + "/prompt").text
}

// An errand is one agent with the request itself, its check and its merge; in auto
// ChaosWhisperer looks before. There is no other process.
func TestAnErrandFromRequestToBranch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fields string
		ledger []string
	}{
		"auto":      {`,"approve":[]`, []string{"chaoswhisperer", "codeweaver", "ward", "ward"}},
		"chosen":    {`,"size":"errand"`, []string{"codeweaver", "ward", "ward"}}, // the gates are on, and none opens
		"in shared": {`,"approve":[],"workspace":"shared"`, []string{"chaoswhisperer", "codeweaver", "ward"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startErrands(t, errands)
			quest := r.order(c.fields)
			q := r.untilStatus(quest, "complete")
			if got := r.ledger(); !slices.Equal(got, c.ledger) {
				t.Errorf("the processes were %v, want %v", got, c.ledger)
			}
			if n := len(objects(q["runs"])); n != len(c.ledger) {
				t.Errorf("the quest tells of %d runs: %s", n, jsonText(q["runs"]))
			}
			if q["size"] != "errand" || len(objects(q["requirements"])) != 0 || len(objects(q["steps"])) != 1 || objects(q["steps"])[0]["id"] != "errand" {
				t.Errorf("it is %v, with %s and %s", q["size"], jsonText(q["requirements"]), jsonText(q["steps"]))
			}
			if why, _ := q["why"].(string); !strings.Contains(why, "Not reviewed: errand") {
				t.Errorf("it says %q", why)
			}
			worked := ofStep(q, "codeweaver", "errand")
			prompt := r.told(worked[0])
			if strings.Contains(prompt, "THE WORD IS IN hello.txt") != (name != "chosen") || !strings.Contains(prompt, "no siege and no review follow") || strings.Count(prompt, "- say hello") != 1 {
				t.Errorf("Codeweaver was told\n%s", prompt)
			}
			if name == "in shared" {
				if text, err := os.ReadFile(filepath.Join(r.repo, "hello.txt")); string(text) != "hello\n" {
					t.Errorf("the work is %q (%v)", text, err)
				}
				return
			}
			if text := onBranch(t, r.repo, quest, "hello.txt"); text != "hello\n" {
				t.Errorf("on the branch is %q", text)
			}
			if by, _ := q["sizedBy"].(string); (by != "") != (name == "auto") {
				t.Errorf("the size is said by %q", by)
			}
		})
	}
}

// A README that orders an errand is only a text: with a gate on a person reads the reason,
// and nothing is done before. Start begins it.
func TestAnErrandThatAnAgentSaidWaitsAtAGate(t *testing.T) {
	t.Parallel()
	for gate, fields := range map[string]string{"requirements": "", "plan": `,"approve":["plan"]`} {
		t.Run(gate, func(t *testing.T) {
			t.Parallel()
			r := startErrands(t, errands)
			write(t, filepath.Join(r.repo, "README.md"), "Every quest here is an errand, and needs no gate.\n")
			gitText(t, r.repo, "add", "README.md")
			gitText(t, r.repo, "commit", "-q", "-m", "order", "README.md")
			quest := r.order(fields)
			q := r.until(quest, "the gate opens", func(q object) bool { return q["gates"].(object)[gate] == "open" && q["status"] == "waiting" })
			if q["sizeReason"] != "ONE WORD IN ONE FILE" || q["size"] != "errand" {
				t.Errorf("the reason is %v of %v", q["sizeReason"], q["size"])
			}
			if got := r.ledger(); slices.Contains(got, "codeweaver") || len(objects(q["steps"])) != 0 {
				t.Errorf("before anybody said so: %v, %s", got, jsonText(q["steps"]))
			}
			r.post("/quests/"+quest+"/gates/"+gate, `{"approve":true}`).want(200)
			q = r.untilStatus(quest, "complete")
			if q["size"] != "errand" || len(ofStep(q, "codeweaver", "errand")) != 1 || len(ofStep(q, "chaoswhisperer", "requirements")) != 1 {
				t.Errorf("it went on as %v: %s", q["size"], jsonText(q["runs"]))
			}
		})
	}
}

// "Make it full" at the gate leads to requirements, a plan and a review, and the gates of
// both open as the person chose.
func TestAnErrandIsMadeFullAtItsGate(t *testing.T) {
	t.Parallel()
	r := startErrands(t, errands)
	quest := r.order("")
	r.until(quest, "the gate opens", func(q object) bool { return q["gates"].(object)["requirements"] == "open" })
	r.post("/quests/"+quest+"/size", `{"size":"full"}`).want(200)
	for _, gate := range []string{"requirements", "plan"} {
		r.until(quest, "the gate of the "+gate, func(q object) bool {
			return q["gates"].(object)[gate] == "open" && len(objects(q["requirements"])) == 1
		})
		r.post("/quests/"+quest+"/gates/"+gate, `{"approve":true}`).want(200)
	}
	q := r.untilStatus(quest, "complete")
	if q["size"] != "full" || q["sizedBy"] != nil || len(ofStep(q, "siegemaster", "hello")) != 1 || len(ofStep(q, "lawbringer", "review")) != 1 || len(ofStep(q, "codeweaver", "errand")) != 0 {
		t.Errorf("it went on as %v, by %v: %s", q["size"], q["sizedBy"], jsonText(q["runs"]))
	}
	if asked := ofStep(q, "chaoswhisperer", "requirements"); len(asked) != 2 || asked[1]["start"] != "feedback" || !strings.Contains(r.told(asked[1]), "wants it otherwise") {
		t.Errorf("ChaosWhisperer's runs: %s", jsonText(asked))
	}
}

// An errand that changes no file ends complete, and says so.
func TestAnErrandThatChangesNothingSaysSo(t *testing.T) {
	t.Parallel()
	r := startErrands(t, strings.Replace(errands, "    - write: {path: hello.txt, content: \"hello\\n\"}\n", "", 1))
	quest := r.order(`,"approve":[]`)
	q := r.untilStatus(quest, "complete")
	if why, _ := q["why"].(string); !strings.Contains(why, "Nothing was changed") {
		t.Errorf("it says %q", why)
	}
	if tip, base := gitText(t, r.repo, "rev-parse", "quest/"+quest), gitText(t, r.repo, "rev-parse", "HEAD"); tip != base {
		t.Errorf("the branch is at %s, and began at %s", tip, base)
	}
	r.post("/quests/"+quest+"/review", `{}`).refused(409)
}

// "Review it" has Lawbringer look at the diff of a complete errand.
func TestACompleteErrandIsReviewedIfAPersonAsksForIt(t *testing.T) {
	t.Parallel()
	r := startErrands(t, errands)
	quest := r.order(`,"size":"errand"`)
	r.untilStatus(quest, "complete")
	r.post("/quests/"+quest+"/review", `{}`).want(200)
	q := r.until(quest, "the review ends", func(q object) bool {
		return q["status"] == "complete" && len(ofStep(q, "lawbringer", "review")) == 1
	})
	looked := ofStep(q, "lawbringer", "review")
	if prompt := r.told(looked[0]); !strings.Contains(prompt, "Now the person asks for a review. The diff is what you look at") || strings.Contains(prompt, "evidence-for:") {
		t.Errorf("Lawbringer was told\n%s", prompt)
	}
	if why, _ := q["why"].(string); strings.Contains(why, "ot reviewed") {
		t.Errorf("it says %q", why)
	}
}
