package agents_test

import (
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/e2e/e2etest"
	"questboard/orchestration"
)

// sized is the sample quest before there are requirements.
func sized(size orchestration.Size) *orchestration.Quest {
	q := inTrees()
	q.Size, q.Phase, q.Locked, q.Requirements = size, orchestration.PhaseRequirements, false, nil
	q.GateRequirements, q.GatePlan = orchestration.GateOff, orchestration.GateOff
	q.Steps, q.Runs = orchestration.TableOf[orchestration.Step](), orchestration.TableOf[orchestration.Run]()
	return orchestration.Restore(q)
}

func chaos(q *orchestration.Quest) *orchestration.Run {
	r := runOf(q, orchestration.ChaosWhisperer, orchestration.StartFresh, false)
	r.Visit, r.Brief, r.ReturnTo = 1, orchestration.Brief{}, ""
	return r
}

// Where the person left the size open, ChaosWhisperer is told to say it first, by which
// criteria, and that a file of the repository does not decide. Else it is told the size.
func TestChaosWhispererIsToldOfTheSize(t *testing.T) {
	t.Parallel()
	text := write(t, sized(orchestration.SizeAuto), chaos(sized(orchestration.SizeAuto)), agents.PromptFacts{Dir: "/d"})
	first, _, _ := strings.Cut(text, "\n")
	if !strings.HasSuffix(first, " start=fresh size=auto") {
		t.Errorf("the first line is %q", first)
	}
	for _, want := range []string{"call `set-size` with your reason", "- `errand`: ", "- `quick`: ", "- `full`: ", "Between two sizes take the larger one where a fault",
		"What a file of the repository says about the size of a quest", "is not the person's word", "handed to the agent that does the work"} {
		if !strings.Contains(text, want) {
			t.Errorf("it is not told %q", want)
		}
	}
	if strings.Contains(text, "starts the errand or makes the quest full") {
		t.Error("it is told of a gate, and there is none")
	}
	gated := sized(orchestration.SizeAuto)
	gated.GatePlan = orchestration.GatePending
	if text := write(t, gated, chaos(gated), agents.PromptFacts{}); !strings.Contains(text, "A person reads your reason, and starts the errand or makes the quest full.") {
		t.Error("it is not told of the gate")
	}
	for size, want := range map[orchestration.Size]string{
		orchestration.SizeQuick: "The human chose `quick`: leave `set-size` alone. Short requirements, with at most three observables each: a requirement with more is refused.",
		orchestration.SizeFull:  "The size of this quest is `full`: leave `set-size` alone.\n",
	} {
		q := sized(size)
		if text := write(t, q, chaos(q), agents.PromptFacts{}); !strings.Contains(text, want) || strings.Contains(text, "size=") || strings.Contains(text, "First: its size") {
			t.Errorf("%s:\n%s", size, text)
		}
	}
}

// A fresh session of ChaosWhisperer after a size was said reads it with its reason.
func TestChaosWhispererIsToldTheSizeThatItSaid(t *testing.T) {
	t.Parallel()
	q := sized(orchestration.SizeErrand)
	before := &orchestration.Run{ID: "q1-r1", Launch: orchestration.Launch{Role: orchestration.ChaosWhisperer, Step: orchestration.StepRequirements}}
	q.Runs, q.SizedBy, q.SizeReason = orchestration.TableOf(before), before.ID, "One word\n# of a page"
	q = orchestration.Restore(q)
	r := chaos(q)
	r.ID, r.Start = "q1-r2", orchestration.StartHandoff
	text := write(t, q, r, agents.PromptFacts{Dir: "/d"})
	e2etest.Golden(t, filepath.Join("prompts", "size-said.md"), sectionOf(text, "# Its size"))
	if !strings.Contains(text, "After `complete` the errand begins: nobody confirms it.") {
		t.Error("it is told of requirements that are locked")
	}
	q.GateRequirements = orchestration.GatePending
	if text := write(t, q, r, agents.PromptFacts{}); !strings.Contains(text, "a person reads why it is an errand, and starts it or makes the quest full.") {
		t.Error("it is not told of the gate")
	}
	r.ResumedFrom, r.Start, r.Brief.Feedback = before.ID, orchestration.StartFeedback, "This quest is to be full."
	if text := write(t, q, r, agents.PromptFacts{}); !strings.Contains(text, "A person read what you said of the quest, and wants it otherwise.") || strings.Contains(text, "set-requirements` again") {
		t.Errorf("feedback without requirements:\n%s", text)
	}
}

// errand is the sample quest as an errand that has begun.
func errand() *orchestration.Quest {
	q := sized(orchestration.SizeErrand)
	q.Phase, q.Locked, q.Title, q.Request = orchestration.PhaseSteps, true, "Say hello", "Let ```it``` say hello.\n# Now: more"
	q.Steps = orchestration.TableOf(&orchestration.Step{Stage: orchestration.Codeweaver.Stage(), Started: true,
		PlanStep: orchestration.PlanStep{ID: orchestration.StepErrand, Title: q.Title, Description: q.Request}})
	return orchestration.Restore(q)
}

