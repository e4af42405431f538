package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

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

// A search opens the folded output that holds a hit, marks the hit and scrolls to it.
func TestASearchShowsItsHitInFoldedOutput(t *testing.T) {
	t.Parallel()
	c := &talk{at: time.Date(2026, 11, 21, 14, 2, 0, 0, time.UTC)}
	long := c.call("", "Bash", map[string]any{"command": "go test ./... " + strings.Repeat("-run TestOfALongName ", 30) + " -tags needle-in-command"})
	c.result(long, "", strings.Repeat("ok\tquestboard/one\n", 80)+"FAIL\tneedle-in-result\n"+strings.Repeat("ok\tquestboard/two\n", 80), true)
	_, b, _ := logPage(t, append(append(stream(0, 2000), c.lines...), stream(2000, 2000)...)...)
	b.until(seenText + `.includes('package3999')`)
	inSight := func(text string) string {
		return fmt.Sprintf(`[...CSS.highlights.get('found') ?? []].some((range) => {
			const [at, port] = [range.getBoundingClientRect(), document.querySelector('.log-scroll').getBoundingClientRect()];
			const box = range.startContainer.parentElement.closest('pre')?.getBoundingClientRect() ?? port;
			return range.toString() === %q && at.top >= Math.max(port.top, box.top) && at.bottom <= Math.min(port.bottom, box.bottom, innerHeight) && at.right <= port.right;
		})`, text)
	}
	look := func(text string) {
		eval[any](b, `void (document.querySelector('#newest-log-find').value = '')`)
		b.do(chromedp.Focus("#newest-log-find"))
		eval[any](b, fmt.Sprintf(`document.execCommand('insertText', false, %q)`, text))
		b.until(`document.querySelector('.log-count').textContent === '1/1' && ` + inSight(text))
	}
	look("needle-in-result")
	b.shot("log-found-result")
	if !eval[bool](b, `[...document.querySelectorAll('.row > i')].some((i) => i.textContent === '0.8s failed' && i.getBoundingClientRect().right <= document.querySelector('.log-scroll').getBoundingClientRect().right)`) {
		t.Error("time and failure of a long command are out of sight")
	}
	look("needle-in-command")
	b.shot("log-found-command")
	eval[any](b, `(() => { const find = document.querySelector('#newest-log-find'); find.value = ''; find.dispatchEvent(new Event('input')); })()`)
	b.until(`!CSS.highlights.has('found')`)
}

// The browser keeps whether a log shows times. A line that does not say when it was written
// has none.
func TestALogShowsTimesIfAsked(t *testing.T) {
	t.Parallel()
	_, b, _ := logPage(t, conversation()...)
	shown := `[...document.querySelectorAll('.row > time')].filter((time) => time.checkVisibility()).map((time) => time.textContent)`
	b.until(`document.querySelector('.row[data-kind=done]')`)
	if got := eval[[]string](b, shown); len(got) != 0 {
		t.Errorf("nobody asked for %q", got)
	}
	b.click("[data-log=times]")
	b.until(`(` + shown + `)[0]?.match(/^\d\d:\d\d:\d\d$/)`)
	if n := eval[int](b, `document.querySelectorAll('.row[data-kind=raw] > time').length`); n != 0 {
		t.Errorf("%d lines have a time that is not known", n)
	}
	eval[any](b, `void document.querySelector('.log-scroll').scrollIntoView({ block: 'end' })`)
	b.shot("log-times")
	b.accessible("a log with times")
	eval[any](b, `void location.reload()`)
	b.until(`document.querySelector('[data-log=times]')?.ariaPressed === 'true' && (` + shown + `).length > 1`)
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
	b.until(`document.querySelectorAll('.row').length > 5`)
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
