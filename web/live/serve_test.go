package live_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestAChangeReachesWhoShowsItAndWhatIsAboveIt(t *testing.T) {
	t.Parallel()
	w := newWorld()
	hub, dial := start(t, w, fast)
	p := dial()
	p.send(map[string]any{"sub": "board/q1"})
	p.subscribed(w)
	hub.Changed("board/q2", "board/q10/s", "boards")
	w.change("board/q1/s")
	hub.Changed("board/q1/s")
	if f := p.next(); f.T != "html" || f.HTML != `<p id="board/q1/s">1</p>` {
		t.Errorf("got %+v", f)
	}
}

// When a slow browser is ready, it gets the newest state once: the server keeps a set,
// not a queue.
func TestASlowBrowserGetsTheNewestStateOnce(t *testing.T) {
	t.Parallel()
	w := newWorld()
	hub, dial := start(t, w, fast)
	p := dial()
	p.send(map[string]any{"sub": "board"})
	p.subscribed(w)
	hub.Changed("board/a")
	first := p.next()
	for range 500 {
		w.change("board/a")
		hub.Changed("board/a", "board/b")
	}
	p.ack(first)
	if f := p.next(); f.HTML != `<p id="board/a">500</p><p id="board/b">0</p>` {
		t.Errorf("got %+v", f)
	} else {
		p.ack(f)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.renders != 2 {
		t.Errorf("rendered %d times", w.renders)
	}
}

func TestABrowserThatNeverAcknowledgesStillGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld()
	quick := fast
	quick.AckWait = 5 * time.Millisecond
	hub, dial := start(t, w, quick)
	p := dial()
	p.send(map[string]any{"sub": "board"})
	p.subscribed(w)
	for range 3 {
		w.change("board/a")
		hub.Changed("board/a")
		p.next()
	}
}

// A page that was rendered before a change and subscribes after it would otherwise miss
// the change.
func TestAPageThatMissedAChangeGetsAllOfItsTopic(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.change("board/q1")
	w.change("board/q1")
	_, dial := start(t, w, fast)
	p := dial()
	p.send(map[string]any{"sub": "board/q1", "from": 1})
	if f := p.next(); f.HTML != `<p id="board/q1/*">0</p>` {
		t.Errorf("got %+v", f)
	} else {
		p.ack(f)
	}
	p.send(map[string]any{"sub": "board/q1", "from": 2})
	p.subscribed(w)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.renders != 1 {
		t.Errorf("a page that missed nothing was rendered: %d", w.renders)
	}
}

func TestMoreChangesThanATabCanHoldBecomeOneReading(t *testing.T) {
	t.Parallel()
	w := newWorld()
	hub, dial := start(t, w, fast)
	p := dial()
	p.send(map[string]any{"sub": "board"})
	p.subscribed(w)
	hub.Changed("board/first")
	first := p.next()
	topics := make([]string, 2500)
	for i := range topics {
		topics[i] = fmt.Sprintf("board/%d", i)
	}
	hub.Changed(topics...)
	p.ack(first)
	if f := p.next(); f.T != "stale" {
		t.Errorf("got a %s with %d bytes", f.T, len(f.HTML))
	}
}

// A page gets each line once, in order, from the line that it asked for, however slowly
// it reads.
func TestLogLinesComeOnceAndInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.write("r1", 1200)
	_, dial := start(t, w, fast)
	p := dial()
	p.send(map[string]any{"sub": "log:r1", "from": 100})
	want := 100
	for want < 1700 {
		f := p.next()
		if f.T != "log" || f.At != want {
			t.Fatalf("got %s at %d, want line %d", f.T, f.At, want)
		}
		for _, line := range f.Lines {
			if string(line) != fmt.Sprint(want) {
				t.Fatalf("line %d is %s", want, line)
			}
			want++
		}
		if want == 1200 {
			w.write("r1", 500)
		}
		p.ack(f)
	}
	_ = p.conn.Close()
	until(t, "the log is let go", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.watching == 0
	})
}

// The end of a log comes even if it could not be read when it was written, and nothing is
// written after it.
func TestALogThatCouldNotBeReadIsReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.write("r1", 3)
	w.blind = 2
	_, dial := start(t, w, fast)
	p := dial()
	p.send(map[string]any{"sub": "log:r1"})
	if f := p.next(); f.T != "log" || f.At != 0 || len(f.Lines) != 3 {
		t.Errorf("got %+v", f)
	}
}

// A page that is far behind gets only the newest lines. It sees from their numbers which
// ones it lacks.
func TestALogThatIsFarAheadIsSentFromItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.write("r1", 100_000)
	_, dial := start(t, w, fast)
	p := dial()
	p.send(map[string]any{"sub": "log:r1", "from": 0})
	first := p.next()
	p.ack(first)
	second := p.next()
	if first.At != 0 || second.At != 99_500 || len(second.Lines) != 500 || string(second.Lines[499]) != "99999" {
		t.Errorf("got %d lines at %d, then %d at %d", len(first.Lines), first.At, len(second.Lines), second.At)
	}
}

func TestSentencesGoToWhoShowsTheTopic(t *testing.T) {
	t.Parallel()
	w := newWorld()
	hub, dial := start(t, w, fast)
	p := dial()
	p.send(map[string]any{"sub": "board/q1"})
	p.subscribed(w)
	hub.Announce("board/q2", "not for you")
	hub.Announce("board/q1", "S6 needs your answer.")
	if f := p.next(); f.T != "say" || f.Text != "S6 needs your answer." {
		t.Errorf("got %+v", f)
	}
}

func TestNonsenseIsNoOrderAndLargeFramesEndTheConnection(t *testing.T) {
	t.Parallel()
	w := newWorld()
	hub, dial := start(t, w, fast)
	p := dial()
	p.send("nonsense")
	p.send(map[string]any{"sub": 7})
	for i := range 200 {
		p.send(map[string]any{"sub": fmt.Sprintf("topic-%d", i)})
	}
	p.subscribed(w)
	_ = p.conn.WriteJSON(map[string]any{"sub": strings.Repeat("x", 70<<10)}) // the server may close the connection in the middle of it
	until(t, "the connection is gone", func() bool { return hub.Clients() == 0 })
}

func TestCloseEndsEveryConnection(t *testing.T) {
	t.Parallel()
	hub, dial := start(t, newWorld(), fast)
	for range 5 {
		dial()
	}
	until(t, "all are connected", func() bool { return hub.Clients() == 5 })
	hub.Close()
	if n := hub.Clients(); n != 0 {
		t.Errorf("%d are left", n)
	}
}

// until waits for a condition that no channel signals.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}
