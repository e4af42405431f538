package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
)

// logPage opens the page of a step whose run wrote these lines.
func logPage(t *testing.T, lines ...string) (*site, *tab, string) {
	t.Helper()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	run := runOf(s, party, "form")
	s.output.Write(run, lines...)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest + "/steps/form")
	b.live()
	return s, b, run
}

// A run reads like a conversation. Text is shown as Markdown, and each tool is one line
// that can be opened. Open lines stay open while more comes.
func TestARunIsReadAsAConversation(t *testing.T) {
	t.Parallel()
	s, b, run := logPage(t, conversation()...)
	b.until(`document.querySelector('.row[data-kind=done]')`)
	b.shot("log-conversation")
	eval[any](b, `void (document.querySelector('.log-scroll').scrollTop = 0)`)
	b.until(`document.querySelector('.row[data-kind=text] strong')?.textContent === 'form'`)
	b.shot("log-conversation-top")
	open := func(name string) {
		eval[any](b, fmt.Sprintf(`void [...document.querySelectorAll('.row .opens')].find(a => a.textContent.includes(%q)).click()`, name))
	}
	open("Edit")
	b.until(`document.querySelector('.detail ins')`)
	open("find the callers")
	b.until(`[...document.querySelectorAll('.detail')].some(d => d.textContent.includes('There is one caller.'))`)
	b.shot("log-conversation-open")
	s.output.Write(run, `{"type":"note","text":"one more"}`)
	b.until(`document.querySelector('log-view').total === ` + fmt.Sprint(len(conversation())+1))
	if n := eval[int](b, `document.querySelectorAll('.row.open > .detail').length`); n != 2 {
		t.Errorf("%d folds are open, of two", n)
	}
	if n := eval[int](b, `document.querySelectorAll('log-view :is(img, script, b b)').length`); n != 0 {
		t.Errorf("%d elements are an agent's own", n)
	}
	if text := eval[string](b, `document.querySelector('.row[data-kind=text] .md').textContent`); !strings.Contains(text, "<img src=x onerror=alert(1)>") {
		t.Errorf("what the agent wrote is not there: %q", text)
	}
}
