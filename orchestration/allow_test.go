package orchestration_test

import (
	"strings"
	"testing"

	"questboard/orchestration"
)

const fetchRule = "WebFetch(domain:example.org)"

// denied is the exit of a run that was refused a call.
var denied = orchestration.Exit{Denied: []string{"WebFetch"},
	DeniedCalls: []orchestration.DeniedCall{{Tool: "WebFetch", Text: "https://example.org/a", Rule: fetchRule}}}

// stoppedAfterADenial lets the person stop a run that has been refused a call.
func (p *player) stoppedAfterADenial(step string) *orchestration.Run {
	p.t.Helper()
	r := p.at(step, orchestration.Codeweaver)
	p.do(orchestration.SessionOpened{Run: r.ID, SessionID: r.SessionID})
	p.do(orchestration.StopPressed{Run: r.ID})
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndInterrupted, Exit: denied})
	return p.q.Run(r.ID)
}

// docs/state-machine.md#permission
func TestAllow_theSessionThatWasDeniedACallIsResumedWithTheRule(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	r := p.stoppedAfterADenial("a")
	press := orchestration.RuleAllowed{Run: r.ID, Rule: fetchRule, For: orchestration.AllowStep}
	p.do(press)
	next := p.q.Run(p.q.Step("a").Run)
	if next.ResumedFrom != r.ID || next.Brief.Allowed != fetchRule || next.Brief.Message != "" || p.q.Step("a").Hold != orchestration.HoldNone {
		t.Fatalf("%s: %+v", next.State, next.Launch)
	}
	if said := p.q.Decisions(); len(said) > 0 {
		t.Errorf("other agents are told %+v", said)
	}
	p.grant()
	if next = p.at("a", orchestration.Codeweaver); strings.Join(next.Allow, "") != fetchRule || len(p.at("b", orchestration.Codeweaver).Allow) > 0 {
		t.Errorf("the run may %q, and another step %q", next.Allow, p.at("b", orchestration.Codeweaver).Allow)
	}
	p.do(orchestration.SessionOpened{Run: next.ID, SessionID: next.SessionID})
	version := p.q.Version
	if p.do(press); p.q.Version != version {
		t.Error("a second press does something")
	}
}

func TestAllow_forTheQuestARuleCountsInEachStepFromTheNextRunOn(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	b := p.at("b", orchestration.Codeweaver)
	r := p.stoppedAfterADenial("a")
	p.do(orchestration.RuleAllowed{Run: r.ID, Rule: " " + fetchRule + " ", For: orchestration.AllowQuest})
	if got := p.q.Run(b.ID); len(got.Allow) > 0 || got.Stopping != "" {
		t.Errorf("a run at work got %q", got.Allow)
	}
	p.do(orchestration.SessionOpened{Run: b.ID, SessionID: b.SessionID})
	p.do(orchestration.MessageSent{Run: b.ID, Text: "look again"})
	p.exit(b, orchestration.EndInterrupted)
	p.grant()
	if got := p.at("b", orchestration.Codeweaver); strings.Join(got.Allow, "") != fetchRule {
		t.Errorf("the next run of another step may %q", got.Allow)
	}
	none := []orchestration.Allowance{}
	p.wrong(orchestration.QuestEdited{Allowances: &[]orchestration.Allowance{{Rule: "WebSearch"}}}, "only be removed")
	p.do(orchestration.QuestEdited{Allowances: &none})
	if len(p.q.Allowances) != 0 {
		t.Errorf("still allowed: %+v", p.q.Allowances)
	}
}

// The denied session is over, and another agent works on.
func TestAllow_anotherAgentAtWorkIsNotStopped(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.SessionOpened{Run: r.ID, SessionID: r.SessionID})
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "a", Summary: "done"}})
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: denied})
	p.grant()
	newest := p.q.Step("a").Run
	p.do(orchestration.RuleAllowed{Run: r.ID, Rule: fetchRule, For: orchestration.AllowStep})
	if p.q.Step("a").Run != newest || p.q.Run(newest).Stopping != "" || len(p.q.Allowances) != 1 {
		t.Errorf("%s is at work, before it %s; allowed %+v", p.q.Step("a").Run, newest, p.q.Allowances)
	}
}

