package browser_test

import (
	"fmt"
	"hash/crc32"
	"os"
	"time"

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

// look is a theme and a window size in which a page is shown.
type look struct {
	theme string
	width int64
}

// looks are shown one after the other, without reloading the page. Each page gets both
// themes and both widths, in one of two combinations that its name chooses; `make soak`
// tries all of them.
func looks(name string) []look {
	if os.Getenv("QUESTBOARD_LOOKS") != "all" {
		if crc32.ChecksumIEEE([]byte(name))%2 == 0 {
			return []look{{"light", 1440}, {"dark", 390}}
		}
		return []look{{"dark", 1440}, {"light", 390}}
	}
	var all []look
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{1440, 390, 320} {
			all = append(all, look{theme, width})
		}
	}
	return all
}

// auditLooks audits the page that is loaded.
func (b *tab) auditLooks(name string) {
	b.t.Helper()
	for _, look := range looks(name) {
		b.theme(look.theme)
		b.size(look.width, 900)
		what := fmt.Sprintf("%s-%s-%d", name, look.theme, look.width)
		b.shot(what)
		b.accessible(what)
		if wide := eval[int64](b, "document.documentElement.scrollWidth"); wide > look.width {
			b.t.Errorf("%s is %d wide", what, wide)
		}
		for fault, of := range map[string]string{"words are broken": brokenWords, "untidy": untidy} {
			if found := b.settled(of); found != "" {
				b.t.Errorf("%s: %s: %s", what, fault, found)
			}
		}
	}
}

// settled returns the faults that an expression names, once they are gone or last: a page
// hears late of its new size where the machine is busy.
func (b *tab) settled(faults string) string {
	b.t.Helper()
	found := eval[string](b, faults)
	for n := 0; found != "" && n < 100; n++ {
		<-time.After(pollEvery)
		found = eval[string](b, faults)
	}
	return found
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
