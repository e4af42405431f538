package orchestration_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"questboard/orchestration"
)

// TestTranscripts plays the stories in testdata/transcripts. Each says what happens
// and, below a line, what follows from that, as text that a person can review. With
// -rewrite the test writes what follows.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata/transcripts", func(t *testing.T, path string) {
		var p *player
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "quest" {
				p = told(t, d)
				return tell(p.last)
			}
			p.t = t
			return act(p, d)
		})
	})
}

// told begins a quest: "quest" begins with ChaosWhisperer, "quest plan" with the steps in
// the lines below it. Each line is "id: dependencies".
func told(t *testing.T, d *datadriven.TestData) *player {
	n := newQuest()
	n.ApproveReqs, n.ApprovePlan = d.HasArg("gates"), d.HasArg("gates")
	if d.HasArg("plan") {
		n.Plan = &orchestration.OwnPlan{Steps: stepsOf(d.Input)}
	}
	return create(t, n)
}

func stepsOf(text string) []orchestration.PlanStep {
	var steps []orchestration.PlanStep
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		id, deps, _ := strings.Cut(l, ":")
		steps = append(steps, step(strings.TrimSpace(id), strings.Fields(deps)...))
	}
	return steps
}

// act plays one line, which says who does what.
func act(p *player, d *datadriven.TestData) string {
	arg := func(key string) string {
		var v string
		if d.HasArg(key) {
			d.ScanArgs(p.t.(*testing.T), key, &v)
		}
		return v
	}
	step := arg("for")
	run := ""
	if s := p.q.Step(step); s != nil {
		run = s.Run
	}
	resume := arg("resume") == "true"
	switch d.Cmd {
	case "evidence":
		return tellEvidence(p)
	case "slots":
		p.grant()
		return tellRuns(p)
	case "requirements":
		if d.HasArg("observables") {
			return p.told(orchestration.RequirementsSet{Run: run, Requirements: asked(strings.Split(arg("observables"), "+")...).Requirements})
		}
		return p.told(orchestration.RequirementsSet{Run: run, Requirements: requirements()})
	case "change":
		return p.told(orchestration.ChangeRequested{Text: arg("text")})
	case "draft":
		draft := orchestration.PlanDraft{Steps: stepsOf(d.Input), Replaces: arg("replaces")}
		if d.HasArg("observables") { // of the last step
			draft.Steps[len(draft.Steps)-1].Observables = strings.Split(arg("observables"), "+")
		}
		for i, s := range draft.Steps {
			if slices.Contains(strings.Split(arg("marked"), "+"), s.ID) {
				draft.Steps[i].Replaces = step
			}
		}
		return p.told(orchestration.PlanDrafted{Run: run, Draft: draft})
	case "complete":
		f := orchestration.SignalReceived{Run: run, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: step, Summary: "did it"},
			TreeChanged: orchestration.TreeChanged(arg("changed"))}
		for _, l := range strings.Split(strings.TrimSpace(d.Input), "\n") { // each line: observable, kind, how
			if words := strings.SplitN(l, " ", 3); len(words) == 3 {
				f.Signal.Evidence = append(f.Signal.Evidence, orchestration.Evidence{Observable: words[0], Kind: orchestration.EvidenceKind(words[1]), How: words[2]})
				f.Found = append(f.Found, orchestration.Sought{Is: !d.HasArg("absent"), Why: "no file has that name"})
			}
		}
		return p.told(f)
	case "partially":
		return p.told(orchestration.SignalReceived{Run: run, Signal: orchestration.Signal{Kind: orchestration.PartiallyComplete, StepID: step, Progress: "half", ContinuationPoint: "rest"}})
	case "asks":
		s := ask(step)
		s.Wall = orchestration.Wall(arg("wall"))
		return p.told(orchestration.SignalReceived{Run: run, Signal: s})
	case "needs":
		return p.told(orchestration.SignalReceived{Run: run, Signal: orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, StepID: step,
			TargetRole: orchestration.Role(arg("role")), Reason: arg("reason"), Context: "here", Resume: &resume},
			TreeChanged: orchestration.TreeChanged(arg("changed"))})
	case "exits":
		return p.told(orchestration.RunExited{Run: run, End: orchestration.End(arg("as")), Exit: orchestration.Exit{Why: arg("as"), Tree: p.tree}})
	case "leaves": // the process of a run that has signalled
		for _, r := range p.q.OpenRuns() {
			if r.Step == step && r.State == orchestration.RunSignalled {
				return p.told(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Tip: arg("commit")}})
			}
		}
		return "nobody is leaving"
	case "edits": // the tree in which the step works
		p.tree += "'"
		return "the tree is another one\n"
	case "answer":
		return p.told(orchestration.AnswerGiven{Question: arg("question"), Answer: arg("text")})
	case "retry":
		return p.told(orchestration.RetryPressed{Step: step, Instructions: arg("instructions")})
	case "skip":
		return p.told(orchestration.SkipPressed{Step: step, Reason: "not needed"})
	default:
		return "unknown command " + d.Cmd
	}
}

func (p *player) told(f orchestration.InputKind) string {
	if err := p.try(f); err != nil {
		return "refused: " + err.Error()
	}
	return tell(p.last)
}

// tell describes a transition: first the entries of the history, then the effects.
func tell(t orchestration.Transition) string {
	var out strings.Builder
	for _, e := range t.Events {
		fmt.Fprintf(&out, "%s", e.Type)
		for _, part := range []string{e.Step, e.Run} {
			if part != "" {
				fmt.Fprintf(&out, " %s", part)
			}
		}
		keys := make([]string, 0, len(e.Data))
		for k := range e.Data {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			fmt.Fprintf(&out, " %s=%q", k, e.Data[k])
		}
		out.WriteString("\n")
	}
	for _, e := range t.Effects {
		fmt.Fprintf(&out, "-> %T %+v\n", e, e)
	}
	if out.Len() == 0 {
		return "nothing changes\n"
	}
	return out.String()
}

func tellEvidence(p *player) string {
	var out strings.Builder
	for _, e := range p.q.Evidence() {
		fmt.Fprintf(&out, "%s -> %s at %s: %s", e.Requirement, e.Observable.ID, e.Step, e.State)
		if !e.State.Gap() {
			fmt.Fprintf(&out, ", %s %q, %s", e.Kind, e.How, e.Proof.Words())
		}
		out.WriteString("\n")
	}
	return out.String()
}

func tellRuns(p *player) string {
	var out strings.Builder
	for _, r := range p.q.OpenRuns() {
		fmt.Fprintf(&out, "%s %s for %s: %s", r.ID, r.Role, r.Step, r.State)
		if r.Slot > 0 {
			fmt.Fprintf(&out, " in slot %d", r.Slot)
		}
		if r.ReturnTo != "" {
			fmt.Fprintf(&out, ", then %s resumes", r.ReturnTo)
		}
		out.WriteString("\n")
	}
	return out.String()
}
