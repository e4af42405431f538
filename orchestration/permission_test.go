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
	if !p.q.AskedAbout(asked.ID, push("x")) || question.Says() != "Bash: git push origin x" || question.Context != "it is ready" || asked.State != orchestration.RunSignalled {
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
	if p.q.AskedAbout(r.ID, push("x")) || !p.q.Questions.At(0).Calls[0].Used {
		t.Errorf("the call was allowed, and may not be made: %+v", p.q.Questions.At(0).Calls)
	}
	p.do(orchestration.PermissionAsked{Run: r.ID, Call: push("x")})
	if !p.q.AskedAbout(r.ID, push("x")) || p.q.Questions.Len() != 2 {
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
			if got := !p.q.AskedAbout(r.ID, c); got != want {
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
	if p.q.Questions.Len() != 1 || p.q.Run(r.ID).Signal != nil {
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

// overdue lets the time of the newest question run out.
func (p *player) overdue() {
	p.t.Helper()
	p.now = p.now.Add(time.Hour)
	p.do(orchestration.QuestionOverdue{Question: p.q.Questions.At(p.q.Questions.Len() - 1).ID})
}

func TestPermission_nobodyAnswersUntilTheTimeIsUp(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.do(orchestration.QuestEdited{Asks: &orchestration.Asks{Rules: []string{pushRule}, Timeout: time.Hour}})
	p.exit(p.asksFor("a", push("x")), orchestration.EndInterrupted)
	question := p.q.Questions.At(0)
	if at := p.q.OverdueAt(question); !at.Equal(question.AskedAt.Add(time.Hour)) {
		t.Errorf("it ends at %v", at)
	}
	p.do(orchestration.QuestionOverdue{Question: question.ID})
	if !p.q.Questions.At(0).Open() {
		t.Error("it was denied too early")
	}
	p.overdue()
	if r := p.at("a", orchestration.Codeweaver); !strings.Contains(r.Brief.Answer, "nobody answered within 1h") || strings.Contains(r.Brief.Answer, "Denied") {
		t.Errorf("the agent is told %q", r.Brief.Answer)
	}
	if question = p.q.Questions.At(0); !question.Overdue() || question.Calls[0].Decision != "" || question.Reason != "" {
		t.Errorf("a decision that nobody made is stored: %+v", question)
	}
	p.refused(orchestration.AnswerGiven{Question: question.ID, Decisions: []orchestration.CallDecision{orchestration.AllowOnce}}, "nobody answered in time")
}

// The person was away, and has denied nothing.
func TestPermission_whatNobodyAnsweredIsAskedAgainInALaterRun(t *testing.T) {
	t.Parallel()
	for _, fresh := range []bool{false, true} {
		p := withSteps(t, step("a"))
		p.do(orchestration.QuestEdited{Asks: &orchestration.Asks{Rules: []string{pushRule}, Timeout: time.Hour}})
		p.exit(p.asksFor("a", push("x")), orchestration.EndInterrupted)
		p.overdue()
		r := p.at("a", orchestration.Codeweaver)
		p.refused(orchestration.PermissionAsked{Run: r.ID, Call: push("x")}, "nobody answered in time")
		p.exit(p.asksFor("a", push("y")), orchestration.EndInterrupted)
		p.overdue()
		r = p.at("a", orchestration.Codeweaver)
		p.refused(orchestration.PermissionAsked{Run: r.ID, Call: push("x")}, "nobody answered in time")
		p.do(orchestration.StopPressed{Run: r.ID})
		p.exit(p.q.Run(r.ID), orchestration.EndInterrupted)
		p.do(orchestration.RetryPressed{Step: "a", Fresh: fresh})
		if r = p.asksFor("a", push("x")); !p.q.AskedAbout(r.ID, push("x")) {
			t.Errorf("fresh %v: after Retry nobody is asked", fresh)
		}
	}
}

// Once a person has answered something else, the agent may ask again.
func TestPermission_whatNobodyAnsweredIsAskedAgainWhenThePersonIsBack(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.do(orchestration.QuestEdited{Asks: &orchestration.Asks{Rules: []string{pushRule}, Timeout: time.Hour}})
	p.exit(p.asksFor("a", push("x")), orchestration.EndInterrupted)
	p.overdue()
	p.exit(p.asksFor("a", push("y")), orchestration.EndInterrupted)
	p.decided(orchestration.DenyCall, "")
	if r := p.asksFor("a", push("x")); !p.q.AskedAbout(r.ID, push("x")) {
		t.Error("nobody is asked")
	}
}

// answers decides about the calls of the newest question in their order.
func (p *player) answers(decisions ...orchestration.CallDecision) {
	p.t.Helper()
	p.do(orchestration.AnswerGiven{Question: p.q.Questions.At(p.q.Questions.Len() - 1).ID, Decisions: decisions})
}

func TestPermission_onlyALaterDecisionEndsADenial(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.asksFor("a", push("x"))
	p.do(orchestration.PermissionAsked{Run: r.ID, Call: push("--force")})
	p.exit(r, orchestration.EndInterrupted)
	p.answers(orchestration.AllowStep, orchestration.DenyCall)
	r = p.at("a", orchestration.Codeweaver)
	p.refused(orchestration.PermissionAsked{Run: r.ID, Call: push("--force")}, "the human has denied this call")
	p.do(orchestration.PermissionAsked{Run: r.ID, Call: push("y")})
	if p.q.AskedAbout(r.ID, push("y")) {
		t.Error("what the rule matches is asked about")
	}
	curl := orchestration.Call{Tool: "Bash", Text: "git push origin x && curl c", Rules: []string{pushRule, "Bash(curl *)"}}
	p.do(orchestration.PermissionAsked{Run: r.ID, Call: curl})
	if calls := p.q.Questions.At(1).Calls; len(calls) != 1 || strings.Join(calls[0].Rules, "") != "Bash(curl *)" {
		t.Errorf("asked about %+v", calls)
	}
	p.exit(r, orchestration.EndInterrupted)
	p.answers(orchestration.AllowQuest)
	r = p.at("a", orchestration.Codeweaver)
	p.refused(orchestration.PermissionAsked{Run: r.ID, Call: push("--force")}, "the human has denied this call")
}

// Two steps ask at the same time. Which question came first says nothing about the answers.
func TestPermission_theOrderOfTheAnswersTellsWhichDecisionIsLater(t *testing.T) {
	t.Parallel()
	for _, denied := range []string{"before", "after"} {
		p := withSteps(t, step("a"), step("b"))
		p.exit(p.asksFor("a", push("--force")), orchestration.EndInterrupted)
		p.exit(p.asksFor("b", push("x")), orchestration.EndInterrupted)
		answer := func(n int, d orchestration.CallDecision) {
			p.now = p.now.Add(time.Minute)
			p.do(orchestration.AnswerGiven{Question: p.q.Questions.At(n).ID, Decisions: []orchestration.CallDecision{d}})
		}
		if denied == "before" {
			answer(0, orchestration.DenyCall)
			answer(1, orchestration.AllowQuest)
		} else {
			answer(1, orchestration.AllowQuest)
			answer(0, orchestration.DenyCall)
		}
		r := p.at("a", orchestration.Codeweaver)
		err := p.try(orchestration.PermissionAsked{Run: r.ID, Call: push("--force")})
		if refused := err != nil; refused != (denied == "after") {
			t.Errorf("denied %s the quest was allowed: %v", denied, err)
		}
	}
}

// Calls can come at the same time, and be stored together. Another call that waits takes
// nothing back from one that was allowed.
func TestPermission_anotherCallOfTheRunThatWaitsDoesNotKeepAnAllowedOne(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.exit(p.asksFor("a", push("x")), orchestration.EndInterrupted)
	p.decided(orchestration.AllowOnce, "")
	r := p.asksFor("a", push("x"))
	p.do(orchestration.PermissionAsked{Run: r.ID, Call: push("y")})
	if p.q.AskedAbout(r.ID, push("x")) || !p.q.AskedAbout(r.ID, push("y")) {
		t.Error("the wrong call waits")
	}
	p.do(orchestration.SkipPressed{Step: "a", Reason: "no need"})
	if !p.q.AskedAbout(r.ID, push("y")) {
		t.Error("a call passes, because its question was closed")
	}
}

func TestPermission_whatIsDecidedIsNotAskedAgainWhileTheRunEnds(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.asksFor("a", push("x"))
	p.do(orchestration.PermissionAsked{Run: r.ID, Call: push("y")})
	p.exit(r, orchestration.EndInterrupted)
	p.answers(orchestration.AllowOnce, orchestration.DenyCall)
	r = p.asksFor("a", push("z"))
	p.refused(orchestration.PermissionAsked{Run: r.ID, Call: push("x")}, "make this call again after that")
	p.refused(orchestration.PermissionAsked{Run: r.ID, Call: push("y")}, "the human has denied this call")
	if calls := p.q.Questions.At(1).Calls; len(calls) != 1 || p.q.Questions.At(0).Calls[0].Used {
		t.Fatalf("asked about %+v; before it was %+v", calls, p.q.Questions.At(0).Calls)
	}
	p.exit(r, orchestration.EndInterrupted)
	p.answers(orchestration.AllowOnce)
	for _, branch := range []string{"x", "z"} {
		if r = p.asksFor("a", push(branch)); p.q.AskedAbout(r.ID, push(branch)) {
			t.Errorf("%s was allowed, and waits", branch)
		}
	}
}

// To another step, "make exactly this call again" would be an order.
func TestPermission_whatIsSaidAboutACallIsToldToNobodyElse(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	p.exit(p.asksFor("a", push("x")), orchestration.EndInterrupted)
	p.decided(orchestration.AllowOnce, "")
	if got := p.q.Decisions(); len(got) != 0 {
		t.Errorf("others are told %+v", got)
	}
	if b := p.at("a", orchestration.Codeweaver).Brief; b.Question != "Bash: git push origin x" || !strings.Contains(b.Answer, "Allowed once") {
		t.Errorf("the step's own run is told %+v", b)
	}
}

func TestPermission_theHistoryDoesNotRepeatALongCall(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.exit(p.asksFor("a", push("x")), orchestration.EndInterrupted)
	p.decided(orchestration.AllowStep, "")
	long := push(strings.Repeat("x", 10_000))
	p.asksFor("a", long)
	last := p.last.Events[len(p.last.Events)-1]
	if got := last.Data["call"]; last.Type != orchestration.EventCallAllowed || len(got) > 500 || !strings.HasPrefix(got, "git push origin x") {
		t.Errorf("%s: %d characters", last.Type, len(got))
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
