//go:build pictures

package browser_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// maxPicture is how many bytes a picture may have: they are cloned by everybody.
const maxPicture = 160 << 10

// fullMoments is how long the board is watched from the first question on: after that the
// steps that do not wait for an answer are done.
const fullMoments = 8 * time.Second

// The pictures of the README, from the demo as anybody sees it. "make pictures" takes
// them again; they are not part of the other tests.
func TestPicturesForTheReadme(t *testing.T) {
	shots := map[string][]byte{}
	p := &product{binary: builtServer(t), said: &transcript{}, args: []string{"demo", "-addr", "127.0.0.1:0"}}
	p.start(t)
	t.Cleanup(func() {
		p.stop(t)
		for name, shot := range shots {
			keep(t, filepath.Join(os.Getenv("QUESTBOARD_PICTURES"), name+".png"), shot)
		}
	})
	c := camera{&stranger{tab: newTab(t)}, shots}
	c.screen(1600, 800, false, 2)
	c.theme("light")
	c.open(p.login)
	c.click(`main a[href^="/quests/"]:not([href="/quests/new"])`)
	c.within(time.Minute, `document.getElementById('board') !== null`)
	board := eval[string](c.tab, "location.href")
	c.atWork(board)
	c.whileOneAsks(board)
	c.atTheLastStep(board)
	c.whenComplete(board)
	c.planGate(p, board)
}

// atWork takes the board while its columns are full, and the plan.
func (c camera) atWork(board string) {
	c.t.Helper()
	c.open(board)
	c.live()
	c.click("#legend > summary") // it is read once
	c.click("#legend > summary")
	c.until(`document.getElementById('legend').hidden`)
	c.within(time.Minute, `document.querySelector('.card.state-ask') !== null && document.querySelector('#cards-done .card') !== null`)
	// The fullest moment counts: most columns with cards, and most agents that say something.
	fullest := 0
	for end := time.Now().Add(fullMoments); time.Now().Before(end); <-time.After(pollEvery) {
		full := eval[int](c.tab, `4 * document.querySelectorAll('.column:has(.card)').length +
			document.querySelectorAll('.column:not([aria-labelledby=head-ward]) .card.state-running .tail').length`)
		if full > fullest {
			fullest = full
			c.take("board-light")
			c.theme("dark")
			c.take("board-dark")
			c.theme("light")
		}
	}

	c.screen(1440, 550, false, 2)
	c.open(board + "/graph")
	c.live()
	c.within(time.Minute, `document.querySelector('.node') !== null`)
	c.take("graph")
}

// whileOneAsks takes what its user sees while the agent of one step waits for an answer,
// and answers.
func (c camera) whileOneAsks(board string) {
	c.t.Helper()
	c.screen(390, 844, true, 2)
	c.open(board)
	c.live()
	c.within(time.Minute, `document.querySelector('#alerts .alert') !== null`)
	c.take("phone")

	c.screen(1440, 900, false, 2)
	c.open(board)
	c.live()
	c.press("link", "Answer")
	c.focused("Your answer")
	c.press("button", "1. 429 with Retry-After")
	c.until(`document.querySelector('textarea[name=answer]').value === '1. 429 with Retry-After'`)
	c.take("question")
	c.press("button", "Send answer")
	c.until(`document.querySelector('textarea[name=answer]') === null`)
}

// atTheLastStep takes a step that is being built, with the code that its agent writes.
func (c camera) atTheLastStep(board string) {
	c.t.Helper()
	c.open(board)
	c.live()
	c.within(time.Minute, `document.querySelector('.column:not([aria-labelledby=head-waiting], [aria-labelledby=head-ready]) a[data-card][href$="/steps/api"]') !== null`)
	c.open(board + "/steps/api")
	c.live()
	run := eval[string](c.tab, `document.querySelector('log-view').getAttribute('key').replace('log:', '')`)
	c.open(board + "/steps/api?run=" + run) // it may be another's turn soon
	c.live()
	c.within(time.Minute, `document.querySelector('log-view .opens') !== null`)
	eval[any](c.tab, `void document.querySelector('log-view').scrollIntoView({ block: 'start' })`)
	c.click("log-view .opens")
	c.within(time.Minute, `[...document.querySelectorAll('log-view .detail')].some((code) => code.offsetHeight > 200 && code.checkVisibility())`)
	c.take("step")
}

