package orchestration_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
)

// oddIDs are ids that the quest "abc" never gave to a run or a question.
var oddIDs = []string{"", "-", "abc", "abc-", "abc-r", "abc-q", "abc-r0", "abc-r-1", "abc-r01", "abc-r+1", "abc-r99", "abc-r1 ",
	"abc-r99999999999", "abc-q99999999999", "abc-r99999999999999999999999", "abc-q1\x00", "xyz-r1", "../abc-r1", strings.Repeat("r", 1<<12)}

func TestIDs_oddOnesNameNobody(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.signal("a", orchestration.Codeweaver, ask("a"))
	for _, id := range oddIDs {
		if p.q.Step(id) != nil || p.q.Run(id) != nil || p.q.Question(id) != nil {
			t.Errorf("%.40q names something", id)
		}
	}
	if p.q.Step("requirements") == nil || p.q.Run("requirements") != nil || p.q.Run("a") != nil {
		t.Error("a line's id names a run, or a reserved id names no line")
	}
}

// everyFact returns one input of every kind, about this step, run and question.
func everyFact(step, run, question string) []orchestration.InputKind {
	text, none, list, n, usd, urgent := "x", "", []string{"nowhere"}, 2, 3.0, orchestration.Priority("urgent")
	inputs := []orchestration.InputKind{
		orchestration.ProcessStarted{Run: run, PID: 7}, orchestration.SessionOpened{Run: run, SessionID: "s"},
		orchestration.SlotGranted{Run: run, Slot: 9}, orchestration.SlotGranted{Step: step, Slot: 9},
		orchestration.MergeEnded{Step: step, Outcome: orchestration.MergeMerged}, orchestration.MergeEnded{Step: step},
		orchestration.RequirementsSet{Run: run}, orchestration.RequirementsSet{Run: run, Requirements: make([]orchestration.Requirement, 2)},
		orchestration.PlanDrafted{Run: run}, orchestration.PlanDrafted{Run: run, Draft: orchestration.PlanDraft{Replaces: step, Steps: make([]orchestration.PlanStep, 2)}},
		orchestration.AnswerGiven{Question: question}, orchestration.AnswerGiven{Question: question, Answer: text},
		orchestration.AnswerGiven{Question: question, Decisions: []orchestration.CallDecision{"often"}}, orchestration.AnswerGiven{Question: question, Decisions: make([]orchestration.CallDecision, 3)},
		orchestration.PermissionAsked{Run: run}, orchestration.PermissionAsked{Run: run, Call: orchestration.Call{Tool: text, Text: text, Rules: list, Decision: "quest", Used: true}},
		orchestration.QuestionOverdue{Question: question},
		orchestration.GateDecided{Gate: step}, orchestration.GateDecided{Gate: step, Approve: true}, orchestration.GateDecided{Gate: step, Feedback: text},
		orchestration.PausePressed{}, orchestration.PausePressed{Now: true}, orchestration.ResumePressed{}, orchestration.AbandonPressed{},
		orchestration.RetryPressed{Step: step}, orchestration.RetryPressed{Step: step, Fresh: true}, orchestration.RetryPressed{Step: step, Instructions: text},
		orchestration.SkipPressed{Step: step}, orchestration.ResplitPressed{Step: step}, orchestration.ResplitPressed{Step: step, Reason: text},
		orchestration.StepEdited{Step: step}, orchestration.StepEdited{Step: step, Title: &none}, orchestration.StepEdited{Step: step, DependsOn: &list},
		orchestration.QuestEdited{}, orchestration.QuestEdited{Title: &none}, orchestration.QuestEdited{Slots: &n, BudgetUSD: &usd, Ward: &none, Limits: &orchestration.Limits{Runs: 1}},
		orchestration.StepEdited{Step: step, Priority: &urgent}, orchestration.QuestEdited{Priority: &urgent},
		orchestration.StopPressed{Run: run}, orchestration.MessageSent{Run: run}, orchestration.MessageSent{Run: run, Text: text},
		orchestration.CommentsSent{Step: step}, commentsOn(step, text), commentsOn("", text),
	}
	for _, end := range everyEnd {
		inputs = append(inputs, orchestration.RunExited{Run: run, End: end})
	}
	for _, s := range append(everySignal(step), orchestration.Signal{}, orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, StepID: step, TargetRole: orchestration.PathSeeker, Reason: text, Context: text}) {
		inputs = append(inputs, orchestration.SignalReceived{Run: run, Signal: s})
	}
	return inputs
}

