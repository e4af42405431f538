package present_test

import (
	"testing"
	"time"

	"questboard/handlers/present"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/web/paths"
)

// A card does not repeat what its badge and role say. A guest is not told that something
// waits for them.
func TestWhyIsSaidToWhoReadsIt(t *testing.T) {
	t.Parallel()
	step := func(id string) orchestration.PlanStep { return orchestration.PlanStep{ID: id, Title: id} }
	launch := orchestration.Launch{Role: orchestration.Spiritmender, Step: "works", Start: orchestration.StartFollowup}
	waits := launch
	waits.Step, waits.ReturnTo = "returns", "q-r3"
	q := &orchestration.Quest{ID: "q", Phase: orchestration.PhaseSteps, GateRequirements: orchestration.GateOpen,
		Runs: orchestration.TableOf(
			&orchestration.Run{ID: "q-r1", N: 0, Launch: launch, State: orchestration.RunRunning},
			&orchestration.Run{ID: "q-r2", N: 1, Launch: waits, State: orchestration.RunRunning},
			&orchestration.Run{ID: "q-r3", N: 2, State: orchestration.RunEnded, Waiting: true,
				Launch: orchestration.Launch{Role: orchestration.PathSeeker, Step: "returns"}},
			&orchestration.Run{ID: "q-r4", N: 3, State: orchestration.RunEnded,
				Launch: orchestration.Launch{Role: orchestration.ChaosWhisperer, Step: orchestration.StepRequirements}}),
		Steps: orchestration.TableOf(
			&orchestration.Step{PlanStep: step("works"), N: 0, Stage: orchestration.Spiritmender.Stage(), Run: "q-r1", Started: true},
			&orchestration.Step{PlanStep: step("returns"), N: 1, Stage: orchestration.Spiritmender.Stage(), Run: "q-r2", Started: true},
			&orchestration.Step{PlanStep: step("stopped"), N: 2, Stage: orchestration.Spiritmender.Stage(), Started: true, Hold: orchestration.HoldBlocked,
				Block: &orchestration.Block{Kind: orchestration.BlockStopped, Reason: "stopped by you"}},
			// As an older version stored it.
			&orchestration.Step{PlanStep: step("crashed"), N: 3, Stage: orchestration.Codeweaver.Stage(), Started: true, Hold: orchestration.HoldBlocked,
				Block: &orchestration.Block{Kind: orchestration.BlockCrash, Reason: "codeweaver crashed 3 times in a row: exit 1"}})}
	for i, id := range orchestration.QuestWideSteps {
		q.Whole[i] = &orchestration.Step{PlanStep: orchestration.PlanStep{ID: id}, N: -1, Stage: orchestration.StageWaiting}
	}
	q.Whole[0].Stage, q.Whole[0].Run = orchestration.ChaosWhisperer.Stage(), "q-r4"
	q = orchestration.Restore(q)
	for _, c := range []struct {
		who        string
		view       present.View
		head, gate string
		stopped    string
		crashed    string
	}{
		{"the owner", present.View{}, "The requirements wait for your approval; 2 blocked steps wait for your decision", "Waits for your approval", "Stopped by you",
			"Codeweaver crashed 3 times in a row: exit 1"},
		{"a guest", present.View{Share: &record.Share{Quest: "q"}, Redactor: &redact.Redactor{}},
			"The requirements wait for approval; 2 blocked steps wait for a decision", "Waits for approval", "Stopped by the owner", ""},
	} {
		c.view.Now, c.view.LastLine, c.view.Compactions = time.Unix(60, 0), func(string) string { return "" }, func(string) int { return 0 }
		c.view.Spending = func(*orchestration.Quest, *orchestration.Run) (now orchestration.Spending) { return now }
		c.view.Place = func(*orchestration.Quest, string) record.Place { return record.Place{} }
		c.view.Editor, c.view.Site = func(string) string { return "" }, paths.Site{}
		p := c.view.Quest(q)
		if got := p.Head().Why; got != c.head {
			t.Errorf("%s reads above the board: %q, want %q", c.who, got, c.head)
		}
		cards := map[string]string{}
		for _, column := range p.Columns() {
			for _, card := range column.Cards {
				cards[card.ID] = card.Why
			}
		}
		for id, want := range map[string]string{"works": "", "stopped": "", "returns": "Spiritmender at work; then PathSeeker resumes",
			"crashed": c.crashed} {
			if cards[id] != want {
				t.Errorf("%s reads on the card of %s: %q, want %q", c.who, id, cards[id], want)
			}
		}
		if got := p.Step(q.Step("stopped"), "").Why; got != c.stopped {
			t.Errorf("%s reads in the panel: %q, want %q", c.who, got, c.stopped)
		}
		if got := p.Step(q.Whole[0], "").Why; got != c.gate {
			t.Errorf("%s reads in the panel of the requirements: %q, want %q", c.who, got, c.gate)
		}
	}
}