// whenComplete takes the result, and the diff with comments that are not sent yet.
func (c camera) whenComplete(board string) {
	c.t.Helper()
	c.open(board)
	c.live()
	c.within(2*time.Minute, `document.querySelector('#alerts a[href$="/delivery"]') !== null`)
	c.open(board + "/delivery")
	c.live()
	c.until(`!document.getElementById('disk')?.textContent.includes('…')`)
	c.take("result")

	c.open(board + "/diff?view=unified")
	c.live()
	const file = `[...document.querySelectorAll('.diff-file')].find((file) => file.querySelector('h2').textContent === 'lib/login.sh')`
	c.comment(file, "wrong name or password", "Good. Please count the failed logins of a name, too.")
	c.comment(file, "sign \"$1:$3\"", "Can a name contain a colon? user_line should refuse it.")
	eval[any](c.tab, `void (document.activeElement.blur(), `+file+`.scrollIntoView())`)
	c.until(`document.getElementById('comment-count').textContent === '2 comments'`)
	c.take("diff")
}

// comment writes a comment on the line of a file that contains a text.
func (c camera) comment(file, line, comment string) {
	c.t.Helper()
	number := fmt.Sprintf("[...%s.querySelectorAll('tr')].find((row) => row.textContent.includes(%q)).querySelector('.ln')", file, line)
	c.until(number)
	eval[any](c.tab, "void "+number+".click()")
	c.focused("Comment on line")
	c.do(chromedp.KeyEvent(comment))
}

// planGate begins the demo's quest once more, as a user who wants to see the plan first,
// and takes the plan that waits.
func (c camera) planGate(p *product, board string) {
	c.t.Helper()
	var q struct{ Title, Request, Repo, Ward string }
	p.api(c.t, http.MethodGet, strings.TrimPrefix(board, p.url), nil, &q)
	var created struct{ ID string }
	p.api(c.t, http.MethodPost, "/quests", map[string]any{"title": q.Title, "request": q.Request, "repo": q.Repo, "ward": q.Ward, "approve": []string{"plan"}}, &created)
	c.open(p.url + "/quests/" + created.ID)
	c.live()
	c.within(time.Minute, `document.querySelector('#alerts a[href$="/gates/plan"]') !== null`)
	c.open(p.url + "/quests/" + created.ID + "/gates/plan")
	c.live()
	c.take("gate")
}

// api calls the JSON API with the owner's token.
func (p *product) api(t *testing.T, method, path string, body, answer any) {
	t.Helper()
	sent, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, p.url+"/api/v1"+path, bytes.NewReader(sent))
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
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil || response.StatusCode >= http.StatusBadRequest {
		t.Fatalf("%s %s: %s, %v", method, path, response.Status, err)
	}
}

// camera is a user whose sights are kept.
type camera struct {
	*stranger
	shots map[string][]byte // PNG, by name
}

// screen is one with some dots for each pixel: many have two.
func (c camera) screen(width, height int64, mobile bool, dots float64) {
	c.t.Helper()
	_, err := chromedp.Call(c.ctx, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: dots, Mobile: mobile})
	if err != nil {
		c.t.Fatal(err)
	}
}

// take takes what the tab shows. It is packed at the end, because the demo does not wait.
func (c camera) take(name string) {
	c.t.Helper()
	shot, err := chromedp.Run(c.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		c.t.Fatal(err)
	}
	c.shots[name] = shot
}

// keep writes a picture into a file, packed as small as it gets.
func keep(t *testing.T, file string, shot []byte) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	packed, err := pack(picture)
	if err != nil {
		t.Fatal(err)
	}
	if len(packed) > maxPicture {
		t.Errorf("%s has %d KiB", file, len(packed)>>10)
	}
	if err := os.WriteFile(file, packed, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d KiB", filepath.Base(file), len(packed)>>10)
}