func TestAllow_aRuleThatAllowsTooMuchIsRefused(t *testing.T) {
	t.Parallel()
	for rule, why := range map[string]string{
		"": "cannot be read", "npm test": "cannot be read", "Bash(a\nb)": "cannot be read", "Bash(a, b)": "ends a rule at a comma",
		"Bash": "a rule allows what a person has looked at", "Bash(*)": "allows every program", "Bash(* --version)": "allows every program", "Bash(:*)": "matches everything",
		"Edit(/**)": "matches everything", "Read": "matches everything", "Telnet": "no tool", "AskUserQuestion": "no tool", "mcp__quest__plan-steps": "for the server alone",
		"Bash(" + strings.Repeat("x", 2000) + ")": "2000 are allowed", "Bash(" + strings.Repeat("x", 10_001) + ")": "10,000 are allowed",
	} {
		if got := orchestration.CheckAllowRule(orchestration.Codeweaver, rule); !strings.Contains(got, why) || len(got) > 500 {
			t.Errorf("%.40q: %q does not say %q", rule, got, why)
		}
	}
	for _, rule := range []string{"Bash(npm test)", "Bash(npm view *)", fetchRule, "WebSearch", "Edit(//etc/hosts)", "mcp__own__make"} {
		if got := orchestration.CheckAllowRule(orchestration.Codeweaver, rule); got != "" {
			t.Errorf("%s: %s", rule, got)
		}
	}
	for _, rule := range []string{"Edit(//etc/hosts)", "Bash(touch a)", "Bash(rm *)", "Bash(mkdir:*)"} {
		if got := orchestration.CheckAllowRule(orchestration.PathSeeker, rule); !strings.Contains(got, "only reads") {
			t.Errorf("a role that reads may change files with %s: %q", rule, got)
		}
		if got := orchestration.CheckAllowRule(orchestration.Codeweaver, rule); got != "" {
			t.Errorf("a role that writes may not: %q", got)
		}
	}
	p := withSteps(t, step("a"))
	r := p.stoppedAfterADenial("a")
	p.wrong(orchestration.RuleAllowed{Run: r.ID, Rule: "Bash(*)", For: orchestration.AllowStep}, "allows every program")
	p.wrong(orchestration.RuleAllowed{Run: r.ID, Rule: fetchRule, For: orchestration.AllowOnce}, `"once" is not possible`)
}

func TestAllow_isOfferedOnlyForWhatARuleCanAllow(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.StopPressed{Run: r.ID})
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndInterrupted, Exit: orchestration.Exit{DeniedCalls: []orchestration.DeniedCall{{Tool: "AskUserQuestion"}, {Tool: "mcp__quest__plan-steps"}}}})
	p.refused(orchestration.RuleAllowed{Run: r.ID, Rule: fetchRule, For: orchestration.AllowStep}, "denied nothing that a rule can allow")
	reader := orchestration.Run{Launch: orchestration.Launch{Role: orchestration.PathSeeker}}
	for tool, want := range map[string]bool{"Bash": true, "Edit": false, "Write": false, "WebFetch": true, "mcp__own__make": true, "Skill": true} {
		if got := reader.MayBeAllowed(orchestration.DeniedCall{Tool: tool}); got != want {
			t.Errorf("%s to a role that reads: %v", tool, got)
		}
	}
	if reader.MayBeAllowed(orchestration.DeniedCall{Tool: "Bash", Text: "touch a", Rule: "Bash(touch a)"}) {
		t.Error("a role that reads may change files with touch")
	}
}

// A rule counts for runs that start after it, and until they end.
func TestPermission_theRulesOfARunAreThoseOfItsStart(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	a := p.at("a", orchestration.Codeweaver)
	first := a.ID
	p.do(orchestration.QuestEdited{Asks: &orchestration.Asks{Rules: []string{pushRule}}})
	p.do(orchestration.SessionOpened{Run: a.ID, SessionID: a.SessionID})
	p.do(orchestration.MessageSent{Run: a.ID, Text: "again"})
	p.exit(a, orchestration.EndInterrupted)
	p.grant()
	p.do(orchestration.QuestEdited{Asks: &orchestration.Asks{}})
	if a = p.at("a", orchestration.Codeweaver); strings.Join(a.Ask, "") != pushRule {
		t.Errorf("the run asks about %q", a.Ask)
	}
	if before := p.q.Run(first); len(before.Ask) != 0 {
		t.Errorf("a run that was there before asked about %q", before.Ask)
	}
}

