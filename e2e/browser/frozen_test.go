package browser_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"questboard/e2e/e2etest"
)

// asking is a scenario whose only step asks a question before it writes.
const asking = `
- role: chaoswhisperer
  do:
    - tool: {name: set-requirements, input: {requirements: [{id: r1, context: a folder, observables: [{id: o1, text: hello.txt greets}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}
- role: pathseeker
  do:
    - tool: {name: plan-steps, input: {steps: [{id: hello, title: Greet, description: x, files: [hello.txt], dependsOn: [], observables: [o1]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: one step}}
- role: codeweaver
  step: hello
  visit: 1
  do:
    - tool: {name: signal-back, input: {signal: needs-user-input, question: Whom to greet?, context: hello.txt}}
- role: codeweaver
  do:
    - run: echo done > hello.txt
    - tool: {name: signal-back, input: {signal: complete, summary: written}}
`

// A frozen server, as behind a stalled tunnel or on a sleeping machine, keeps its
// sockets open and sends nothing. The tabs of the owner and of a guest notice that and
// say so. Their clocks stop, what the user sends is not lost, and everything recovers
// by itself. QUESTBOARD_FROZEN=20s uses the times that users have.
func TestAFrozenServerIsHeardAndItsTabsComeBack(t *testing.T) {
	t.Parallel()
	beat, lasts, flags := time.Second, 3*time.Second, []string{"-beat", "1s"}
	long, _ := time.ParseDuration(os.Getenv("QUESTBOARD_FROZEN"))
	if long > 0 {
		beat, lasts, flags = 10*time.Second, long, nil
	}
	p := newProduct(t, asking, flags...)
	e := &eveningTab{tab: newTab(t), p: p, width: 1440}
	e.size(1440, 900)
	e.open(p.login)
	e.quest = p.created(t)
	guest := newTab(t)
	guest.open(p.shared(t, e.quest))
	guest.live()
	e.open(p.url + "/questions")
	e.until(`document.querySelector('#inbox a[href$="-q1"]')`)
	e.open(p.url + "/quests/" + e.quest + "/steps/hello")
	e.live()
	e.do(chromedp.Focus("textarea[name=answer]"), chromedp.KeyEvent("Everybody"))
	for _, b := range []*tab{e.tab, guest} {
		eval[any](b, `void (window.unloaded = false, new MutationObserver(() => { window.saidAt ??= Date.now(); })
			.observe(document.getElementById('connection-bar'), {attributeFilter: ['hidden']}))`)
	}

	frozen := p.freeze(t)
	promised := beat * 3 / 2
	for i, b := range []*tab{e.tab, guest} {
		b.until(`document.documentElement.dataset.live !== 'on' && !document.getElementById('connection-bar').hidden && window.saidAt`)
		// The time that the page itself recorded, because the answer to this test also
		// takes time.
		took := time.UnixMilli(eval[int64](b, `saidAt`)).Sub(frozen)
		t.Logf("tab %d said it %v after the server froze", i+1, took.Round(time.Millisecond))
		if limit := map[bool]time.Duration{true: promised, false: 10 * promised}[long > 0 || e2etest.Quiet()]; took > limit {
			t.Errorf("it was said only after %v", took)
		}
		if said := eval[string](b, `document.getElementById('connection-bar').textContent`); !strings.Contains(said, "Connecting") {
			t.Errorf("the bar says %q", said)
		}
		if chip := eval[string](b, `getComputedStyle(document.querySelector('.connection'), '::before').content`); !strings.Contains(chip, "Connecting") {
			t.Errorf("the header says %q", chip)
		}
	}
	const clocks = `[...document.querySelectorAll('time[data-clock]')].map((clock) => clock.textContent).join()`
	stood := eval[string](e.tab, clocks)
	eval[any](e.tab, `void (window.stoodAt = Date.now())`)
	e.do(chromedp.Focus("textarea[name=answer]"), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2)))
	e.until(`document.querySelector('#step-question .not-sent[role=alert]')?.textContent.startsWith('Not sent')`)
	e.accessible("not sent")
	e.shot("not-sent")
	e.until(`Date.now() - stoodAt > 2200`)
	if now := eval[string](e.tab, clocks); stood == "" || now != stood {
		t.Errorf("the clocks went on from %q to %q", stood, now)
	}
	if kept := eval[string](e.tab, `document.querySelector('textarea[name=answer]').value`); kept != "Everybody" {
		t.Errorf("the text is %q now", kept)
	}
	if eval[bool](e.tab, `document.querySelector('#step-question form button.primary').disabled`) {
		t.Error("the button cannot be pressed again")
	}
	<-time.After(time.Until(frozen.Add(lasts))) // the time for which the server is frozen
	p.thaw(t)

	for _, b := range []*tab{e.tab, guest} {
		b.until(`document.documentElement.dataset.live === 'on' && document.getElementById('connection-bar').hidden`)
		if eval[string](b, `String(window.unloaded)`) != "false" {
			t.Error("the page was loaded again")
		}
	}
	e.until(`document.querySelector('#step-question .not-sent')`) // until it is sent: somebody may look only now
	e.do(chromedp.Focus("textarea[name=answer]"), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2)))
	e.until(`!document.querySelector('textarea[name=answer]')`)
	if n := e.counted("question.answered"); n != 1 {
		t.Errorf("the question was answered %d times", n)
	}
	guest.until(`!document.querySelector('#card-hello.state-ask')`)
}

