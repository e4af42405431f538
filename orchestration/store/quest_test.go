package store_test

import (
	"fmt"
	"time"

	"questboard/orchestration"
)

// questOf returns a quest at work, with n steps and two runs per step.
func questOf(id string, n int) *orchestration.Quest {
	q := &orchestration.Quest{
		ID: id, Title: "a title", Request: "build it", Repo: "/repo", Ward: "make test", Agent: "simulated",
		Phase: orchestration.PhaseSteps, CreatedAt: time.Unix(1_800_000_000, 0).UTC(), Version: 1, Seq: int64(n),
	}
	for i, step := range orchestration.QuestWideSteps {
		q.Whole[i] = &orchestration.Step{PlanStep: orchestration.PlanStep{ID: step}, N: -1, Stage: orchestration.StageDone}
		if step == orchestration.StepBaseline { // as a quest of an older version gets it
			q.Whole[i].Stage = orchestration.StageWaiting
		}
	}
	var steps []*orchestration.Step
	var runs []*orchestration.Run
	for i := range n {
		steps = append(steps, &orchestration.Step{
			PlanStep: orchestration.PlanStep{ID: fmt.Sprintf("step-%d", i), Title: "do it", Description: "in some words", Files: []string{"a.go", "b.go"}},
			N:        i, Stage: orchestration.Codeweaver.Stage(), Visits: map[orchestration.Role]int{orchestration.Codeweaver: 1},
		})
		for range 2 {
			runs = append(runs, runOf(q, steps[i], len(runs)))
		}
	}
	q.Steps, q.Runs = orchestration.TableOf(steps...), orchestration.TableOf(runs...)
	return orchestration.Restore(q)
}

func runOf(q *orchestration.Quest, s *orchestration.Step, n int) *orchestration.Run {
	return &orchestration.Run{
		ID: fmt.Sprintf("%s-r%d", q.ID, n+1), N: n,
		Launch:    orchestration.Launch{Role: orchestration.Codeweaver, Step: s.ID, Start: orchestration.StartFresh},
		State:     orchestration.RunEnded,
		Agent:     q.Agent,
		SessionID: "3f0c5a0e-8d2f-4d53-9a4f-8c1f6f6f2a10", TokenHash: "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c",
		QueuedAt: q.CreatedAt, StartedAt: q.CreatedAt,
	}
}

// born returns the transition that makes a quest.
func born(q *orchestration.Quest) orchestration.Transition {
	t := orchestration.Transition{Quest: q, Changed: orchestration.Changed{Requirements: true, Whole: []int{0, 1, 2, 3}}}
	for i := range q.Steps.Len() {
		t.Changed.Steps = append(t.Changed.Steps, i)
	}
	for i := range q.Runs.Len() {
		t.Changed.Runs = append(t.Changed.Runs, i)
	}
	return t
}

// signalled returns the transition of an accepted signal. It changes the step and its
// run, and adds a run and three history entries.
func signalled(q *orchestration.Quest) orchestration.Transition {
	c := *q
	c.Version++
	n := int(c.Version) % c.Steps.Len()
	step, run := *c.Steps.At(n), *c.Runs.At(2 * n)
	next := runOf(q, &step, c.Runs.Len())
	run.Epoch++
	run.State, run.Signal = orchestration.RunSignalled, &orchestration.Signal{Kind: orchestration.Complete, StepID: step.ID, Summary: "all of it is done, and the tests are green"}
	step.Stage, step.Run = orchestration.Ward.Stage(), next.ID
	c.Steps = c.Steps.With(n, &step)
	c.Runs = c.Runs.With(2*n, &run).Append(next)
	t := orchestration.Transition{Before: q.Version, Quest: &c, Changed: orchestration.Changed{Steps: []int{n}, Runs: []int{2 * n, next.N}}}
	for _, kind := range []orchestration.EventType{orchestration.EventSignalAccepted, orchestration.EventStepStage, orchestration.EventRunQueued} {
		c.Seq++
		t.Events = append(t.Events, orchestration.Event{Seq: c.Seq, At: q.CreatedAt, Actor: "codeweaver", Type: kind, Step: step.ID, Run: run.ID, Data: map[string]string{"stage": "ward"}})
	}
	return t
}
