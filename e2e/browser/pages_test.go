package browser_test

import (
	"fmt"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// Every page is accessible: in light and dark, on a desk and on a phone, and
// none of them scrolls sideways.
func TestPagesAreAccessible(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	gated := handlerstest.Begin(s.engine, "Show the exchange rate on invoices")
	gated.ToPlanGate()
	young := handlerstest.Begin(s.engine, "A quest that has just begun")
	writeOutput(s, party)
	writeFirst(s, young)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.url + "/questions")
	b.accessible("login")
	b.shot("login")
	b.open(s.login)
	pages := []namedPage{
		{"quests", "/quests"}, {"new", "/quests/new"}, {"board", "/quests/" + party.Quest},
		{"board-young", "/quests/" + young.Quest}, {"board-gate", "/quests/" + gated.Quest},
		{"step-running", "/quests/" + party.Quest + "/steps/form"}, {"step-question", "/quests/" + party.Quest + "/steps/cookie"},
		{"step-stopped", "/quests/" + party.Quest + "/steps/limit"}, {"step-done", "/quests/" + party.Quest + "/steps/store"},
		{"step-plan", "/quests/" + party.Quest + "/steps/plan"},
		{"inbox", "/questions"}, {"question", "/questions/" + party.Quest + "-q1"},
		{"gate", "/quests/" + gated.Quest + "/gates/plan"}, {"gate-requirements", "/quests/" + gated.Quest + "/gates/requirements"},
		{"line", "/runs/" + runOf(s, party, "form") + "/lines/2"}, {"missing", "/quests/nowhere"},
	}
	b.auditAll(s.url, pages)
	eval[any](b, `void document.body.append(document.createElement('button'))`)
	if len(b.audit()) == 0 {
		t.Error("the audit does not find a button without a name: it has gone blind")
	}
}

type namedPage struct{ name, path string }

// auditAll reads each page in light and dark, on a desk and on a phone.
func (b *tab) auditAll(site string, pages []namedPage) {
	b.t.Helper()
	for _, page := range pages {
		for _, theme := range []string{"light", "dark"} {
			for _, width := range []int64{1440, 390} {
				b.theme(theme)
				b.size(width, 900)
				b.open(site + page.path)
				what := fmt.Sprintf("%s-%s-%d", page.name, theme, width)
				b.live()
				b.shot(what)
				b.accessible(what)
				if wide := eval[int64](b, "document.documentElement.scrollWidth"); wide > width {
					b.t.Errorf("%s is %d wide", what, wide)
				}
			}
		}
	}
}

func writeOutput(s *site, party *handlerstest.Party) {
	run := runOf(s, party, "form")
	s.output.Write(run,
		`{"type":"system","subtype":"init","session_id":"0b7f3f0c","model":"claude-opus"}`,
		`{"type":"assistant","message":{"content":[{"type":"text","text":"I read the step.\n<b>Next</b>: the form."}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"go test ./internal/form"}}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","content":"ok  internal/form 0.41s"}]}}`,
		"\x1b[31mplain\x1b[0m text, no JSON", `{"type":"a future type"}`)
	for i := range 300 {
		s.output.Write(run, fmt.Sprintf(`{"type":"assistant","message":{"content":[{"type":"text","text":"Line of thought number %d"}]}}`, i))
	}
}

func writeFirst(s *site, party *handlerstest.Party) {
	run := party.Start(orchestration.LineRequirements)
	s.output.Write(run, `{"type":"assistant","message":{"content":[{"type":"text","text":"I look around in the repository."}]}}`)
}
