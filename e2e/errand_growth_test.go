package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tooMuch makes the errand of the scenario errands more than one: its agent writes a half
// and asks for PathSeeker. The codeweaver of the step that follows looks for that half.
var tooMuch = strings.Replace(errands, "- role: codeweaver\n", `- role: codeweaver
  step: errand
  do:
    - run: echo codeweaver >>'RUNS'
    - write: {path: half.txt, content: "half\n"}
    - tool: {name: signal-back, input: {signal: needs-role-followup, targetRole: pathseeker, reason: IT IS TWO FEATURES, context: HALF OF IT IS IN half.txt, resume: true}}
- role: codeweaver
  step: hello
  do:
    - run: cat half.txt || git show "$(git for-each-ref --format='%(refname)' 'refs/heads/quest-steps/*/errand')":half.txt >half.txt
    - write: {path: hello.txt, content: "hello\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: both are written}}
- role: codeweaver
`, 1)

// An errand whose agent asks for PathSeeker becomes full. Its work is kept, and those who
// come after are told why it grew and where the work lies.
func TestAnErrandGrowsAndItsWorkIsKept(t *testing.T) {
	t.Parallel()
	for name, fields := range map[string]string{
		"said by ChaosWhisperer": `,"approve":[]`,
		"chosen by the person":   `,"approve":[],"size":"errand"`,
		"in the shared tree":     `,"approve":[],"workspace":"shared"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startErrands(t, strings.Replace(tooMuch, "  visit: 1\n", visitOf(name), 1))
			quest := r.order(fields)
			q := r.untilStatus(quest, "complete")
			if q["size"] != "full" || len(ofStep(q, "pathseeker", "plan")) != 1 || len(ofStep(q, "siegemaster", "hello")) != 1 || len(ofStep(q, "lawbringer", "review")) != 1 {
				t.Errorf("it is %v, with %s", q["size"], jsonText(q["runs"]))
			}
			if errand := named(q["steps"], "errand"); errand == nil || errand["stage"] != "superseded" {
				t.Errorf("the errand is %s", jsonText(errand))
			}
			looks := ofStep(q, "chaoswhisperer", "requirements")
			prompt := r.told(looks[len(looks)-1])
			want := []string{"# The quest has grown", "Codeweaver found that it is more than that", "IT IS TWO FEATURES", "HALF OF IT IS IN half.txt", "quest-steps/" + quest + "/errand"}
			if name == "in the shared tree" {
				want[4] = "is in the working tree"
			}
			for _, text := range want {
				if !strings.Contains(prompt, text) {
					t.Errorf("ChaosWhisperer is not told %q:\n%s", text, prompt)
				}
			}
			if told := r.told(ofStep(q, "codeweaver", "hello")[0]); !strings.Contains(told, "part of `errand`") && name != "in the shared tree" {
				t.Errorf("the codeweaver of the step is told\n%s", told)
			}
			out := r.get("/runs/" + ofStep(q, "codeweaver", "errand")[0]["id"].(string) + "/output.jsonl").text
			if !strings.Contains(out, "The quest becomes full") || !strings.Contains(out, "resume is not honoured") {
				t.Errorf("the agent of the errand was answered:\n%s", out)
			}
			if name == "in the shared tree" {
				if text, err := os.ReadFile(filepath.Join(r.repo, "half.txt")); string(text) != "half\n" {
					t.Errorf("the half is %q (%v)", text, err)
				}
				return
			}
			if half := onBranch(t, r.repo, quest, "half.txt"); half != "half\n" {
				t.Errorf("the half on the branch is %q", half)
			}
		})
	}
}

// visitOf is the line that keeps the first entry of ChaosWhisperer for the errand. Where
// the person chose it, ChaosWhisperer only writes requirements.
func visitOf(name string) string {
	if strings.HasPrefix(name, "chosen") {
		return "  visit: 9\n"
	}
	return "  visit: 1\n"
}

// The gates are as the person chose when an errand grows, and a person can make it full
// while it is at work: then its agent is stopped, and its work kept.
func TestAnErrandAtWorkIsMadeFull(t *testing.T) {
	t.Parallel()
	r := startErrands(t, strings.Replace(strings.Replace(tooMuch, "  visit: 1\n", "  visit: 9\n", 1),
		"    - tool: {name: signal-back, input: {signal: needs-role-followup, targetRole: pathseeker, reason: IT IS TWO FEATURES", "    - hang: true\n    - tool: {name: signal-back, input: {signal: complete, summary: never, progress: x", 1))
	quest := r.order(`,"size":"errand","approve":["requirements"]`)
	r.until(quest, "the errand is at work", func(q object) bool {
		half, _ := os.ReadFile(filepath.Join(treeOf(r.data, quest, "errand"), "half.txt"))
		return goesOn("codeweaver", "errand")(q) && string(half) == "half\n"
	})
	r.post("/quests/"+quest+"/size", `{"size":"errand"}`).want(200) // an equal repeat
	r.post("/quests/"+quest+"/size", `{"size":"full"}`).want(200)
	q := r.until(quest, "the gate of the requirements", func(q object) bool { return q["gates"].(object)["requirements"] == "open" })
	looks := ofStep(q, "chaoswhisperer", "requirements")
	if prompt := r.told(looks[0]); len(looks) != 1 || !strings.Contains(prompt, "Then the person wanted a larger quest:") {
		t.Errorf("ChaosWhisperer's runs: %s; it was told\n%s", jsonText(looks), prompt)
	}
	if message, _ := r.post("/quests/"+quest+"/size", `{"size":"errand"}`).refused(409); message == "" {
		t.Error("it shrinks")
	}
	r.post("/quests/"+quest+"/gates/requirements", `{"approve":true}`).want(200)
	q = r.untilStatus(quest, "complete")
	if half := onBranch(t, r.repo, quest, "half.txt"); half != "half\n" || q["size"] != "full" || !slices.Contains(r.ledger(), "pathseeker") {
		t.Errorf("the half on the branch is %q; the quest is %v, of %v", half, q["size"], r.ledger())
	}
}