// A machine wakes up after a sleep in which no message came and no timer ran. The first
// event is that the user looks at the page. The page says at once that it may be out of
// date, and recovers by itself.
func TestATabThatIsShownAgainLooksWhetherItStillHears(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := newTab(t)
	b.open(s.login)
	b.open(s.url + "/quests")
	b.live()
	// All in one task, so that no message can arrive in between.
	slept := eval[string](b, `(() => {
		const now = Date.now;
		Date.now = () => now() + 20_000;
		document.dispatchEvent(new Event('visibilitychange'));
		const said = document.documentElement.dataset.live + ', ' + !document.getElementById('connection-bar').hidden;
		Date.now = now;
		return said;
	})()`)
	if slept == "on, false" || !strings.HasSuffix(slept, "true") {
		t.Errorf("after 20 s in which nothing was heard the page is %s", slept)
	}
	b.until(`document.documentElement.dataset.live === 'on' && document.getElementById('connection-bar').hidden`)
	if again := eval[string](b, `(() => { document.dispatchEvent(new Event('visibilitychange')); return document.documentElement.dataset.live; })()`); again != "on" {
		t.Errorf("a tab that hears the server is %s when it is shown", again)
	}
}

// freeze stops the server as SIGSTOP does: sockets stay open, nothing answers.
func (p *product) freeze(t *testing.T) time.Time {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Signal(syscall.SIGCONT) }) // a test that failed must not leave it
	return time.Now()
}

func (p *product) thaw(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// created begins a quest by the API, without gates.
func (p *product) created(t *testing.T) string {
	t.Helper()
	var quest struct{ ID string }
	p.post(t, "/api/v1/quests", map[string]any{"request": "Greet.", "repo": p.repo, "ward": "true", "approve": []string{}}, &quest)
	return quest.ID
}

// shared makes a link for a guest.
func (p *product) shared(t *testing.T, quest string) string {
	t.Helper()
	var share struct{ URL string }
	p.post(t, "/api/v1/quests/"+quest+"/shares", map[string]any{"expiresIn": "1d"}, &share)
	return share.URL
}

func (p *product) post(t *testing.T, path string, body, answer any) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(p.login, "token=")
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil || response.StatusCode/100 != 2 {
		t.Fatalf("%s: %s, %v", path, response.Status, err)
	}
}

// counted returns how many events of a type the history has.
func (e *eveningTab) counted(kind string) int {
	e.t.Helper()
	response := e.read(fmt.Sprintf("/api/v1/quests/%s/events?n=500", e.quest), "application/json")
	defer func() { _ = response.Body.Close() }()
	var answer struct{ Events []struct{ Type string } }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		e.t.Fatal(err)
	}
	n := 0
	for _, event := range answer.Events {
		if event.Type == kind {
			n++
		}
	}
	return n
}
