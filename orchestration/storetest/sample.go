package storetest

import (
	"fmt"
	"time"

	"questboard/orchestration"
)

// full returns a quest with a value in every exported field of every row.
func full(id string, even bool) *orchestration.Quest {
	f := &filler{even: even}
	q := new(orchestration.Quest)
	f.fill(q)
	q.ID = id
	for _, step := range q.Whole {
		step.N = -1
		step.Verdict = true // evidence is that of a verdict
	}
	q.Steps, q.Runs, q.Questions = orchestration.Table[orchestration.Step]{}, orchestration.Table[orchestration.Run]{},
		orchestration.Table[orchestration.Question]{}
	for i := range 3 {
		s, r, a := new(orchestration.Step), new(orchestration.Run), new(orchestration.Question)
		f.fill(s)
		f.fill(r)
		f.fill(a)
		s.N, r.N = i, i
		s.Verdict = true
		r.ID, a.ID = fmt.Sprintf("%s-r%d", id, i+1), fmt.Sprintf("%s-q%d", id, i+1)
		r.Digest = "\x00\xff\xfe is no UTF-8"
		q.Steps, q.Runs, q.Questions = q.Steps.Append(s), q.Runs.Append(r), q.Questions.Append(a)
	}
	q.Version, q.Seq = 1, 0
	return orchestration.Restore(q)
}

// small returns a new quest that is not over and has no further rows.
func small(id string) *orchestration.Quest {
	q := &orchestration.Quest{
		ID: id, Title: "t", Request: "r", Phase: orchestration.PhaseRequirements,
		CreatedAt: time.Unix(1_800_000_000, 0).UTC(), Version: 1,
	}
	for i, step := range orchestration.QuestWideSteps {
		q.Whole[i] = &orchestration.Step{PlanStep: orchestration.PlanStep{ID: step}, N: -1, Stage: orchestration.StageWaiting}
	}
	return orchestration.Restore(q)
}

// creation returns the transition that creates a quest: all rows are new.
func creation(q *orchestration.Quest) orchestration.Transition {
	return orchestration.Transition{Quest: q, Changed: orchestration.Changed{
		Requirements: true, Whole: []int{0, 1, 2, 3},
		Steps: upTo(q.Steps.Len()), Runs: upTo(q.Runs.Len()), Questions: upTo(q.Questions.Len()),
	}}
}

// after returns the transition that change makes from q. change may also say what
// changed.
func after(q *orchestration.Quest, change func(*orchestration.Quest, *orchestration.Changed)) orchestration.Transition {
	c := *q
	c.Version++
	t := orchestration.Transition{Before: q.Version}
	if change != nil {
		change(&c, &t.Changed)
	}
	t.Quest = orchestration.Restore(&c)
	return t
}

// noted is after with one more history entry.
func noted(q *orchestration.Quest) orchestration.Transition {
	t := after(q, func(q *orchestration.Quest, _ *orchestration.Changed) { q.Seq++ })
	t.Events = []orchestration.Event{{
		Seq: t.Quest.Seq, At: time.Unix(1_800_000_000, t.Quest.Seq).UTC(), Actor: "server",
		Type: orchestration.EventStepReady, Step: fmt.Sprintf("step-%d", t.Quest.Seq),
	}}
	return t
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
