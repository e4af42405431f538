package browser_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// allProse has every element that a text of an agent may have.
const allProse = "Which login?\n\n1. the internal **SSO** (sso.corp)\n2. the vendor's\n   - with `a key`\n   - without\n     1. and one below\n3. none\n\n" +
	"# A heading\n\n- a point\n\n> said before\n\n```go\nfunc main() {}\n```\n\n| name | rule |\n|---|---|\n| rate | above 0 |\n\n---\n\nSee [it](https://example.org/)."

// A text of an agent looks the same wherever it is shown: numbers stay numbers, and the
// surroundings do not change the style of a list, a heading, code or a table.
func TestProseLooksTheSameWhereverItStands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Begin(s.engine, "Add login to billing")
	run := party.Start(orchestration.StepRequirements)
	party.Signal(orchestration.StepRequirements, orchestration.Signal{Kind: orchestration.NeedsUserInput, Question: allProse, Context: allProse})
	said, err := json.Marshal(allProse)
	if err != nil {
		t.Fatal(err)
	}
	s.output.Write(run, `{"type":"assistant","message":{"content":[{"type":"text","text":`+string(said)+`}]}}`)
	described := handlerstest.Begin(s.engine, "A plan in prose")
	described.ToPlanGate()
	describe(s, described, allProse)

	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	q := "/quests/" + party.Quest
	looks, seen := map[string]string{}, 0
	for _, path := range []string{"/questions/" + party.Quest + "-q1", "/questions", q + "/steps/requirements", q + "/steps/requirements/signals",
		"/runs/" + run + "/log", "/runs/" + run + "/lines/1", "/quests/" + described.Quest + "/gates/plan", "/quests/" + described.Quest + "/steps/plan"} {
		b.open(s.url + path)
		for _, element := range eval[[]string](b, proseLooks) {
			name, look, _ := strings.Cut(element, ": ")
			seen++
			if looks[name] == "" {
				looks[name] = look
			}
			if looks[name] != look {
				t.Errorf("%s: %s is %s; on the first page it is %s", path, name, look, looks[name])
			}
		}
	}
	for name, want := range map[string]string{"ol > li": "list-item", "ol": "decimal", "ul": "disc"} {
		if !strings.Contains(looks[name], want) {
			t.Errorf("%s is %q, and not %s", name, looks[name], want)
		}
	}
	if seen < 8*20 {
		t.Errorf("only %d elements were looked at", seen)
	}
}

// proseLooks is how each element of the Markdown on the page looks, by its place
// in it.
const proseLooks = `[...document.querySelectorAll('.md')].filter((md) => md.querySelector('ol')).flatMap((md) =>
	[...md.querySelectorAll('ol, ul, li, h4, p, blockquote, pre, code, table, th, td, a, strong')].map((e) => {
		const is = getComputedStyle(e);
		const parent = e.parentElement === md ? '' : e.parentElement.tagName.toLowerCase() + ' > ';
		return parent + e.tagName.toLowerCase() + ': ' + [is.display, /^[OUL]/.test(e.tagName) ? is.listStyleType : '', is.borderLeftWidth, is.borderTopWidth, is.paddingLeft, is.paddingTop, is.marginTop,
			is.boxShadow, is.fontWeight, is.position].join(' ');
	}))`

// describe gives every step of a plan this description.
func describe(s *site, party *handlerstest.Party, text string) {
	q, err := s.engine.Quest(context.Background(), party.Quest)
	if err != nil {
		panic(err)
	}
	out := *q
	for i, step := range out.Steps.All() {
		named := *step
		named.Description = text
		out.Steps = out.Steps.With(i, &named)
	}
	s.engine.Replace(orchestration.Restore(&out))
}
