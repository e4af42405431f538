package orchestration_test

import (
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
)

const pushRule = "Bash(git push *)"

func push(branch string) orchestration.Call {
	return orchestration.Call{Tool: "Bash", Text: "git push origin " + branch, Rules: []string{pushRule}}
}

// asksFor lets the newest run of a step ask before a call.
func (p *player) asksFor(step string, c orchestration.Call) *orchestration.Run {
	p.t.Helper()
	r := p.at(step, orchestration.Codeweaver)
	p.do(orchestration.PermissionAsked{Run: r.ID, Call: c, Why: "it is ready"})
	return p.q.Run(r.ID)
}

// wrong expects that an input is refused because of what it says.
func (p *player) wrong(f orchestration.InputKind, words string) {
	p.t.Helper()
	if err := p.try(f); orchestration.CodeOf(err) != orchestration.CodeInvalid || !strings.Contains(err.Error(), words) {
		p.t.Errorf("%T: %v does not say %q", f, err, words)
	}
}

// decided says the same about each call of the newest question.
func (p *player) decided(d orchestration.CallDecision, reason string) {
	p.t.Helper()
	q := p.q.Questions.At(p.q.Questions.Len() - 1)
	decisions := make([]orchestration.CallDecision, len(q.Calls))
	for i := range decisions {
		decisions[i] = d
	}
	p.do(orchestration.AnswerGiven{Question: q.ID, Decisions: decisions, Answer: reason})
}

// docs/state-machine.md#permission
func TestPermission_aCallThatARuleMatchesEndsTheRun_andTheDecisionResumesIt(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	asked := p.asksFor("a", push("x"))
	p.hold("a", orchestration.HoldQuestion)
	question := p.q.Questions.At(0)
	if p.q.Permits(asked.ID) || question.Says() != "Bash: git push origin x" || question.Context != "it is ready" || asked.State != orchestration.RunSignalled {
		t.Fatalf("the question is %+v, the run %s", question, asked.State)
	}
	p.exit(asked, orchestration.EndInterrupted)
	if got := p.q.Run(asked.ID); got.Live() || !got.Waiting {
		t.Errorf("the run holds a slot: %s", got.State)
	}
	p.wrong(orchestration.AnswerGiven{Question: question.ID, Answer: "yes"}, "decide about each call")
	p.wrong(orchestration.AnswerGiven{Question: question.ID, Decisions: []orchestration.CallDecision{"yes"}}, `"yes" is not possible`)
	p.decided(orchestration.AllowOnce, "")
	r := p.at("a", orchestration.Codeweaver)
	if r.Start != orchestration.StartAnswer || r.SessionID != asked.SessionID || !strings.Contains(r.Brief.Answer, "Allowed once: Bash: git push origin x") {
		t.Errorf("resumed as %+v", r.Launch)
	}
	p.refused(orchestration.AnswerGiven{Question: question.ID, Decisions: []orchestration.CallDecision{"deny"}}, "answered already: Allowed once")

	p.do(orchestration.PermissionAsked{Run: r.ID, Call: push("x")})
	if !p.q.Permits(r.ID) || !p.q.Questions.At(0).Calls[0].Used {
		t.Errorf("the call was allowed, and may not be made: %+v", p.q.Questions.At(0).Calls)
	}
	p.do(orchestration.PermissionAsked{Run: r.ID, Call: push("x")})
	if p.q.Permits(r.ID) || p.q.Questions.Len() != 2 {
		t.Errorf("once was twice: %d questions", p.q.Questions.Len())
	}
}

func TestPermission_holdsForWhatThePersonSaid(t *testing.T) {
	t.Parallel()
	for decision, wants := range map[orchestration.CallDecision]map[string]bool{
		orchestration.AllowOnce:  {"the same call": true, "another call": false, "another step": false},
		orchestration.AllowStep:  {"the same call": true, "another call": true, "another step": false},
		orchestration.AllowQuest: {"the same call": true, "another call": true, "another step": true},
	} {
		for what, want := range wants {
			p := withSteps(t, step("a"), step("b"))
			p.exit(p.asksFor("a", push("x")), orchestration.EndInterrupted)
			p.decided(decision, "")
			at, c := "a", push("x")
			switch what {
			case "another call":
				c = push("y")
			case "another step":
				at = "b"
			}
			r := p.asksFor(at, c)
			if got := p.q.Permits(r.ID); got != want {
				t.Errorf("%s, then %s: passes %v, want %v", decision, what, got, want)
			}
		}
	}
}

func TestPermission_aCallThatWasDeniedIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.exit(p.asksFor("a", push("x")), orchestration.EndInterrupted)
	p.decided(orchestration.DenyCall, "not on a Friday")
	r := p.at("a", orchestration.Codeweaver)
	if !strings.Contains(r.Brief.Answer, "Denied: Bash: git push origin x") || !strings.Contains(r.Brief.Answer, "not on a Friday") {
		t.Errorf("the agent is told %q", r.Brief.Answer)
	}
	p.refused(orchestration.PermissionAsked{Run: r.ID, Call: push("x")}, "not on a Friday")
	if p.q.Questions.Len() != 1 || !p.q.Permits(r.ID) {
		t.Error("the run does not go on")
	}
}

