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

// progressEvery is how often the card shows new output.
const progressEvery = 250 * time.Millisecond

// command is one run of a shell command line. It implements agents.Process.
type command struct {
	spec     agents.Spec
	observer agents.Observer
	log      record
	now      func() time.Time
	started  time.Time
	limit    time.Duration
	child    *process.Child // nil: no process was needed

	// judge says what the command's end means for its run.
	judge func(fate, orchestration.Exit) agents.Ended
	// look receives every line of the output, without colours; may be nil.
	look func(line string)

	// Only read uses these until the child's Wait has returned.
	tail tail
	told time.Time

	mu       sync.Mutex
	ending   bool // End was called
	timedOut bool

	ended agents.Ended
	done  chan struct{} // closed when ended is valid
}

// tell shows a line on the card. It reports one open tool, because a command may be
// silent for long and still be healthy.
func (c *command) tell(line string) {
	c.observer.Progress(agents.Progress{At: c.now(), OpenTools: 1, Line: line})
}

// PID implements agents.Process; 0 where no process was needed.
func (c *command) PID() int {
	if c.child == nil {
		return 0
	}
	return c.child.PID()
}

// End implements agents.Process.
func (c *command) End(grace time.Duration) {
	if c.child == nil {
		return
	}
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	c.child.End(grace)
}

// Wait implements agents.Process.
func (c *command) Wait() agents.Ended {
	<-c.done
	return c.ended
}

// watch ends the command when its time is over; it returns when the command has ended. As
// for agents, the time during which the disk refuses the output does not count: then the command
// waits for us.
func (c *command) watch() {
	began := time.Now()
	for left := c.limit; left > 0; {
		select {
		case <-c.done:
			return
		case <-time.After(left):
		}
		left = c.limit + c.log.out.AwaitRoom() - time.Since(began)
	}
	c.mu.Lock()
	c.timedOut = true
	c.mu.Unlock()
	c.child.End(0)
}

// read takes the command's output, line by line.
func (c *command) read(r io.Reader) {
	_ = runlog.ReadLines(r, runlog.MaxLine, func(line []byte, _ bool) {
		c.log.output(line)
		c.tail.add(line)
		text := plain(string(line[:min(len(line), lookedAt)]))
		if c.look != nil {
			c.look(text)
		}
		if now := c.now(); now.Sub(c.told) >= progressEvery {
			c.told = now
			c.tell(cardLine(text))
		}
	})
}

// lookedAt is how many bytes of a line are examined.
const lookedAt = 2 << 10

func (c *command) finish(ended agents.Ended) {
	c.log.end(ended.Exit, c.now().Sub(c.started))
	_ = c.log.out.Close() // a disk that refuses output does not change the verdict
	c.ended = ended
	close(c.done)
}

// cardLine makes one line of at most 120 printable characters.
func cardLine(text string) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(plain(text), "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	if runes := []rune(text); len(runes) > 120 {
		return string(runes[:119]) + "…"
	}
	return text
}