// Three people can ask: who began the quest, who set up its role, and who wrote the repository's file.
func TestPermission_aRunHasTheRulesOfItsQuestItsRoleAndItsRepository(t *testing.T) {
	t.Parallel()
	role := func(role orchestration.Role, rules ...string) map[orchestration.Role][]string {
		return map[orchestration.Role][]string{role: rules}
	}
	for name, c := range map[string]struct {
		quest, file []string
		roles       map[orchestration.Role][]string
		want        string
	}{
		"nobody":                {},
		"the quest":             {quest: []string{pushRule}, want: pushRule},
		"the role":              {roles: role(orchestration.Codeweaver, fetchRule), want: fetchRule},
		"another role":          {roles: role(orchestration.Siegemaster, fetchRule)},
		"the repository":        {file: []string{"Bash(make deploy)"}, want: "Bash(make deploy)"},
		"all":                   {[]string{pushRule}, []string{"Bash(make deploy)"}, role(orchestration.Codeweaver, fetchRule), pushRule + ", " + fetchRule + ", Bash(make deploy)"},
		"all with the same":     {[]string{pushRule}, []string{pushRule}, role(orchestration.Codeweaver, pushRule), pushRule},
		"the role and the file": {nil, []string{pushRule, fetchRule}, role(orchestration.Codeweaver, fetchRule), fetchRule + ", " + pushRule},
	} {
		n := newQuest()
		n.Plan, n.Asks.Rules = &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a")}}, c.quest
		if c.file != nil {
			n = n.WithFile(&orchestration.RepoFile{Commit: "c0ffee", Ask: c.file})
		}
		p := create(t, n)
		p.do(orchestration.SlotGranted{Step: "a", Slot: 1, SessionID: "s", Ask: c.roles})
		if got := strings.Join(p.newestOf("a").Ask, ", "); got != c.want {
			t.Errorf("%s: the run asks about %q, want %q", name, got, c.want)
		}
	}
}

// Two calls of one message, of which the CLI asks one after the other, or at the same time.
func TestPermission_ofTwoEqualCallsOneIsMadeAndOneIsAskedAbout(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.exit(p.asksFor("a", push("x")), orchestration.EndInterrupted)
	p.decided(orchestration.AllowOnce, "")
	r := p.asksFor("a", push("x"))
	if p.q.AskedAbout(r.ID, push("x")) || !p.q.Questions.At(0).Calls[0].Used {
		t.Fatal("the first of them waits")
	}
	p.do(orchestration.PermissionAsked{Run: r.ID, Call: push("x")})
	if !p.q.AskedAbout(r.ID, push("x")) || p.q.Questions.Len() != 2 || len(p.q.Questions.At(1).Calls) != 1 {
		t.Fatalf("the second passes: %d questions", p.q.Questions.Len())
	}
	p.do(orchestration.PermissionAsked{Run: r.ID, Call: push("x")})
	if calls := p.q.Questions.At(1).Calls; len(calls) != 1 {
		t.Errorf("a third is another line of the question: %+v", calls)
	}
}

// The question has the calls, so the history does not repeat them.
func TestPermission_theAnswerIsShortInTheHistory(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.asksFor("a", push(strings.Repeat("x", 10_000)))
	p.do(orchestration.PermissionAsked{Run: r.ID, Call: push("y")})
	p.exit(r, orchestration.EndInterrupted)
	id := p.q.Questions.At(0).ID
	p.do(orchestration.AnswerGiven{Question: id, Decisions: []orchestration.CallDecision{orchestration.AllowOnce, orchestration.DenyCall}, Answer: "not on a Friday"})
	for _, e := range p.last.Events {
		if e.Type == orchestration.EventQuestionAnswered && e.Data["answer"] != "once, deny: not on a Friday" {
			t.Errorf("the history has %.200q", e.Data["answer"])
		}
	}
	if told := p.q.Run(p.q.Step("a").Run).Brief.Answer; !strings.Contains(told, strings.Repeat("x", 10_000)) {
		t.Errorf("the agent is told %.200q", told)
	}
}
