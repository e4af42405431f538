package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Every page can be read with scripts switched off. It has the same content, every
// button does something, and the log is available as plain text. web/plain_test.go
// sends its forms.
func TestEveryPageCanBeReadWithoutScripts(t *testing.T) {
	t.Parallel()
	s, b, pages := newSweep(t)
	b.do(chromedp.Navigate("about:blank")) // no page may lose its scripts while they run
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if page.stranger {
			continue // web/plain_test.go
		}
		b.size(1440, 900)
		b.open(s.url + page.path)
		if eval[bool](b, `document.documentElement.dataset.live !== undefined`) {
			t.Fatal("scripts run")
		}
		if page.scripted {
			page.rows, page.least, page.scripted = `a[href$="/output.txt"], a[href$="/log"]`, 1, false
		}
		b.holds(page)
		if dead := eval[string](b, deadButtons); dead != "" {
			t.Errorf("%s: buttons that do nothing: %s", page.path, dead)
		}
		b.size(390, 900)
		if wide := eval[int](b, "document.documentElement.scrollWidth"); wide > 390 {
			t.Errorf("%s is %d wide", page.path, wide)
		}
	}
	b.open(s.url + "/runs/" + s.run + "/log")
	if text := eval[string](b, `document.querySelector('main').innerText`); !strings.Contains(text, "Line of thought number") {
		t.Errorf("the log without scripts: %s", text)
	}
	eval[any](b, `void document.querySelector('main').append(Object.assign(document.createElement('button'), {type: 'button', textContent: 'Planted'}))`)
	if dead := eval[string](b, deadButtons); dead != "Planted" {
		t.Errorf("a planted dead button is seen as %q", dead)
	}
	t.Logf("%d pages", len(pages))
}

// deadButtons names visible buttons that do nothing: those without a form, popover or
// command.
const deadButtons = `[...document.querySelectorAll('button')].filter((b) => b.checkVisibility() && !b.disabled && !b.popoverTargetElement &&
	!(b.commandForElement && b.command) && (b.type !== 'submit' || !b.form)).map((b) => b.ariaLabel || b.textContent.trim()).join(', ')`