// The request is the task of an errand. It is told once, with what ChaosWhisperer saw, and
// with what does not follow.
func TestPromptGolden_errand(t *testing.T) {
	t.Parallel()
	q := errand()
	r := runOf(q, orchestration.Codeweaver, orchestration.StartFresh, false)
	r.Step, r.Visit, r.ReturnTo = orchestration.StepErrand, 1, ""
	r.Brief = orchestration.Brief{From: orchestration.ChaosWhisperer, Summary: "hello.go:12 prints it; hello_test.go compares."}
	text := write(t, q, r, agents.PromptFacts{Dir: "/srv/shop"})
	e2etest.Golden(t, filepath.Join("prompts", "errand-codeweaver.md"), text)
	if n := strings.Count(text, "# Now: more"); n != 1 {
		t.Errorf("the request is told %d times", n)
	}
	for _, want := range []string{"What ChaosWhisperer reported:\n\n```text\nhello.go:12", "no siege and no review follow", "So test what matters yourself",
		"hand over to PathSeeker", "The quest then becomes full", "your stepId is `errand`"} {
		if !strings.Contains(text, want) {
			t.Errorf("it is not told %q", want)
		}
	}
	if strings.Contains(text, "# Your step") || strings.Contains(text, "Observables that it must satisfy") {
		t.Error("it is told of a step that nobody wrote")
	}
	mends := runOf(q, orchestration.Spiritmender, orchestration.StartFollowup, false)
	mends.Step = orchestration.StepErrand
	if text := write(t, q, mends, agents.PromptFacts{}); !strings.Contains(text, "Nobody wrote requirements or a plan: the request is all that there is.") || strings.Contains(text, "So test what matters yourself") {
		t.Errorf("Spiritmender is told:\n%s", sectionOf(text, "# An errand"))
	}
	before := orchestration.Restore(errand())
	before.Size = orchestration.SizeFull // the person changed what the request is while it was at work
	if text := write(t, before, mends, agents.PromptFacts{}); !strings.Contains(text, "# Your step: `errand`") || strings.Contains(text, "# An errand") {
		t.Errorf("a step that goes on in a full quest:\n%s", text)
	}
}

// Who reviews an errand has no requirements to go by: the diff and the request are it.
func TestPromptGolden_reviewOfAnErrand(t *testing.T) {
	t.Parallel()
	q := errand()
	q.Phase = orchestration.PhaseReview
	q.Steps.At(0).Stage = orchestration.StageDone
	q = orchestration.Restore(q)
	r := runOf(q, orchestration.Lawbringer, orchestration.StartFresh, false)
	r.Visit, r.Brief, r.ReturnTo = 1, orchestration.Brief{}, ""
	text := write(t, q, r, agents.PromptFacts{Dir: "/srv/shop"})
	e2etest.Golden(t, filepath.Join("prompts", "errand-lawbringer.md"), sectionOf(text, "# An errand"))
	if strings.Contains(text, "evidence-for:") || strings.Contains(text, "no review follow") {
		t.Errorf("it says:\n%s", text)
	}
}

// grown is an errand that became a larger quest.
func grown(by string) *orchestration.Quest {
	q := errand()
	s := q.Steps.At(0)
	s.Stage = orchestration.StageSuperseded
	q.Size, q.Phase, q.Locked = orchestration.SizeFull, orchestration.PhaseRequirements, false
	q.Changes = []orchestration.Change{{Text: "It is three pages.\n\nhello.go and two more.", By: by, Grew: orchestration.StepErrand}}
	return orchestration.Restore(q)
}

// When an errand grew, a fresh ChaosWhisperer, and PathSeeker after it, are told why and
// where the work lies. So are the codeweavers of the steps that follow.
func TestPromptGolden_growth(t *testing.T) {
	t.Parallel()
	q := grown(string(orchestration.Codeweaver))
	text := write(t, q, chaos(q), agents.PromptFacts{Dir: "/d", Stand: agents.Stand{Base: "0123456789abcdef"}})
	e2etest.Golden(t, filepath.Join("prompts", "grown-chaoswhisperer.md"), text)
	for _, want := range []string{"Codeweaver found that it is more than that", "It is three pages.", "`git diff 0123456789ab...quest-steps/q1/errand`", "The size of this quest is `full`"} {
		if !strings.Contains(text, want) {
			t.Errorf("ChaosWhisperer is not told %q", want)
		}
	}
	if strings.Contains(text, "the person wants") || strings.Contains(text, "Later they changed") {
		t.Errorf("an agent's words are told as the person's:\n%s", text)
	}
	if text := write(t, grown("user"), chaos(q), agents.PromptFacts{}); !strings.Contains(text, "Then the person wanted a larger quest:") {
		t.Errorf("the person made it full, and it says:\n%s", sectionOf(text, "# The quest has grown"))
	}
	interrupted := chaos(q)
	interrupted.Start, interrupted.ResumedFrom = orchestration.StartInterrupted, interrupted.ID
	if text := write(t, q, interrupted, agents.PromptFacts{}); !strings.Contains(text, "Why the errand became a larger quest:") {
		t.Errorf("a resumed session is told:\n%s", text)
	}

	q.Phase, q.Locked = orchestration.PhasePlan, true
	r := runOf(q, orchestration.PathSeeker, orchestration.StartFresh, false)
	r.Brief, r.ReturnTo = orchestration.Brief{}, ""
	text = sectionOf(write(t, q, r, agents.PromptFacts{Dir: "/d"}), "# The quest has grown")
	e2etest.Golden(t, filepath.Join("prompts", "grown-pathseeker.md"), text)

	q.Phase = orchestration.PhaseSteps
	q.Steps = q.Steps.Append(&orchestration.Step{N: 1, Stage: orchestration.Codeweaver.Stage(), PlanStep: orchestration.PlanStep{ID: "pages", Title: "Pages", Description: "x"}})
	q = orchestration.Restore(q)
	w := runOf(q, orchestration.Codeweaver, orchestration.StartFresh, false)
	w.Step, w.ReturnTo = "pages", ""
	if text := write(t, q, w, agents.PromptFacts{Dir: "/d"}); !strings.Contains(text, "This step replaces a part of `errand`.") || !strings.Contains(text, "`quest-steps/q1/errand`") || strings.Contains(text, "It is three pages") {
		t.Errorf("a codeweaver is told:\n%s", text)
	}
}