var everyEnd = []orchestration.End{"", orchestration.EndClean, orchestration.EndInfrastructure, orchestration.EndContext, orchestration.EndOverloaded,
	orchestration.EndUsageLimit, orchestration.EndLogin, orchestration.EndUnknownSession, orchestration.EndStuck, orchestration.EndCrashed,
	orchestration.EndNotStarted, orchestration.EndInterrupted, orchestration.EndCapped, orchestration.EndWardPassed, orchestration.EndWardFailed, orchestration.EndWardBroke}

// states returns quests in every kind of state, each with the step that shows it.
func states(t *testing.T) map[string]struct {
	p    *player
	step string
} {
	type state = struct {
		p    *player
		step string
	}
	all := map[string]state{}
	add := func(name, step string, p *player, act func(p *player)) {
		if act != nil {
			act(p)
		}
		all[name] = state{p, step}
	}
	two := func() *player { return withSteps(t, step("a"), step("b", "a")) }
	stop := func(p *player) { p.do(orchestration.StopPressed{Run: p.at("a", orchestration.Codeweaver).ID}) }
	add("ready", "a", two(), nil)
	add("waiting", "b", two(), nil)
	add("running", "a", two(), func(p *player) { p.at("a", orchestration.Codeweaver) })
	add("starting", "a", two(), func(p *player) { p.do(orchestration.SlotGranted{Step: "a", Slot: 1, SessionID: "s"}) })
	add("signalled, ward queued", "a", two(), func(p *player) {
		p.do(orchestration.SignalReceived{Run: p.at("a", orchestration.Codeweaver).ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "a", Summary: "s"}})
	})
	add("ward runs", "a", two(), func(p *player) { p.complete("a", orchestration.Codeweaver); p.at("a", orchestration.Ward) })
	add("question", "a", two(), func(p *player) { p.signal("a", orchestration.Codeweaver, ask("a")) })
	add("stopped, still leaving", "a", two(), stop)
	add("stopped and gone", "a", two(), func(p *player) { stop(p); p.exit(p.q.Run(p.q.Step("a").Run), orchestration.EndClean) })
	add("retried beside the stopped one", "a", two(), func(p *player) { stop(p); p.do(orchestration.RetryPressed{Step: "a"}) })
	add("stopped in the queue", "a", two(), func(p *player) {
		p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndCrashed)
		p.do(orchestration.StopPressed{Run: p.q.Step("a").Run})
	})
	add("backoff", "a", two(), func(p *player) { p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndInfrastructure) })
	add("follow-up with a stack", "a", two(), func(p *player) {
		p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
		p.at("a", orchestration.Spiritmender)
	})
	add("blocked child", "a", two(), func(p *player) {
		p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
		p.exit(p.at("a", orchestration.Spiritmender), orchestration.EndStuck)
		p.exit(p.at("a", orchestration.Spiritmender), orchestration.EndStuck)
	})
	add("blocked hand-over", "a", two(), func(p *player) {
		p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
		p.complete("a", orchestration.Spiritmender)
		p.ward("a", orchestration.EndWardPassed)
		p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
	})
	add("re-split", "a", two(), func(p *player) {
		p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, true)
		p.at("a", orchestration.PathSeeker)
	})
	add("done", "a", two(), func(p *player) { p.stepThrough("a") })
	add("skipped", "a", two(), func(p *player) { p.do(orchestration.SkipPressed{Step: "a"}) })
	add("paused", "a", two(), func(p *player) {
		p.at("a", orchestration.Codeweaver)
		p.do(orchestration.PausePressed{Now: true})
	})
	add("binary missing", "a", two(), func(p *player) { p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndNotStarted) })
	add("merge", "a", inWorktrees(t, step("a"), step("b", "a")), func(p *player) { p.good("a") })
	add("at work in a tree", "a", inWorktrees(t, step("a"), step("b", "a")), func(p *player) { p.at("a", orchestration.Codeweaver) })
	add("blocked in a tree", "a", inWorktrees(t, step("a")), stop)
	add("merged", "a", inWorktrees(t, step("a"), step("b", "a")), func(p *player) { p.good("a"); p.merges("a", orchestration.MergeMerged) })
	add("requirements", "requirements", create(t, newQuest()), nil)
	add("plan", "plan", planning(t), nil)
	add("plan blocked", "plan", planning(t), func(p *player) { p.do(orchestration.StopPressed{Run: p.at("plan", orchestration.PathSeeker).ID}) })
	add("review", "review", reviewing(t), nil)
	gates := newQuest()
	gates.ApproveReqs, gates.ApprovePlan = true, true
	add("gate open", "requirements", create(t, gates), func(p *player) {
		p.do(orchestration.RequirementsSet{Run: p.at("requirements", orchestration.ChaosWhisperer).ID, Requirements: requirements()})
		p.complete("requirements", orchestration.ChaosWhisperer)
	})
	add("abandoned", "a", two(), func(p *player) { p.at("a", orchestration.Codeweaver); p.do(orchestration.AbandonPressed{}) })
	return all
}

