package orchestration_test

import (
	"strings"
	"testing"

	"questboard/orchestration"
)

func atWall(step string, wall orchestration.Wall) orchestration.Signal {
	return orchestration.Signal{Kind: orchestration.NeedsUserInput, StepID: step, Question: "May I use port 8080?", Context: "it is taken", Wall: wall}
}

// docs/state-machine.md#walls
func TestWall_siegemasterAsksAtAWall_andTheAnswerResumesTheSession(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardPassed)
	asked := p.signal("a", orchestration.Siegemaster, atWall("a", orchestration.WallPort))
	p.hold("a", orchestration.HoldQuestion)
	question := p.q.Questions.At(0)
	if question.Wall != orchestration.WallPort || question.Role != orchestration.Siegemaster {
		t.Errorf("the question is %+v", question)
	}
	p.do(orchestration.AnswerGiven{Question: question.ID, Answer: "use 8081"})
	r := p.at("a", orchestration.Siegemaster)
	if r.Start != orchestration.StartAnswer || r.SessionID != asked.SessionID {
		t.Errorf("resumed as %+v", r.Launch)
	}
	p.complete("a", orchestration.Siegemaster)
	p.ward("a", orchestration.EndWardPassed)
	p.stage("a", orchestration.StageDone)
}

func TestWall_isNeededFromWhoJudges_andRefusedFromEverybodyElse(t *testing.T) {
	t.Parallel()
	for _, role := range []orchestration.Role{orchestration.Codeweaver, orchestration.Siegemaster, orchestration.Spiritmender, orchestration.Lawbringer, orchestration.PathSeeker} {
		for wall, says := range map[orchestration.Wall]string{
			"":                        "add wall, one of network, tool, port, credential, other",
			orchestration.WallNetwork: "leave wall out",
			orchestration.Wall(strings.Repeat("the moon", 1000)): `wall "the moon`,
		} {
			p, _ := placed(t, "a", role, role != orchestration.Codeweaver)
			r, version := p.at("a", role), p.q.Version
			judges := role == orchestration.Siegemaster || role == orchestration.Lawbringer
			accepted := judges == (wall == orchestration.WallNetwork) && (judges || wall == "")
			if !judges {
				says = "leave wall out"
			}
			err := p.try(orchestration.SignalReceived{Run: r.ID, Signal: atWall("a", wall)})
			switch {
			case accepted && err != nil:
				t.Errorf("%s at the wall %q: %v", role, wall, err)
			case !accepted && (err == nil || !strings.Contains(err.Error(), says) || len(err.Error()) > 500 || p.q.Version != version):
				t.Errorf("%s at the wall %.20q: want a refusal that says %q and changes nothing, have %v", role, wall, says, err)
			}
		}
	}
}

// A look that asks has not ended, so it is no round, and the rounds forbid no question.
func TestWall_aLookThatAsksGoesOnWithTheAnswer(t *testing.T) {
	t.Parallel()
	for _, rounds := range []int{0, orchestration.ReviewRounds} {
		p := afterRounds(t, rounds)
		p.signal("review", orchestration.Lawbringer, atWall("review", orchestration.WallCredential))
		p.do(orchestration.AnswerGiven{Question: p.q.Questions.At(0).ID, Answer: "the key is set"})
		r := p.at("review", orchestration.Lawbringer)
		if got := p.q.Step("review").Rounds; got != rounds || r.Start != orchestration.StartAnswer || !p.q.Looks(r) {
			t.Errorf("%d rounds, want %d; resumed as %+v", got, rounds, r.Launch)
		}
	}
}
