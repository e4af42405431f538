package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// needing returns quests that need a person, by kind. Each has agents at work with a long
// output, as when a person comes to look.
func needing(s *site) map[string]*handlerstest.Party {
	const title = "Show the exchange rate on every invoice that is in another currency"
	quests := map[string]*handlerstest.Party{}
	begin := func(kind string) *handlerstest.Party {
		quests[kind] = handlerstest.Begin(s.engine, title)
		return quests[kind]
	}
	building := func(kind string) *handlerstest.Party {
		party := begin(kind)
		party.ToPlanGate()
		s.submit(party, orchestration.GateDecided{Gate: orchestration.StepPlan, Approve: true})
		return party
	}
	begin("requirements").ToRequirementsGate()
	begin("plan").ToPlanGate()
	asks := building("question")
	asks.Start("cookie")
	asks.Signal("cookie", orchestration.Signal{Kind: orchestration.NeedsUserInput, Question: handlerstest.Question + "\n\n1. the internal SSO\n2. the vendor's",
		Context: strings.Repeat("Both are configured in internal/config.go. The SSO has no test instance.\n\n", 12)})
	building("permission").AskPermission("cookie", orchestration.Call{Tool: "Bash", Text: "git push origin main", Rules: []string{"Bash(git push *)"}})
	blocked := building("blocked")
	run := blocked.Start("limit")
	s.submit(blocked, orchestration.StopPressed{Run: run})
	blocked.Exit(run, orchestration.EndCrashed, orchestration.Exit{Code: 143, Why: "ended by a signal", Stderr: strings.Repeat("error: no such host\n", 40)})
	for kind, party := range quests {
		for _, step := range []string{orchestration.StepRequirements, orchestration.StepPlan, "cookie", "limit"} {
			if at := stepOf(s, party, step); at != nil && at.Run != "" {
				writeLines(s, at.Run, 300)
			}
		}
		if kind == "question" || kind == "permission" || kind == "blocked" {
			s.engine.Say(party.Start("store"), "Read store.go")
		}
	}
	return quests
}

// outOfSight says what of the first of these elements is not in the window or is covered, or
// that there is none.
func outOfSight(selector string) string {
	return fmt.Sprintf(`((all) => {
		const e = all.find((e) => e.checkVisibility());
		if (!e) return 'there is none';
		const { left, right, top, bottom, width, height } = e.getBoundingClientRect();
		if (left < 0 || right > innerWidth + 1 || top < 0 || bottom > innerHeight) return [left, top, right, bottom].map(Math.round) + ' in ' + [innerWidth, innerHeight];
		const hit = document.elementFromPoint(left + width / 2, top + height / 2);
		return e.contains(hit) || e.control?.contains(hit) ? '' : 'covered by ' + hit?.tagName + '.' + hit?.className;
	})([...document.querySelectorAll(%q)])`, selector)
}

// A person who opens the board, the list of what needs them or the page on which they decide
// sees what is asked of them and the first button at once, in any window.
func TestWhatNeedsYouIsInSight(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := newTab(t)
	b.open(s.login)
	quests := needing(s)
	see := func(what, path, asked, button string) {
		t.Helper()
		for _, screen := range screens {
			b.size(screen[0], screen[1]) // before the page comes: it may scroll to what has the focus
			b.open(s.url + path)
			b.live()
			name := fmt.Sprintf("%s-%dx%d", what, screen[0], screen[1])
			b.shot("sight-" + name)
			for _, selector := range []string{asked, button} {
				if fault := b.settled(outOfSight(selector)); fault != "" {
					t.Errorf("%s: %s: %s", name, selector, fault)
				}
			}
		}
	}
	for kind, decide := range map[string][3]string{
		"requirements": {"/gates/requirements", "#main h2", "#gate form button.primary"},
		"plan":         {"/gates/plan", "#main h2", "#gate form button.primary"},
		"question":     {"/steps/cookie", "#step-question .quote", "#step-question .options button, #step-question textarea"},
		"permission":   {"/steps/cookie", "#step-question pre", "#step-question button[name=decision]"},
		"blocked":      {"/steps/limit", "#panel .reason, #panel p", "#panel form button"},
	} {
		quest := quests[kind].Quest
		see(kind+" on the board", "/quests/"+quest, "#alerts .alert p", "#alerts .alert :is(a.button, button)")
		see(kind+" in the list", "/questions?quest="+quest, "#inbox-found > li h2, #inbox > li h2", "#main .inbox .actions :is(a, button), #main .inbox button")
		see(kind+" where it is decided", "/quests/"+quest+decide[0], decide[1], decide[2])
	}
}
