package handlers_test

import (
	"fmt"
	"strings"
	"testing"

	"questboard/handlers"
	"questboard/handlers/handlerstest"
)

// Cached rows are the same for the next reader. A row that a later line changes is made
// again.
func TestARowThatIsKnownIsNeverStale(t *testing.T) {
	t.Parallel()
	s := newSite()
	run := s.quest(t, handlerstest.Busy(s.engine)).Step("form").Run
	s.output.Write(run, `{"type":"note","text":"one"}`, toolCall("t1", "Bash", `{"command":"ls"}`, begun))
	for range 2 {
		if page := s.output500(t, run, 0); row(t, page.Lines[0]) != "note|Note|one" || row(t, page.Lines[1]) != "tool|Bash|ls" {
			t.Errorf("the log is %q", page.Lines)
		}
	}
	s.output.Write(run, toolResult("t1", "a b", ended, true), "raw")
	page := s.output500(t, run, 0)
	if got := row(t, page.Lines[1]); got != "tool failed|Bash|ls 0.8s failed" {
		t.Errorf("the call whose result has come is %q", got)
	}
	if got := row(t, page.Lines[3]); got != "raw||raw" || row(t, page.Lines[0]) != "note|Note|one" {
		t.Errorf("the log is %q", page.Lines)
	}
	other := s.quest(t, handlerstest.Busy(s.engine)).Step("form").Run
	s.output.Write(other, `{"type":"note","text":"another run's"}`)
	if got := row(t, s.output500(t, other, 0).Lines[0]); got != "note|Note|another run's" {
		t.Errorf("the first line of another run is %q", got)
	}
}

// The cache also limits lines of which almost nothing is shown.
func TestTheRowsThatAreKnownAreBounded(t *testing.T) {
	t.Parallel()
	s := newSite()
	run := s.quest(t, handlerstest.Busy(s.engine)).Step("form").Run
	lines := make([]string, 50_000)
	for i := range lines {
		lines[i] = `{"type":"system","subtype":"thinking_tokens"}`
	}
	s.output.Write(run, lines...)
	live := handlers.NewLive(s.pages)
	for at := 0; at < len(lines); at += 500 {
		if got, _, err := live.Lines(run, at, 500); err != nil || string(got[0]) != "[-1]" {
			t.Fatal(got, err)
		}
	}
	if n := handlers.KnownRows(s.pages); n == 0 || n > 33_000 { // of 128 bytes or more each, in 4 MiB
		t.Errorf("%d rows are remembered", n)
	}
}

// Three tabs read an agent's output, ten lines at a time. The second and third tab use
// the cached rows.
func BenchmarkThreeTabsOfOneRun(b *testing.B) {
	s := newSite()
	p := handlerstest.Busy(s.engine)
	run := p.Quest + "-r1"
	line := fmt.Sprintf(`{"type":"assistant","timestamp":%q,"message":{"content":[{"type":"text","text":%q}]}}`, begun, strings.Repeat("words of an agent ", 20))
	live := handlers.NewLive(s.pages)
	for at := 0; b.Loop(); at += 10 {
		b.StopTimer()
		for range 10 {
			s.output.Write(run, line)
		}
		b.StartTimer()
		for range 3 {
			if lines, _, err := live.Lines(run, at, 10); err != nil || len(lines) != 10 {
				b.Fatal(len(lines), err)
			}
		}
	}
}
