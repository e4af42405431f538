package browser_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"questboard/e2e/e2etest"
	"questboard/handlers"
	"questboard/handlers/handlerstest"
)

// What a board of 1,000 steps may cost. Other tests run at the same time, so the test
// checks only bytes and layout. Alone (make bench) it also checks processor time, and
// that no task is long.
const (
	boardBytes = 30 << 10 // compressed
	boardShift = 0.02     // cumulative layout shift, however slowly the page is read
	updates    = 200      // a second
	updatesFor = 5 * time.Second
	busyMain   = 0.5 // of a core, the page's main thread, while they come
)

// observe is a script that counts from the first byte of the page on.
const observe = `window.seen = {shift: 0, tasks: [], paint: 0};
new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) seen.shift += e.value; }).observe({type: 'layout-shift', buffered: true});
new PerformanceObserver((list) => { for (const e of list.getEntries()) seen.tasks.push(e.duration); }).observe({type: 'longtask', buffered: true});
new PerformanceObserver((list) => { for (const e of list.getEntries()) seen.paint = e.startTime; }).observe({type: 'largest-contentful-paint', buffered: true});`

func TestABoardOfAThousandStepsKeepsItsBudget(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party, busy := handlerstest.Wide(s.engine, 1000)
	board := s.url + "/quests/" + party.Quest
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(board)
	eval[any](b, observe)
	page, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`fetch(location.href).then((answer) => answer.text())`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	if size := compressed(t, page); size > boardBytes {
		t.Errorf("its page has %d bytes compressed, more than %d", size, boardBytes)
	}
	b.live()
	b.until(`document.querySelectorAll('.cards > .card').length === 1000 && seen.paint > 0`)
	blocked := eval[float64](b, `seen.tasks.reduce((sum, ms) => sum + ms - 50, 0)`)
	shift, paint := eval[float64](b, `seen.shift`), eval[float64](b, `seen.paint`)
	t.Logf("largest paint after %.0f ms, %.0f ms blocked, shift %.4f", paint, blocked, shift)
	if shift > boardShift {
		t.Errorf("the page shifts by %.3f (limit %.2f)", shift, boardShift)
	}

	before := b.mainThread()
	eval[any](b, `void (seen.tasks = [])`)
	q, err := s.engine.Quest(t.Context(), party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	bell := handlers.NewNotifier(s.hub)
	sent := 0
	for begin := time.Now(); time.Since(begin) < updatesFor; {
		due := int(time.Since(begin).Seconds() * updates)
		for ; sent < due; sent++ {
			line := busy[sent%len(busy)]
			s.engine.Say(q.Step(line).Run, fmt.Sprintf("Edit ledger.go, change %d", sent))
			bell.Progressed(party.Quest, line)
		}
		<-time.After(5 * time.Millisecond) // the test is about this rate of updates
	}
	last := fmt.Sprintf("Edit ledger.go, change %d", sent-1)
	b.until(fmt.Sprintf(`document.querySelector('#card-%s .tail').textContent === '%s'`, busy[(sent-1)%len(busy)], last))
	longest, count := eval[float64](b, `Math.max(0, ...seen.tasks)`), eval[int](b, `seen.tasks.length`)
	busyShare := (b.mainThread() - before).Seconds() / updatesFor.Seconds()
	t.Logf("%d updates: %.0f %% of a core, %d long tasks, the longest %.0f ms", sent, busyShare*100, count, longest)
	if e2etest.Quiet() && (sent < updates*4 || busyShare > busyMain || count > 0) {
		t.Errorf("%d updates take %.2f of a core (limit %.1f), with %d tasks of more than 50 ms", sent, busyShare, busyMain, count)
	}
}

// mainThread returns the processor time of the page's main thread.
func (b *tab) mainThread() time.Duration {
	b.t.Helper()
	var used time.Duration
	b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		if _, err := cdp.Call(ctx, target, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
			return err
		}
		got, err := cdp.Call(ctx, target, performance.GetMetrics, cdp.Empty{})
		for _, m := range got.Metrics {
			if m.Name == "TaskDuration" {
				used = time.Duration(m.Value * float64(time.Second))
			}
		}
		return err
	}))
	return used
}

// compressed returns the size of a page as it is sent.
func compressed(t *testing.T, page string) int {
	t.Helper()
	var buffer bytes.Buffer
	zip := gzip.NewWriter(&buffer)
	_, err := zip.Write([]byte(page))
	if err := errors.Join(err, zip.Close()); err != nil {
		t.Fatal(err)
	}
	return buffer.Len()
}
