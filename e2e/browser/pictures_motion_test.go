//go:build pictures

package browser_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const (
	maxMotion  = 1500 << 10 // bytes of the moving picture
	frameEvery = 700 * time.Millisecond
	frameShown = 50  // hundredths of a second
	lastShown  = 500 // the same, of the last frame
	mostFrames = 150
)

// The moving picture of the README: the board of the demo from its first card to its result.
func TestPicturesMove(t *testing.T) {
	p := &product{binary: builtServer(t), said: &transcript{}, args: []string{"demo", "-addr", "127.0.0.1:0"}}
	p.start(t)
	t.Cleanup(func() { p.stop(t) })
	var frames []image.Image
	c := camera{&stranger{tab: newTab(t)}, nil}
	c.screen(1600, 800, false, 0.8)
	c.theme("light")
	c.open(p.login)
	c.click(`main a[href^="/quests/"]:not([href="/quests/new"])`)
	c.within(time.Minute, `document.getElementById('board') !== null`)
	board := eval[string](c.tab, "location.href")
	c.live()
	c.click("#legend > summary") // it is read once
	c.click("#legend > summary")
	// watch looks at the board until a script is true, and some frames longer.
	watch := func(script string, more int) {
		for len(frames) < mostFrames && more >= 0 {
			if eval[bool](c.tab, script) {
				more--
			}
			frames = append(frames, c.frame())
			<-time.After(frameEvery)
		}
	}
	watch(`document.querySelector('#alerts .alert') !== null`, 4)
	c.press("link", "Answer")
	c.focused("Your answer")
	c.press("button", "1. 429 with Retry-After")
	watch(`document.querySelector('textarea[name=answer]').value === '1. 429 with Retry-After'`, 2)
	c.press("button", "Send answer")
	c.until(`document.querySelector('textarea[name=answer]') === null`)
	c.open(board)
	c.live()
	watch(`document.querySelector('#alerts a[href$="/delivery"]') !== null`, 1)
	c.open(board + "/delivery")
	c.live()
	c.until(`!document.getElementById('disk')?.textContent.includes('…')`)
	frames = append(frames, c.frame())

	moving, n, err := motion(frames)
	if err != nil {
		t.Fatal(err)
	}
	if len(moving) > maxMotion {
		t.Errorf("the moving picture has %d KiB", len(moving)>>10)
	}
	if err := os.WriteFile(filepath.Join(os.Getenv("QUESTBOARD_PICTURES"), "board.gif"), moving, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("board.gif: %d KiB, %d of %d frames", len(moving)>>10, n, len(frames))
}

// frame is what the tab shows now.
func (c camera) frame() image.Image {
	c.t.Helper()
	shot, err := chromedp.Run(c.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		c.t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		c.t.Fatal(err)
	}
	return picture
}

// motion makes a GIF of frames of one size, and says how many differ. A frame has only what
// is not as in the one before.
func motion(frames []image.Image) (packed []byte, n int, err error) {
	bounds := frames[0].Bounds()
	colours := append(fewColours(sample(frames), 200), color.Transparent)
	clear := uint8(len(colours) - 1)
	moving := gif.GIF{Config: image.Config{ColorModel: colours, Width: bounds.Dx(), Height: bounds.Dy()}}
	known := map[color.Color]uint8{}
	var before image.Image
	for _, frame := range frames {
		part := image.NewPaletted(bounds, colours)
		var changed image.Rectangle
		for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
			for x := bounds.Min.X; x < bounds.Max.X; x++ {
				at := frame.At(x, y)
				if before != nil && before.At(x, y) == at {
					part.SetColorIndex(x, y, clear)
					continue
				}
				i, is := known[at]
				if !is {
					i = uint8(colours[:clear].Index(at))
					known[at] = i
				}
				part.SetColorIndex(x, y, i)
				changed = changed.Union(image.Rect(x, y, x+1, y+1))
			}
		}
		before = frame
		if changed.Empty() {
			moving.Delay[len(moving.Delay)-1] += frameShown
			continue
		}
		moving.Image = append(moving.Image, part.SubImage(changed).(*image.Paletted))
		moving.Delay = append(moving.Delay, frameShown)
		moving.Disposal = append(moving.Disposal, gif.DisposalNone)
	}
	moving.Delay[len(moving.Delay)-1] = lastShown
	var out bytes.Buffer
	err = gif.EncodeAll(&out, &moving)
	return out.Bytes(), len(moving.Image), err
}

// sample has some of the frames below each other, for their colours.
func sample(frames []image.Image) image.Image {
	step := max(1, len(frames)/10)
	size := frames[0].Bounds().Size()
	all := image.NewRGBA(image.Rect(0, 0, size.X, size.Y*(len(frames)/step+1)))
	for i := 0; i < len(frames); i += step {
		draw.Draw(all, image.Rectangle{Max: size}.Add(image.Pt(0, i/step*size.Y)), frames[i], frames[i].Bounds().Min, draw.Src)
	}
	return all
}
