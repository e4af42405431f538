package browser_test

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"questboard/handlers/handlerstest"
)

// The panel of a step is as wide as somebody drags it, by mouse or by keys, on every page
// that is opened later; Home and a double click give its own width back.
func TestThePanelKeepsTheWidthThatItIsDraggedTo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	step := s.url + "/quests/" + party.Quest + "/steps/form"
	b.open(step)
	b.live()
	const width = `document.getElementById('panel').offsetWidth`
	own := eval[int](b, width)

	edge := eval[float64](b, `document.getElementById('edge').getBoundingClientRect().left + 2`)
	b.do(
		chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, edge, 500, chromedp.ButtonLeft, chromedp.ClickCount(1)),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 900, 500, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 1000, 500, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, 1000, 500, chromedp.ButtonLeft, chromedp.ClickCount(1)),
	)
	b.until(`Math.abs(` + width + ` - 440) < 16`)
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 300, 500)) // not pressed: nothing moves
	b.open(step)
	b.until(`Math.abs(` + width + ` - 440) < 16`)

	dragged := eval[int](b, width)
	b.until(`document.getElementById('edge').focus() || Math.abs(document.activeElement.ariaValueNow - 31) <= 1`)
	b.do(chromedp.KeyEvent(kb.ArrowLeft))
	if wider := eval[int](b, width); wider <= dragged {
		t.Errorf("arrow left made the panel %d pixels wide, was %d", wider, dragged)
	}
	b.do(chromedp.KeyEvent(kb.Home))
	if again := eval[int](b, width); again != own {
		t.Errorf("Home left the panel at %d pixels, its own width is %d", again, own)
	}
	b.open(step)
	if again := eval[int](b, width); again != own {
		t.Errorf("after Home the next page had %d pixels, its own width is %d", again, own)
	}
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, edge, 500, chromedp.ButtonLeft, chromedp.ClickCount(1)),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 5, 500, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, 5, 500, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	b.until(`document.getElementById('board').offsetWidth > 200`) // the board does not vanish
	b.size(390, 844)
	b.open(step)
	b.until(`document.getElementById('panel').offsetWidth >= 388 && !document.getElementById('edge').offsetWidth`)
}
