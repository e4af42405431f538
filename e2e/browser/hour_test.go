package browser_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/chromedp"

	"questboard/orchestration"
)

// A board with an open step uses no more memory after an hour than at the start, with
// 100 lines of output and two changed cards per second. The test goes as fast as it
// can. QUESTBOARD_HOUR_LINES=360000 is the whole hour.
func TestAnHourOfOutputLeavesThePageSmall(t *testing.T) {
	lines := 20_000
	if all, err := strconv.Atoi(os.Getenv("QUESTBOARD_HOUR_LINES")); err == nil {
		lines = all
	}
	const batch = 1000 // ten seconds, in which twenty cards change
	s, b, run := logPage(t, stream(0, 1000)...)
	b.until(`document.querySelector('log-view').total === 1000 && document.querySelectorAll('.row').length > 10`)
	quest := orchestration.QuestOf(run)
	written, changed := 1000, 0
	play := func(n int) {
		for end := written + n; written < end; written += batch {
			s.output.Write(run, stream(written, batch)...)
			for range 20 {
				changed++
				title := fmt.Sprintf("Audit log of logins, as of %d", changed)
				if _, err := s.engine.Submit(t.Context(), quest, "user", orchestration.StepEdited{Step: "audit", Title: &title}); err != nil {
					t.Fatal(err)
				}
			}
			// Wait until the page has caught up. Otherwise its clock would see all
			// batches as one.
			b.until(fmt.Sprintf(`document.querySelector('log-view').total === %d && document.querySelector('#card-audit').textContent.includes('as of %d')`, written+batch, changed))
		}
	}
	play(5000) // what is made once is made
	heap, nodes := b.heap(), b.nodes()
	play(lines)
	grown, more := b.heap()-heap, b.nodes()-nodes
	inLog := eval[int](b, `document.querySelectorAll('log-view *').length`)
	t.Logf("%d lines and %d changed cards later: %.1f MB of heap and %.1f MB more, %d nodes and %d more, %d in the viewer", lines, changed, heap, grown, nodes, more, inLog)
	if grown > 10 {
		t.Errorf("the heap has grown by %.1f MB", grown)
	}
	if inLog > 200 {
		t.Errorf("%d elements are in the viewer", inLog)
	}
	if more > 1000 {
		t.Errorf("%d nodes were left behind", more)
	}
}

// nodes counts all live nodes of the page, even those that are in no document.
func (b *tab) nodes() int64 {
	b.t.Helper()
	count, err := chromedp.Call(b.ctx, memory.GetDOMCounters, cdp.Empty{})
	if err != nil {
		b.t.Fatal(err)
	}
	return count.Nodes
}
