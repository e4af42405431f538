package browser_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// With titles of 10,000 characters, a request of 1 MB, a question of 500 lines, 200
// questions, 1,000 steps or no step, every page stays within the window: on a desktop,
// on a phone and, in `make soak`, on a small phone.
func TestHostileLengthsHoldTheLayout(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	wide, _ := handlerstest.Wide(s.engine, 1000)
	for i := range 250 {
		if i%10 >= 2 && i%10 <= 8 { // ready still
			line := fmt.Sprintf("step-%d", i)
			wide.Start(line)
			wide.Ask(line, fmt.Sprintf("Question %d of many?", i))
		}
	}
	long, unbroken := strings.Repeat("A title of many words ", 455), strings.Repeat("W", 10_000)
	busy := handlerstest.Busy(s.engine)
	busy.Ask("form", strings.Repeat("One more line of the question.\n", 499)+strings.Repeat("unbroken", 100))
	entitle(s, busy, unbroken)
	none := handlerstest.Begin(s.engine, "Nothing yet")
	entitle(s, none, long)
	done := handlerstest.Finished(s.engine, "Say hello", "main")
	entitle(s, done, unbroken)
	for _, asked := range []*handlerstest.Party{busy, none, done} {
		request(s, asked, strings.Repeat("W", 1<<20))
	}
	s.engine.Hold(orchestration.AccountHold{Agent: "claude", Kind: orchestration.HoldLogin, Reason: unbroken})
	b := newTab(t)
	b.open(s.login)
	all, q := "/quests/"+wide.Quest, "/quests/"+busy.Quest
	paths := []string{"/quests", "/questions", "/slots", "/audit", "/palette?q=title", all, all + "/runs", all + "/graph", all + "/history", all + "/cost", all + "/steps/step-2", all + "/gates/plan"}
	for _, quest := range []string{q, "/quests/" + none.Quest, "/quests/" + done.Quest} {
		for _, page := range []string{"", "/runs", "/graph", "/history", "/cost", "/diff", "/settings", "/delivery", "/kept", "/shares", "/steps/requirements", "/gates/requirements"} {
			paths = append(paths, quest+page)
		}
	}
	for _, page := range []string{"/steps/form", "/steps/form/timeline", "/steps/form/signals", "/steps/audit/edit", "/gates/plan"} {
		paths = append(paths, q+page)
	}
	paths = append(paths, "/questions/"+busy.Quest+"-q2")
	widths := []int64{1440, 390}
	if os.Getenv("QUESTBOARD_LOOKS") == "all" {
		widths = append(widths, 320)
	}
	for _, path := range paths {
		b.size(1440, 900)
		b.open(s.url + path)
		for _, width := range widths {
			b.size(width, 900)
			b.shot(fmt.Sprintf("long%s-%d", strings.ReplaceAll(path, "/", "-"), width))
			if over := eval[string](b, overTheEdge); over != "" {
				t.Errorf("%s at %d: %s", path, width, over)
			}
		}
	}
	eval[any](b, `void document.querySelector('main').append(Object.assign(document.createElement('pre'), {textContent: 'W'.repeat(999), className: 'planted'}))`)
	eval[any](b, `void (document.querySelector('.planted').style.whiteSpace = 'nowrap', document.querySelector('.planted').style.overflow = 'visible')`)
	if over := eval[string](b, overTheEdge); over == "" {
		t.Errorf("what was planted to reach over the edge is not seen")
	}
	b.open(s.url + "/questions")
	if n := eval[int](b, `document.querySelectorAll('main a[href^="/questions/"], main form').length`); n < 175 {
		t.Errorf("only %d of the questions can be reached", n)
	}
}

// overTheEdge names what makes the page wider than its window.
const overTheEdge = `(() => {
	const wide = innerWidth;
	const boxes = [document.documentElement, ...document.querySelectorAll('main')].filter((box) => box.scrollWidth > box.clientWidth);
	if (boxes.length === 0) return '';
	return boxes[0].localName + ' ' + boxes[0].scrollWidth + ': ' + [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > wide + 1 && !e.closest('.columns, .scroll')).slice(0, 4)
		.map((e) => e.tagName + '.' + e.className + '#' + e.id).join(', ');
})()`

// entitle gives a quest and its steps a title that the rules would refuse.
func entitle(s *site, party *handlerstest.Party, title string) {
	q, err := s.engine.Quest(context.Background(), party.Quest)
	if err != nil {
		panic(err)
	}
	out := *q
	out.Title = title
	for i, step := range out.Steps.All() {
		named := *step
		named.Title = title
		out.Steps = out.Steps.With(i, &named)
	}
	s.engine.Replace(orchestration.Restore(&out))
}

// request gives a quest another request.
func request(s *site, party *handlerstest.Party, text string) {
	q, err := s.engine.Quest(context.Background(), party.Quest)
	if err != nil {
		panic(err)
	}
	out := *q
	out.Request = text
	s.engine.Replace(orchestration.Restore(&out))
}
