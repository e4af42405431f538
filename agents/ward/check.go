package ward

import (
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	"questboard/agents"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/orchestration"
)

// progressEvery is how often the card hears of new output.
const progressEvery = 250 * time.Millisecond

// check is one run of the command. It implements agents.Process.
type check struct {
	spec     agents.Spec
	observer agents.Observer
	log      record
	now      func() time.Time
	started  time.Time
	limit    time.Duration
	tree     string
	child    *process.Child // nil: no process was needed

	// Used by read alone until the child's Wait has returned.
	tail     tail
	failures int // lines that say that a test failed
	told     time.Time

	mu       sync.Mutex
	ending   bool // End was called
	timedOut bool

	ended agents.Ended
	done  chan struct{} // closed when ended is valid
}

func (c *check) begin() {
	c.started = c.now()
	c.log.start(c.spec.Command, c.spec.Dir)
	// One open tool: a check may be silent for long and be healthy.
	c.observer.Progress(agents.Progress{At: c.started, OpenTools: 1, Line: "check"})
}

// PID implements agents.Process; 0 where no process was needed.
func (c *check) PID() int {
	if c.child == nil {
		return 0
	}
	return c.child.PID()
}

// End implements agents.Process.
func (c *check) End(grace time.Duration) {
	if c.child == nil {
		return
	}
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	c.child.End(grace)
}

// Wait implements agents.Process.
func (c *check) Wait() agents.Ended {
	<-c.done
	return c.ended
}

func (c *check) timeOut() {
	c.mu.Lock()
	c.timedOut = true
	c.mu.Unlock()
	c.child.End(0)
}

// read takes the command's output, line by line.
func (c *check) read(r io.Reader) {
	_ = runlog.ReadLines(r, runlog.MaxLine, func(line []byte, _ bool) {
		c.log.output(line)
		c.tail.add(line)
		text := string(line[:min(len(line), 512)])
		if strings.HasPrefix(text, "--- FAIL:") { // indented ones are parts of a test
			c.failures++
		}
		if now := c.now(); now.Sub(c.told) >= progressEvery {
			c.told = now
			c.observer.Progress(agents.Progress{At: now, OpenTools: 1, Line: cardLine(text)})
		}
	})
}

// settle ends a check that needs no process.
func (c *check) settle(end orchestration.End, exit orchestration.Exit) agents.Process {
	c.finish(end, exit)
	return c
}

func (c *check) finish(end orchestration.End, exit orchestration.Exit) {
	c.log.end(exit, c.now().Sub(c.started))
	_ = c.log.out.Close() // a disk that refuses output does not change the verdict
	c.ended = agents.Ended{End: end, Exit: exit}
	close(c.done)
}

// cardLine makes one short line that is safe to show.
func cardLine(text string) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(plain(text), "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	if runes := []rune(text); len(runes) > 120 {
		return string(runes[:119]) + "…"
	}
	return text
}
