package orchestration_test

import (
	"slices"
	"testing"
	"time"

	"questboard/orchestration"
)

func TestAssign_checksBeside_thenResumes_thenTheLongestChain(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("short"), step("asked"), step("long"), step("l2", "long"), step("l3", "l2"))
	p.slots = 2
	p.at("long", orchestration.Codeweaver) // the longest chain goes first
	p.signal("short", orchestration.Codeweaver, ask("short"))
	p.complete("long", orchestration.Codeweaver)
	p.do(orchestration.AnswerGiven{Question: p.q.Questions.At(0).ID, Answer: "red"})
	p.slots = 3
	var order []string // the check of long needs no slot
	for _, g := range orchestration.Assign(orchestration.Pool{Now: p.now, Slots: 64, Quests: []*orchestration.Quest{p.q}}) {
		if g.Run != "" {
			order = append(order, p.q.Run(g.Run).Step)
		} else {
			order = append(order, g.Step)
		}
	}
	if want := []string{"long", "short"}; !slices.Equal(order, want) {
		t.Fatalf("order %v, want %v", order, want)
	}
}

func TestAssign_twoStepsThatShareAFile_neverAtTheSameTime(t *testing.T) {
	t.Parallel()
	one, two := step("a"), step("b")
	two.Files = append(two.Files, one.Files...)
	p := withSteps(t, one, two)
	p.grant()
	if n := len(p.q.OpenRuns()); n != 1 {
		t.Fatalf("%d runs at once", n)
	}
	p.stepThrough("a")
	p.stepThrough("b")
}

func TestAssign_questsTakeTurns(t *testing.T) {
	t.Parallel()
	many, few := newQuest(), newQuest()
	many.Plan = &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a"), step("b"), step("c"), step("d")}}
	few.ID, few.Plan = "few", &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("x"), step("y")}}
	quests := []*orchestration.Quest{create(t, many).q, create(t, few).q}
	turns := map[string]int{}
	for _, g := range orchestration.Assign(orchestration.Pool{Now: epoch, Slots: 4, Quests: quests}) {
		turns[g.Quest]++
	}
	if turns["abc"] != 2 || turns["few"] != 2 {
		t.Fatalf("slots per quest %v, want two each", turns)
	}
}

func TestSlots_loweringTheCountEndsNobody(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"), step("c"))
	p.grant()
	p.slots = 1
	p.complete("a", orchestration.Codeweaver)
	p.slots = 1
	if got := orchestration.Assign(orchestration.Pool{Now: p.now, Slots: 1, Quests: []*orchestration.Quest{p.q}}); len(got) != 1 || got[0].Slot != 0 {
		t.Fatalf("%+v with two agents live of one wanted, want the check of a alone", got)
	}
}

// simulate runs a plan through the real Apply and Assign. Codeweaver takes the minutes of
// each step, and everything else takes no time. It returns the time of the whole plan.
func simulate(t testing.TB, slots int, steps []orchestration.PlanStep) float64 {
	t.Helper()
	p := withSteps(t, steps...)
	p.slots = slots
	minutes := map[string]float64{}
	for _, s := range steps {
		minutes[s.ID] = s.Minutes
	}
	ends := map[string]time.Time{}
	for p.q.Phase == orchestration.PhaseSteps {
		p.grant()
		var next *orchestration.Run
		for _, r := range p.q.OpenRuns() {
			if !r.Live() {
				continue
			}
			if _, ok := ends[r.ID]; !ok {
				work := 0.0
				if r.Role == orchestration.Codeweaver {
					work = minutes[r.Step]
				}
				ends[r.ID] = p.now.Add(time.Duration(work * float64(time.Minute)))
			}
			if next == nil || ends[r.ID].Before(ends[next.ID]) {
				next = r
			}
		}
		p.now = ends[next.ID]
		if next.Role == orchestration.Ward {
			p.ward(next.Step, orchestration.EndWardPassed)
		} else {
			p.do(orchestration.SignalReceived{Run: next.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: next.Step, Summary: "s"}})
			p.exit(next, orchestration.EndClean)
		}
	}
	return p.now.Sub(epoch).Minutes()
}