func TestPermission_severalCallsOfOneRunAreOneQuestion(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.asksFor("a", push("x"))
	for range 2 {
		p.do(orchestration.PermissionAsked{Run: r.ID, Call: push("y")})
	}
	question := p.q.Questions.At(0)
	if p.q.Questions.Len() != 1 || len(question.Calls) != 2 {
		t.Fatalf("%d questions, the first about %+v", p.q.Questions.Len(), question.Calls)
	}
	p.exit(r, orchestration.EndInterrupted)
	p.do(orchestration.AnswerGiven{Question: question.ID, Decisions: []orchestration.CallDecision{orchestration.AllowOnce, orchestration.DenyCall}, Answer: "y is protected"})
	answer := p.at("a", orchestration.Codeweaver).Brief.Answer
	if !strings.Contains(answer, "Allowed once: Bash: git push origin x") || !strings.Contains(answer, "Denied: Bash: git push origin y") {
		t.Errorf("the agent is told %q", answer)
	}
	p.refused(orchestration.PermissionAsked{Run: r.ID, Call: push("z")}, "this run is over")
}

func TestPermission_nobodyAnswersUntilTheTimeIsUp(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.do(orchestration.QuestEdited{Asks: &orchestration.Asks{Rules: []string{pushRule}, Timeout: time.Hour}})
	p.exit(p.asksFor("a", push("x")), orchestration.EndInterrupted)
	question := p.q.Questions.At(0)
	if at := p.q.DeniesAt(question); !at.Equal(question.AskedAt.Add(time.Hour)) {
		t.Errorf("it ends at %v", at)
	}
	p.do(orchestration.QuestionOverdue{Question: question.ID})
	if !p.q.Questions.At(0).Open() {
		t.Error("it was denied too early")
	}
	p.now = p.now.Add(time.Hour)
	p.do(orchestration.QuestionOverdue{Question: question.ID})
	if r := p.at("a", orchestration.Codeweaver); !strings.Contains(r.Brief.Answer, "nobody answered within 1h") {
		t.Errorf("the agent is told %q", r.Brief.Answer)
	}
}

func TestPermission_aQuestionIsClosedWithItsStep(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.exit(p.asksFor("a", push("x")), orchestration.EndInterrupted)
	p.do(orchestration.SkipPressed{Step: "a", Reason: "no need"})
	id := p.q.Questions.At(0).ID
	p.refused(orchestration.AnswerGiven{Question: id, Decisions: []orchestration.CallDecision{orchestration.AllowOnce}}, "no longer needed")
}

func TestPermission_rulesThatCannotWorkAreRefused(t *testing.T) {
	t.Parallel()
	many := make([]string, 51)
	for i := range many {
		many[i] = "Bash(make " + strings.Repeat("x", i+1) + ")"
	}
	for rule, why := range map[string]string{
		"": "cannot be read", "git push": "cannot be read", "Bash(git push": "cannot be read", "Bash()": "cannot be read", "Bash(a\nb)": "cannot be read", "Bash(a(b))": "cannot be read",
		"Bash": "matches everything", "Bash(*)": "matches everything", "Bash(:*)": "matches everything", "Edit": "matches everything", "Edit(/**)": "matches everything", "Edit(*)": "matches everything",
		"Bash(" + strings.Repeat("x", 10_001) + ")": "10,000 are allowed",
		"Telnet": "no tool", "Write(/a)": "write Edit", "mcp__quest__signal-back": "reports to Questboard", "WebSearch(x)": "nothing in brackets", "WebFetch(example.org)": "domain:example.org",
	} {
		if got := orchestration.CheckAskRules([]string{rule}); !strings.Contains(got, why) || len(got) > 500 {
			t.Errorf("%.40q: %q does not say %q", rule, got, why)
		}
	}
	if got := orchestration.CheckAskRules(many); !strings.Contains(got, "51 rules, and 50 are allowed") {
		t.Errorf("too many: %q", got)
	}
	if got := orchestration.CheckAskRules([]string{pushRule, pushRule}); !strings.Contains(got, "twice") {
		t.Errorf("the same twice: %q", got)
	}
	if got := orchestration.CheckAskRules([]string{pushRule, "Bash(npm publish:*)", "WebFetch", "WebFetch(domain:example.org)", "Edit(/infra/**)", "Edit(*.pem)", "Read(//etc/**)", "mcp__own__make", "Skill"}); got != "" {
		t.Errorf("good rules: %s", got)
	}
	p := withSteps(t, step("a"))
	p.wrong(orchestration.QuestEdited{Asks: &orchestration.Asks{Rules: []string{"Bash"}, Timeout: time.Second}}, "matches everything")
}