// TestEveryInput_inEveryState tries every input in every state. A refusal changes
// nothing. An accepted input keeps the invariants, gives the same result if it is
// applied again to the old quest, and does not change the old quest. A control that was
// accepted may be pressed a second time.
func TestEveryInput_inEveryState(t *testing.T) {
	t.Parallel()
	for name, s := range states(t) {
		var runs []string
		for _, r := range s.p.q.Runs.All() {
			runs = append(runs, r.ID)
		}
		runs = append(runs, "", "abc-r999", "abc-r99999999999")
		for _, run := range runs {
			for _, step := range []string{s.step, "nowhere"} {
				for _, f := range everyFact(step, run, "abc-q1") {
					tried(t, name, s.p, f)
				}
			}
		}
		if name != "follow-up with a stack" && name != "gate open" {
			continue
		}
		for _, id := range oddIDs {
			for _, f := range everyFact(id, id, id) {
				tried(t, name, s.p, f)
			}
		}
	}
}

func tried(t *testing.T, state string, p *player, f orchestration.InputKind) {
	t.Helper()
	in := orchestration.Input{At: p.now.Add(time.Second), Actor: "user", Kind: f}
	one, err := orchestration.Apply(p.q, in)
	two, err2 := orchestration.Apply(p.q, in)
	if fmt.Sprint(err) != fmt.Sprint(err2) || !reflect.DeepEqual(one, two) {
		t.Fatalf("%s: %T %.200v gives two different transitions", state, f, f)
	}
	if err != nil {
		if orchestration.CodeOf(err) == "" || err.Error() == "" || one.Quest != p.q || !one.Empty() {
			t.Fatalf("%s: the refusal of %T: %v", state, f, err)
		}
		return
	}
	if bad := orchestration.Check(one.Quest); bad != nil {
		t.Fatalf("%s: %T %.200v: %v", state, f, f, bad)
	}
	if again, err := orchestration.Apply(one.Quest, in); err == nil {
		if bad := orchestration.Check(again.Quest); bad != nil {
			t.Fatalf("%s: %T %.200v pressed twice: %v", state, f, f, bad)
		}
		if !again.Empty() && mustRepeat(f) {
			t.Errorf("%s: %T %.200v pressed twice changes something twice", state, f, f)
		}
	}
}

// mustRepeat reports whether a second input of this kind must change nothing.
func mustRepeat(f orchestration.InputKind) bool {
	switch f.(type) {
	case orchestration.QuestEdited, orchestration.StepEdited, orchestration.RequirementsSet, orchestration.PlanDrafted:
		return false // writing the same text a second time does no harm
	default:
		return true
	}
}
