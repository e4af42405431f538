package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
)

// longRun returns a typical conversation with 3,000 lines of output before it and 3,000
// after it.
func longRun() []string {
	lines := stream(0, 3000)
	lines = append(lines, conversation()...)
	return append(lines, stream(3000, 3000)...)
}

const seenText = `document.querySelector('.log-rows').textContent`

// Everything in a log works by keyboard: follow, search, go to errors, open, close.
func TestTheLogIsReadByKeyboard(t *testing.T) {
	t.Parallel()
	s, b, run := logPage(t, longRun()...)
	b.until(seenText + `.includes('package5999')`)
	b.do(chromedp.Focus("#step-title"), chromedp.KeyEvent("f"))
	b.until(`document.querySelector('[data-log=follow]').ariaPressed === 'false'`)
	s.output.Write(run, "one more")
	b.until(`document.querySelector('.jump').textContent.includes('(1 new)')`)

	b.do(chromedp.Focus("#newest-log-find"))
	// At once: a search for the first letters would find the same.
	eval[any](b, `document.execCommand('insertText', false, 'Internal/Form')`)
	b.until(`document.querySelector('.log-count').textContent === '1/5' && document.querySelector('.row.marked')?.textContent.includes('Read')`)
	b.do(enter, enter)
	b.until(`document.querySelector('.log-count').textContent === '3/5'`)
	b.do(chromedp.Focus(".log-scroll"), chromedp.KeyEvent("N"))
	// The second hit is in a tool's result: its call is opened.
	b.until(`document.querySelector('.log-count').textContent === '2/5' && document.querySelector('.row.marked.open .detail')?.textContent.includes('internal/form/form.go:3')`)
	b.do(chromedp.KeyEvent("n"))
	b.until(`document.querySelector('.log-count').textContent === '3/5' && document.querySelector('.row.marked')?.textContent.includes('Edit')`)
	b.do(chromedp.Focus(".row.marked .opens"), enter)
	b.until(`document.querySelector('.row.marked.open .detail ins') && document.activeElement.ariaExpanded === 'true'`)
	b.do(enter)
	b.until(`!document.querySelector('.row.marked.open')`)

	b.do(chromedp.Focus("[data-log=errors]"), chromedp.KeyEvent(" "))
	b.until(`document.querySelectorAll('.row').length === 2 && ` + seenText + `.includes('go test ./internal/form') && ` + seenText + `.includes('the check went red')`)
	b.shot("log-errors")
	s.output.Write(run, `{"type":"ward","subtype":"end","exit_code":2,"duration_ms":1,"why":"red again"}`)
	b.until(seenText + `.includes('red again')`)
	b.do(chromedp.KeyEvent(" "))
	b.until(seenText + `.includes('red again') && ` + seenText + `.includes('package5999')`)

	tall := `[...document.querySelectorAll('.row')].some((row) => row.offsetHeight > 40 && row.dataset.kind === 'raw')`
	s.output.Write(run, strings.Repeat("a long line ", 40))
	b.until(seenText + `.includes('a long line')`)
	if eval[bool](b, tall) {
		t.Error("a line is wrapped although nobody asked for that")
	}
	b.do(chromedp.Focus("[data-log=wrap]"), chromedp.KeyEvent(" "))
	b.until(tall)
}

// A link to a line leads to it, even far from the end. A line's number is such a link.
func TestALineHasALink(t *testing.T) {
	t.Parallel()
	s, b, run := logPage(t, longRun()...)
	q := strings.SplitN(run, "-r", 2)[0]
	// Line 3015 is a result: it is within the call on line 3014.
	b.open(s.url + "/quests/" + q + "/steps/form?run=" + run + "#L3015")
	b.live()
	b.until(`document.querySelector('.row.marked.open')?.dataset.n === '3014' && document.querySelector('.row.marked .detail')?.textContent.includes('want 422')`)
	port := `document.querySelector('.log-scroll').getBoundingClientRect()`
	row := `document.querySelector('.row.marked').getBoundingClientRect()`
	if !eval[bool](b, row+`.top >= `+port+`.top && `+row+`.top < `+port+`.bottom`) {
		t.Error("the line is not in sight")
	}
	b.shot("log-link")
	b.click(`.row[data-n="3016"] .ln`)
	b.until(`location.hash === '#L3016' && document.querySelector('.row.marked').dataset.n === '3016'`)
	b.do(chromedp.Navigate("about:blank"))
	b.open(s.url + "/quests/" + q + "/steps/form?run=" + run + "#L3016")
	b.until(`document.querySelector('.row.marked')?.dataset.n === '3016'`)
}

// The log, its pages, a line of it, and the raw output are accessible.
func TestLogsAreAccessible(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	run := runOf(s, party, "form")
	s.output.Write(run, conversation()...)
	b := newTab(t)
	b.open(s.login)
	step := "/quests/" + party.Quest + "/steps/form"
	b.auditAll(s.url, []namedPage{{"log-step", step}, {"log-raw", step + "/raw"}, {"log-pages", "/runs/" + run + "/log"}, {"log-edit", "/runs/" + run + "/lines/12"}})
	if got := eval[string](b, `document.querySelector('.detail').textContent`); !strings.Contains(got, "url.Values") {
		t.Errorf("the line's page says %q", got)
	}
	b.open(s.url + step + "/raw")
	b.until(`document.querySelectorAll('.row').length > 5 && document.querySelector('h1').textContent.startsWith('Raw output')`)
	eval[any](b, `void (document.querySelector('.log-scroll').scrollTop = 0)`)
	b.until(`document.querySelector('.row[data-n="1"] .opens')`)
	b.click(`.row[data-n="1"] .opens`)
	b.until(`document.querySelector('.detail pre')?.textContent.includes('\n  "subtype": "init"')`)
	b.accessible("an opened raw line")
	b.shot("log-raw-open")
	b.open(s.url + step)
	b.until(`document.querySelector('.row .opens')`)
	eval[any](b, `void document.querySelectorAll('.row .opens').forEach((link) => link.click())`)
	// The size of the window decides how many rows are in sight. Each of them opens.
	b.until(`document.querySelectorAll('.row.open').length > 1 && !document.querySelector('.row.open:not(:has(.detail))')`)
	for _, theme := range []string{"light", "dark"} {
		b.theme(theme)
		b.accessible("opened rows in the " + theme)
		b.shot("log-open-" + theme)
	}
	s.output.Write(run, fmt.Sprintf(`{"type":"assistant","message":{"content":[{"type":"text","text":%q}]}}`, strings.Repeat("A long paragraph. ", 400)))
	eval[any](b, `void document.querySelector('.jump').click()`)
	b.until(`[...document.querySelectorAll('.say .opens')].some((link) => link.textContent === 'Show all')`)
}
