package orchestration_test

import (
	"testing"
	"time"

	"questboard/orchestration"
)

// withFallback has two steps, of which Codeweaver works on the first, and codex as Codeweaver's
// fallback after the usual 15 minutes.
func withFallback(t *testing.T) (*player, *orchestration.Run) {
	t.Helper()
	p := withSteps(t, step("a"), step("b"))
	p.slots = 1
	p.do(orchestration.QuestEdited{Programs: &orchestration.Programs{orchestration.Codeweaver: {Fallback: []string{"codex"}}}})
	r := p.at("a", orchestration.Codeweaver)
	p.slots = 2
	return p, r
}

func (p *player) granted() []orchestration.Grant {
	return orchestration.Assign(orchestration.Pool{Now: p.now, Slots: 3, Quests: []*orchestration.Quest{p.q}, Holds: p.holds})
}

func hold(p *player, kind orchestration.HoldKind, d time.Duration) orchestration.AccountHold {
	h := orchestration.AccountHold{Agent: "claude", Kind: kind, Since: p.now, Reason: "it is held"}
	if d > 0 {
		h.Until = p.now.Add(d)
	}
	return h
}

func TestFallback_beginsWhatIsNew_whileTheAccountIsHeldForLong(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		kind orchestration.HoldKind
		d    time.Duration
		goes bool
	}{
		"a limit for hours":         {orchestration.HoldUsage, 3 * time.Hour, true},
		"a limit for ten minutes":   {orchestration.HoldUsage, 10 * time.Minute, false},
		"no login":                  {orchestration.HoldLogin, 0, true},
		"an overload for a moment":  {orchestration.HoldOverload, time.Minute, false},
		"an overload for an age":    {orchestration.HoldOverload, 16 * time.Minute, true},
		"exactly as long as agreed": {orchestration.HoldUsage, 15 * time.Minute, false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p, _ := withFallback(t)
			p.holds = []orchestration.AccountHold{hold(p, c.kind, c.d)}
			got := p.granted()
			if goes := len(got) == 1 && got[0].Agent == "codex"; goes != c.goes || !goes && len(got) > 0 {
				t.Fatalf("%+v", got)
			}
			why := p.q.StepWhy(p.q.Step("b"), p.now, p.holds)
			if held := why.Obstacle.Kind == orchestration.ObstacleHold; held == c.goes {
				t.Errorf("the step waits for %+v", why)
			}
			if !c.goes {
				return
			}
			r := p.at("b", orchestration.Codeweaver)
			if r.Agent != "codex" || r.InPlaceOf != "claude" {
				t.Errorf("%q works in the place of %q", r.Agent, r.InPlaceOf)
			}
			p.exit(r, orchestration.EndInterrupted)
			p.holds = nil
			if again := p.at("b", orchestration.Codeweaver); again.Agent != "codex" || again.InPlaceOf != "claude" || again.ResumedFrom != r.ID {
				t.Errorf("its session is resumed by %q in the place of %q", again.Agent, again.InPlaceOf)
			}
		})
	}
}

// The conversation is one of claude, and codex cannot read it.
func TestFallback_forksNoConversation(t *testing.T) {
	t.Parallel()
	p, r := lookedAt(t, orchestration.Forks{})
	p.endsWith(r, lookedExit())
	p.do(orchestration.QuestEdited{Programs: &orchestration.Programs{orchestration.PathSeeker: {Fallback: []string{"codex"}}}})
	p.holds = []orchestration.AccountHold{hold(p, orchestration.HoldLogin, 0)}
	if planner := p.at("plan", orchestration.PathSeeker); planner.Agent != "codex" || planner.ForkedFrom != "" {
		t.Errorf("%s goes on from %q", planner.Agent, planner.ForkedFrom)
	}
}

// A person has to log in only for what cannot go on without them.
func TestFallback_whatAnotherGoesOnWithNeedsNoLogin(t *testing.T) {
	t.Parallel()
	p, r := withFallback(t)
	login := []orchestration.AccountHold{hold(p, orchestration.HoldLogin, 0)}
	if got := p.q.Needs(login); len(got) != 0 {
		t.Errorf("codex can begin b: %+v", got)
	}
	p.exit(r, orchestration.EndLogin)
	if got := kinds(p.q.Needs(login)); got != "fallback abccodex, login claudeabc" {
		t.Errorf("the session of a waits for its account: %s", got)
	}
}

func TestFallback_isNotUsedWhileItsOwnAccountIsHeld(t *testing.T) {
	t.Parallel()
	p, _ := withFallback(t)
	codex := hold(p, orchestration.HoldOverload, time.Minute)
	codex.Agent = "codex"
	p.holds = []orchestration.AccountHold{hold(p, orchestration.HoldLogin, 0), codex}
	if got := p.granted(); len(got) > 0 {
		t.Errorf("%+v", got)
	}
	p.now = p.now.Add(time.Minute)
	if got := p.granted(); len(got) != 1 || got[0].Agent != "codex" {
		t.Errorf("after the backoff of codex: %+v", got)
	}
}

