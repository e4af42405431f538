package handlerstest

import (
	"context"
	"fmt"
	"strings"

	"questboard/orchestration"
)

// Party plays the agents of one quest. Its methods panic if the rules refuse an input,
// because then the fixture is wrong.
type Party struct {
	Engine *Engine
	Quest  string
	slot   int
}

func (p *Party) submit(actor string, input orchestration.InputKind) {
	if f, is := input.(orchestration.SignalReceived); is {
		input = Proven(p.quest(), f)
	}
	if _, err := p.Engine.Submit(context.Background(), p.Quest, actor, input); err != nil {
		panic(fmt.Sprintf("%T %+v: %v", input, input, err))
	}
}

// Proven adds the evidence that a complete needs, if it has none.
func Proven(q *orchestration.Quest, f orchestration.SignalReceived) orchestration.SignalReceived {
	if f.Signal.Kind != orchestration.Complete || f.Signal.Evidence != nil {
		return f
	}
	for _, o := range q.ToProve(q.Run(f.Run)) {
		f.Signal.Evidence = append(f.Signal.Evidence, orchestration.Evidence{Observable: o.ID, Kind: orchestration.ByCommand,
			How: "make try: exit code 0"})
	}
	return f
}

func (p *Party) quest() *orchestration.Quest {
	q, err := p.Engine.Quest(context.Background(), p.Quest)
	if err != nil {
		panic(err)
	}
	return q
}

// Start gives a slot to the ready step or its queued run, and starts it. A check starts
// without a slot.
func (p *Party) Start(step string) string {
	q := p.quest()
	granted := orchestration.SlotGranted{SessionID: "0b7f3f0c-" + step, HostID: "host", BootID: "boot"}
	s := q.Step(step)
	if s.Stage == orchestration.StageReady {
		granted.Step = step
	} else {
		granted.Run = s.Run
	}
	if r := q.Run(granted.Run); r == nil || r.Role.Agent() {
		p.slot++
		granted.Slot = p.slot
	}
	p.submit("server", granted)
	run := p.quest().Step(step).Run
	p.submit("server", orchestration.ProcessStarted{Run: run, PID: 4000 + p.slot, Tree: step})
	p.submit("server", orchestration.SessionOpened{Run: run, SessionID: p.quest().Run(run).SessionID})
	return run
}

// Signal makes the step's running agent signal and end.
func (p *Party) Signal(step string, s orchestration.Signal) {
	run := p.quest().Step(step).Run
	s.StepID = step
	p.submit(string(p.quest().Run(run).Role), orchestration.SignalReceived{Run: run, Signal: s, TreeChanged: orchestration.TreeSame})
	p.Exit(run, orchestration.EndClean, orchestration.Exit{SessionCost: 0.31})
}

// Complete starts the step's next run, and makes it complete.
func (p *Party) Complete(step, summary string) {
	p.Start(step)
	p.Signal(step, orchestration.Signal{Kind: orchestration.Complete, Summary: summary})
}

// Ward starts the step's check and ends it.
func (p *Party) Ward(step string, end orchestration.End, why string) {
	run := p.Start(step)
	tree := step + why
	if step == orchestration.StepReview { // nobody changes anything after a look
		tree = step
	}
	if strings.TrimSpace(p.quest().Ward) == "" {
		p.Exit(run, end, orchestration.Exit{Why: "no check command is set", NoCheck: true, Tree: tree})
		return
	}
	p.Exit(run, end, orchestration.Exit{Why: why, Digest: "--- FAIL: TestHash", Tree: tree})
}

// Review plays the review until its merge, or the end of the quest. The check passes
// after each agent, whatever its role is.
func (p *Party) Review(summary, why string) {
	for {
		q := p.quest()
		review := q.Step(orchestration.StepReview)
		switch {
		case q.Phase != orchestration.PhaseReview || review.Stage == orchestration.StageMerge:
			return
		case q.Run(review.Run).Role.Agent():
			p.Complete(review.ID, summary)
		default:
			p.Ward(review.ID, orchestration.EndWardPassed, why)
		}
	}
}

// Exit ends a run.
func (p *Party) Exit(run string, end orchestration.End, exit orchestration.Exit) {
	if p.quest().Run(run).Role.Agent() {
		p.slot--
	}
	p.submit("server", orchestration.RunExited{Run: run, End: end, Exit: exit})
}

// Ask makes the step's running agent ask the user.
func (p *Party) Ask(step, question string) {
	p.Signal(step, orchestration.Signal{Kind: orchestration.NeedsUserInput, Question: question, Context: "-"})
}

// AskPermission lets the step's run ask before a call that a rule matches, and end.
func (p *Party) AskPermission(step string, calls ...orchestration.Call) {
	run := p.Start(step)
	for _, c := range calls {
		p.submit("codeweaver", orchestration.PermissionAsked{Run: run, Call: c, Why: "The work is ready to be published."})
	}
	p.Exit(run, orchestration.EndInterrupted, orchestration.Exit{})
}
