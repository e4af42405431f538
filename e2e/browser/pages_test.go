package browser_test

import (
	"fmt"
	"os"

	"questboard/handlers/handlerstest"
)

type namedPage struct{ name, path string }

// auditAll reads each page in light and dark, on a desk and on a phone.
func (b *tab) auditAll(site string, pages []namedPage) {
	b.t.Helper()
	for _, page := range pages {
		b.size(1440, 900)
		b.theme("light")
		b.open(site + page.path)
		b.live()
		b.auditLooks(page.name)
	}
}

// look is how a page is looked at.
type look struct {
	theme string
	width int64
	rules string
}

// looks come one after the other, without loading the page anew: light and dark
// differ in colours alone, and the width in all but those.
func looks() []look {
	if os.Getenv("QUESTBOARD_LOOKS") != "all" {
		return []look{{"light", 1440, allRules}, {"dark", 1440, colourRules}, {"dark", 390, allRules}, {"light", 390, colourRules}}
	}
	var all []look
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{1440, 390, 320} {
			all = append(all, look{theme, width, allRules})
		}
	}
	return all
}

// auditLooks audits the page that is loaded.
func (b *tab) auditLooks(name string) {
	b.t.Helper()
	for _, look := range looks() {
		b.theme(look.theme)
		b.size(look.width, 900)
		what := fmt.Sprintf("%s-%s-%d", name, look.theme, look.width)
		b.shot(what)
		b.accessibleFor(look.rules, what)
		if wide := eval[int64](b, "document.documentElement.scrollWidth"); wide > look.width {
			b.t.Errorf("%s is %d wide", what, wide)
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
