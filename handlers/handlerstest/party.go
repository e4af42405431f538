package handlerstest

import (
	"context"
	"fmt"
	"strings"

	"questboard/orchestration"
)

// Party plays the agents of one quest. Its methods panic where the rules
// refuse: the fixture is wrong then.
type Party struct {
	Engine *Engine
	Quest  string
	slot   int
}

func (p *Party) submit(actor string, fact orchestration.Fact) {
	if _, err := p.Engine.Submit(context.Background(), p.Quest, actor, fact); err != nil {
		panic(fmt.Sprintf("%T %+v: %v", fact, fact, err))
	}
}

func (p *Party) quest() *orchestration.Quest {
	q, err := p.Engine.Quest(context.Background(), p.Quest)
	if err != nil {
		panic(err)
	}
	return q
}

// Start gives the line's ready step or queued run a slot and starts it.
func (p *Party) Start(line string) string {
	q := p.quest()
	granted := orchestration.SlotGranted{SessionID: "0b7f3f0c-" + line, HostID: "host", BootID: "boot"}
	s := q.Line(line)
	if s.Stage == orchestration.StageReady {
		granted.Step = line
	} else {
		granted.Run = s.Run
	}
	p.slot++
	granted.Slot = p.slot
	p.submit("server", granted)
	run := p.quest().Line(line).Run
	p.submit("server", orchestration.ProcessStarted{Run: run, PID: 4000 + p.slot})
	p.submit("server", orchestration.SessionOpened{Run: run, SessionID: p.quest().Run(run).SessionID})
	return run
}

// Signal lets the line's running agent signal and leave.
func (p *Party) Signal(line string, s orchestration.Signal) {
	run := p.quest().Line(line).Run
	s.StepID = line
	p.submit(string(p.quest().Run(run).Role), orchestration.SignalReceived{Run: run, Signal: s})
	p.Exit(run, orchestration.EndClean, orchestration.Exit{SessionCost: 0.31})
}

// Complete starts the line's next run and lets it complete.
func (p *Party) Complete(line, summary string) {
	p.Start(line)
	p.Signal(line, orchestration.Signal{Kind: orchestration.Complete, Summary: summary})
}

// Ward starts the line's check and ends it.
func (p *Party) Ward(line string, end orchestration.End, why string) {
	run := p.Start(line)
	if strings.TrimSpace(p.quest().Ward) == "" {
		p.Exit(run, end, orchestration.Exit{Why: "no check is configured", NoCheck: true})
		return
	}
	p.Exit(run, end, orchestration.Exit{Why: why, Digest: "--- FAIL: TestHash", Tree: line + why})
}

// Exit ends a run.
func (p *Party) Exit(run string, end orchestration.End, exit orchestration.Exit) {
	p.slot--
	p.submit("server", orchestration.RunExited{Run: run, End: end, Exit: exit})
}

// Ask lets the line's running agent ask the user.
func (p *Party) Ask(line, question string) {
	p.Signal(line, orchestration.Signal{Kind: orchestration.NeedsUserInput, Question: question, Context: "-"})
}