func TestFallback_aSessionWaitsForItsOwnAccount_andGoesOnAfterTheReset(t *testing.T) {
	t.Parallel()
	p, r := withFallback(t)
	p.do(orchestration.SkipPressed{Step: "b", Reason: "not needed"})
	p.exit(r, orchestration.EndInterrupted)
	p.holds = []orchestration.AccountHold{hold(p, orchestration.HoldUsage, 3*time.Hour)}
	if got := p.granted(); len(got) > 0 {
		t.Fatalf("somebody resumes a session of claude: %+v", got)
	}
	needs := p.q.Needs(p.holds)
	if len(needs) != 1 || needs[0].Kind != orchestration.NeedFallback || needs[0].Step != "a" || needs[0].Agent != "codex" {
		t.Errorf("a person could have codex go on, and reads %+v", needs)
	}
	p.now = p.now.Add(3 * time.Hour)
	if again := p.at("a", orchestration.Codeweaver); again.Agent != "claude" || again.ResumedFrom != r.ID || again.InPlaceOf != "" {
		t.Errorf("after the reset %q goes on in the place of %q", again.Agent, again.InPlaceOf)
	}
}

// The stack stays: Spiritmender was called by Siegemaster, who still waits for it.
func TestFallback_aPersonHasAnotherAgentGoOnForASession(t *testing.T) {
	t.Parallel()
	p, r := withFallback(t)
	p.exit(r, orchestration.EndInterrupted)
	p.do(orchestration.FallbackPressed{Step: "a"})
	p.do(orchestration.FallbackPressed{Step: "a"}) // a second press changes nothing
	p.holds = []orchestration.AccountHold{hold(p, orchestration.HoldLogin, 0)}
	next := p.at("a", orchestration.Codeweaver)
	if next.Agent != "codex" || next.Start != orchestration.StartHandoff || next.ResumedFrom != "" || next.InPlaceOf != "claude" || next.SessionID == r.SessionID {
		t.Errorf("%s goes on as %+v, for %q", next.Agent, next.Launch, next.InPlaceOf)
	}
	if err := p.q.May(orchestration.FallbackPressed{Step: "a"}); orchestration.CodeOf(err) != orchestration.CodeConflict {
		t.Errorf("a run at work is taken over: %v", err)
	}
	p.do(orchestration.QuestEdited{Programs: &orchestration.Programs{}})
	p.exit(next, orchestration.EndInterrupted)
	if err := p.q.May(orchestration.FallbackPressed{Step: "a"}); orchestration.CodeOf(err) != orchestration.CodeConflict {
		t.Errorf("without a fallback: %v", err)
	}
}

// Its program backs off after an overload. Who goes on for it has not failed.
func TestFallback_doesNotWaitForTheBackoffOfAnother(t *testing.T) {
	t.Parallel()
	p, r := withFallback(t)
	p.do(orchestration.SkipPressed{Step: "b", Reason: "not needed"})
	p.exit(r, orchestration.EndOverloaded)
	p.do(orchestration.FallbackPressed{Step: "a"})
	p.holds = []orchestration.AccountHold{hold(p, orchestration.HoldOverload, time.Hour)}
	if got := p.granted(); len(got) != 1 || got[0].Agent != "codex" {
		t.Errorf("%+v", got)
	}
}

func TestFallback_toItselfInACircleOrToNobodyIsRefusedByRoleAndField(t *testing.T) {
	t.Parallel()
	for what, p := range map[string]orchestration.Program{
		"to itself":   {Agent: "codex", Fallback: []string{"codex"}},
		"in a circle": {Fallback: []string{"codex", "opencode", "codex"}},
		"a bad name":  {Fallback: []string{"a b"}},
		"many":        {Fallback: []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"}},
	} {
		if faults := (orchestration.Programs{orchestration.Codeweaver: p}).Faults(); faults["roles.codeweaver.fallback"] == "" || len(faults) != 1 {
			t.Errorf("%s: %v", what, faults)
		}
	}
	for _, minutes := range []int{-1, 10081} {
		if faults := (orchestration.Program{FallbackAfter: minutes}).Check(); faults["fallbackAfter"] == "" {
			t.Errorf("after %d minutes: %v", minutes, faults)
		}
	}
}

// What a level leaves out comes from the next one, but nobody works in its own place by that.
func TestFallback_isTheFirstOfTheListWhoseAccountIsFree(t *testing.T) {
	t.Parallel()
	p, _ := withFallback(t)
	p.do(orchestration.QuestEdited{Programs: &orchestration.Programs{orchestration.Codeweaver: {Fallback: []string{"gemini", "codex"}}}})
	p.holds = []orchestration.AccountHold{hold(p, orchestration.HoldLogin, 0)}
	if got := p.granted(); len(got) != 1 || got[0].Agent != "gemini" {
		t.Errorf("%+v", got)
	}
	gemini := hold(p, orchestration.HoldOverload, time.Minute)
	gemini.Agent = "gemini"
	p.holds = append(p.holds, gemini)
	if got := p.granted(); len(got) != 1 || got[0].Agent != "codex" {
		t.Errorf("while the account of gemini is held: %+v", got)
	}
}

func TestFallback_isTakenFromTheNextLevel(t *testing.T) {
	t.Parallel()
	settings := orchestration.Program{Fallback: []string{"codex", "claude"}, FallbackAfter: 30}
	got := orchestration.Program{Agent: "codex", FallbackAfter: 5}.Or(settings)
	if len(got.Fallback) != 1 || got.Fallback[0] != "claude" || got.FallbackAfter != 5 {
		t.Errorf("%+v", got)
	}
	if own := (orchestration.Program{Fallback: []string{"opencode"}}).Or(settings); len(own.Fallback) != 1 || own.FallbackAfter != 30 {
		t.Errorf("%+v", own)
	}
}
