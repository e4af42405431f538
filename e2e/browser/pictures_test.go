//go:build pictures

package browser_test

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// maxPicture is how many bytes a picture may have: they are cloned by everybody.
const maxPicture = 150 << 10

// The pictures of the README, from the demo as anybody sees it. "make pictures" takes
// them again; they are not part of the other tests.
func TestPicturesForTheReadme(t *testing.T) {
	folder := os.Getenv("QUESTBOARD_PICTURES")
	p := &product{binary: builtServer(t), said: &transcript{}, args: []string{"demo", "-addr", "127.0.0.1:0"}}
	p.start(t)
	t.Cleanup(func() { p.stop(t) })
	c := camera{newTab(t), folder}
	c.size(1440, 720)
	c.theme("light")
	c.open(p.login)
	c.click(`main a[href^="/quests/"]:not([href="/quests/new"])`)
	c.within(time.Minute, `document.getElementById('board') !== null`)
	board := eval[string](c.tab, "location.href")
	c.live()
	c.within(time.Minute, `document.querySelectorAll('#board .card').length > 3`)

	// One asks, others are at work in several columns, and say something. Where
	// four columns do not come together in a while, three must do.
	c.within(time.Minute, `document.querySelector('.card.state-ask') !== null`)
	c.within(time.Minute, `document.querySelector('.card.state-running .tail') !== null &&
		document.querySelectorAll('.column:has(.card):not([aria-labelledby=head-done])').length >= (Date.now() - (window.asked ??= Date.now()) < 5000 ? 4 : 3)`)
	c.take("board-light")
	c.theme("dark")
	c.take("board-dark")
	c.theme("light")

	c.size(1440, 900)
	const working = `[...document.querySelectorAll('#cards-build .card.state-running')].find((card) => card.querySelector('.tail')?.textContent.startsWith('Write'))`
	c.within(time.Minute, working+" !== undefined")
	c.open(eval[string](c.tab, working+".querySelector('a[data-card]').href"))
	run := eval[string](c.tab, `document.querySelector('log-view').getAttribute('key').replace('log:', '')`)
	c.open(eval[string](c.tab, "location.href") + "?run=" + run) // it may be another's turn soon
	c.live()
	c.within(time.Minute, `document.querySelectorAll('log-view .opens').length > 1`)
	eval[any](c.tab, `void document.querySelector('log-view .opens').click()`)
	c.within(time.Minute, `document.querySelector('log-view .opens[aria-expanded=true]') !== null`)
	c.take("step")

	c.open(board + "/graph")
	c.live()
	c.within(time.Minute, `document.querySelector('.node') !== null`)
	c.take("graph")

	c.open(board)
	c.live()
	c.click(`.card.state-ask a[data-card]`)
	c.within(time.Minute, `document.getElementById('answer') !== null`)
	c.take("question")

	c.phone()
	c.open(board)
	c.live()
	c.within(time.Minute, `document.querySelector('#alerts .alert') !== null`)
	c.take("phone")
}

// camera is a tab whose pictures are kept.
type camera struct {
	*tab
	folder string
}

// phone is a small screen with many dots.
func (c camera) phone() {
	c.t.Helper()
	_, err := chromedp.Call(c.ctx, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: 390, Height: 844, DeviceScaleFactor: 2, Mobile: true})
	if err != nil {
		c.t.Fatal(err)
	}
}

// take keeps what the tab shows, packed as small as it gets.
func (c camera) take(name string) {
	c.t.Helper()
	shot, err := chromedp.Run(c.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		c.t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		c.t.Fatal(err)
	}
	packed, err := pack(picture)
	if err != nil {
		c.t.Fatal(err)
	}
	if len(packed) > maxPicture {
		c.t.Errorf("%s has %d KiB", name, len(packed)>>10)
	}
	if err := os.WriteFile(filepath.Join(c.folder, name+".png"), packed, 0o644); err != nil {
		c.t.Fatal(err)
	}
	c.t.Logf("%s: %d KiB", name, len(packed)>>10)
}
