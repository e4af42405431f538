package orchestration_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

// told is what the prompt of the step's newest run says of the user's instructions.
func (p *player) toldOf(step string) []string {
	list, _ := p.q.InstructionsFor(p.q.Run(p.q.Step(step).Run))
	var texts []string
	for _, i := range list {
		texts = append(texts, i.Text)
	}
	return texts
}

func (p *player) toldIs(step string, want ...string) {
	p.t.Helper()
	if got := p.toldOf(step); !slices.Equal(got, want) {
		p.t.Errorf("%s is told %q, want %q", step, got, want)
	}
}

func (p *player) stopped(step string, role orchestration.Role) {
	p.t.Helper()
	r := p.at(step, role)
	p.do(orchestration.StopPressed{Run: r.ID})
	p.exit(r, orchestration.EndCrashed)
}

func TestRetryWithInstructions_tellsThisRunAndAllLaterOnesOfTheStep(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	p.stopped("a", orchestration.Codeweaver)
	p.do(orchestration.RetryPressed{Step: "a", Instructions: "use blue"})
	kept := p.q.Step("a").Instructions
	if len(kept) != 1 || kept[0].By != "user" || !kept[0].At.Equal(p.now) || kept[0].Run != p.q.Step("a").Run {
		t.Fatalf("kept: %+v", kept)
	}
	if events := p.last.Events; events[0].Type != orchestration.EventStepRetried || events[0].Data["instructions"] != "use blue" {
		t.Errorf("the history says %+v", events[0])
	}
	p.toldIs("a", "use blue")
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardPassed)
	p.at("a", orchestration.Siegemaster)
	p.toldIs("a", "use blue")
	p.at("b", orchestration.Codeweaver)
	p.toldIs("b")
}

func TestRetryWithInstructions_tellsAResumedSessionWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.stopped("a", orchestration.Codeweaver)
	p.do(orchestration.RetryPressed{Step: "a", Instructions: "use blue"})
	p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
	p.stopped("a", orchestration.Spiritmender)
	p.do(orchestration.RetryPressed{Step: "a", Instructions: "not dark blue"})
	p.toldIs("a", "not dark blue") // a fresh one has read the first text already
	p.complete("a", orchestration.Spiritmender)
	p.ward("a", orchestration.EndWardPassed)
	p.at("a", orchestration.Codeweaver) // resumed
	p.toldIs("a", "not dark blue")
	p.signal("a", orchestration.Codeweaver, ask("a"))
	p.do(orchestration.AnswerGiven{Question: "abc-q1", Answer: "red"})
	p.toldIs("a") // it knows both
}

// The prompt of an interrupted run may never have been read.
func TestRetryWithInstructions_areToldAgainAfterAnInterruption(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.stopped("a", orchestration.Codeweaver)
	p.do(orchestration.RetryPressed{Step: "a", Instructions: "use blue"})
	p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndInterrupted)
	p.toldIs("a", "use blue")
}

func TestRetryWithInstructions_ofACheck_tellsTheAgentAfterIt(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
	p.complete("a", orchestration.Spiritmender)
	p.ward("a", orchestration.EndWardBroke)
	p.do(orchestration.RetryPressed{Step: "a", Instructions: "the check is there now"})
	p.ward("a", orchestration.EndWardPassed)
	p.at("a", orchestration.Codeweaver)
	p.toldIs("a", "the check is there now")
}

func TestRetryWithInstructions_ofTheReview_andOfRequirements(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	p.stopped("review", orchestration.Lawbringer)
	p.do(orchestration.RetryPressed{Step: "review", Fresh: true, Instructions: "look at the tests"})
	p.toldIs("review", "look at the tests")
	r := create(t, newQuest())
	r.stopped("requirements", orchestration.ChaosWhisperer)
	r.do(orchestration.RetryPressed{Step: "requirements", Instructions: "fewer"})
	r.toldIs("requirements", "fewer")
}

func TestRetryWithInstructions_thatAreTooLong_isRefusedAtTheField(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.stopped("a", orchestration.Codeweaver)
	for _, text := range []string{strings.Repeat("x", 1<<20), strings.Repeat("ü", orchestration.InstructionsMost+1)} {
		before := p.q
		var refused *orchestration.Error
		if err := p.try(orchestration.RetryPressed{Step: "a", Instructions: text}); !errors.As(err, &refused) || refused.Code != orchestration.CodeInvalid ||
			!strings.Contains(refused.Fields["instructions"], "20,000 characters") || len(refused.Error()) > 500 {
			t.Errorf("%d bytes: %.200v", len(text), err)
		}
		if p.q != before {
			t.Error("a refusal changed something")
		}
	}
	p.hold("a", orchestration.HoldBlocked)
	p.do(orchestration.RetryPressed{Step: "a", Instructions: strings.Repeat("ü", orchestration.InstructionsMost)})
}

func TestRetryWithoutInstructions_keepsNothing(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	for _, text := range []string{"", " \n"} {
		p.stopped("a", orchestration.Codeweaver)
		p.do(orchestration.RetryPressed{Step: "a", Instructions: text})
	}
	if kept := p.q.Step("a").Instructions; len(kept) != 0 {
		t.Errorf("kept %+v", kept)
	}
}

func TestInstructions_thatAreManyAndLong_leaveOutTheOldest(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	for _, text := range []string{"one", strings.Repeat("2", 15_000), strings.Repeat("3", 4_999)} {
		p.stopped("a", orchestration.Codeweaver)
		p.do(orchestration.RetryPressed{Step: "a", Fresh: true, Instructions: text})
	}
	list, more := p.q.InstructionsFor(p.q.Run(p.q.Step("a").Run))
	if more != 1 || len(list) != 2 || list[1].Text[0] != '3' {
		t.Errorf("%d are told, %d left out", len(list), more)
	}
}
