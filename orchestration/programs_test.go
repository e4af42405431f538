package orchestration_test

import (
	"testing"

	"questboard/orchestration"
)

func TestProgram_ofARoleCountsBeforeThatOfTheQuest_andStaysWithASession(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	p.slots = 1
	first := p.at("a", orchestration.Codeweaver)
	if first.Agent != "claude" {
		t.Errorf("the quest's agent is claude, and %q works", first.Agent)
	}
	p.do(orchestration.QuestEdited{Programs: &orchestration.Programs{orchestration.Codeweaver: {Agent: "opencode"}}})
	p.exit(first, orchestration.EndInterrupted)
	if again := p.at("a", orchestration.Codeweaver); again.ResumedFrom == "" || again.Agent != "claude" {
		t.Errorf("a session of claude is resumed by %q", again.Agent)
	}
	p.slots = 2
	if other := p.at("b", orchestration.Codeweaver); other.Agent != "opencode" {
		t.Errorf("a new session is opened by %q", other.Agent)
	}
}

// Where one account is held, runs of other agents go on.
func TestProgram_aHoldIsOfOneAgent(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	p.slots = 1
	p.do(orchestration.QuestEdited{Programs: &orchestration.Programs{orchestration.Spiritmender: {Agent: "opencode"}}})
	p.holds = []orchestration.AccountHold{{Agent: "opencode", Kind: orchestration.HoldLogin, Reason: "log in"}}
	if got := p.q.Needs(p.holds); len(got) != 0 {
		t.Errorf("nothing waits for opencode, and the quest needs %+v", got)
	}
	p.at("a", orchestration.Codeweaver)
	p.holds[0].Agent = "claude"
	pool := orchestration.Pool{Now: p.now, Slots: 3, Quests: []*orchestration.Quest{p.q}, Holds: p.holds}
	if got := orchestration.Assign(pool); len(got) != 0 {
		t.Errorf("%d slots although claude is held", len(got))
	}
	if why := p.q.StepWhy(p.q.Step("b"), p.now, p.holds); why.Obstacle.Kind != orchestration.ObstacleHold {
		t.Errorf("b waits for %+v", why)
	}
}

func TestProgram_badNamesAreRefusedByRoleAndField(t *testing.T) {
	t.Parallel()
	faults := orchestration.Programs{orchestration.Ward: {Agent: "claude"}, orchestration.Codeweaver: {Agent: "a b"}, orchestration.Lawbringer: {Model: "--flag"}}.Faults()
	for _, field := range []string{"roles.ward", "roles.codeweaver.agent", "roles.lawbringer.model"} {
		if faults[field] == "" {
			t.Errorf("%s has no fault: %v", field, faults)
		}
	}
	n := newQuest()
	n.Programs = orchestration.Programs{orchestration.Codeweaver: {Agent: "a b"}}
	if _, err := orchestration.Create(n); orchestration.CodeOf(err) != orchestration.CodeInvalid {
		t.Errorf("a quest with a bad name: %v", err)
	}
}
