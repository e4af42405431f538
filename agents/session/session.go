package session

import (
	"io"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"questboard/agents"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/agents/transcript"
	"questboard/orchestration"
)

// resultGrace is how long a process may continue after its result. Some releases hang
// there (docs/hardening.md#its-output).
const resultGrace = 30 * time.Second

// stderrTail is how much of standard error is used to judge an end.
const stderrTail = 4 << 10

// cancelGrace is how long a program has to end its turn after it was told to. It then says
// what the turn used, which nobody learns otherwise. Without a Talk there is no such word.
const cancelGrace = 2 * time.Second

// LongestEnd is how long a program lives after its grace at most.
const LongestEnd = cancelGrace + process.KillAfter

// session is one running process. It implements agents.Process.
type session struct {
	observer agents.Observer
	now      func() time.Time
	grace    time.Duration
	cap      int64 // tokens that the run may use; 0: no limit

	child *process.Child
	begun chan struct{} // closed when child is set or will never be

	talk *Talk // nil: the program got its prompt, and is asked nothing more

	// Only the reader uses stream and after until the child has ended.
	stream  stream
	after   *time.Timer // runs from the result, or from the message that crossed the cap
	leaving bool        // it runs from that message
	told    orchestration.Told
	over    bool // a result came, and nothing since

	mu  sync.Mutex
	cut transcript.Cut // the first reason why we ended it

	ended agents.Ended
	done  chan struct{} // closed when ended is valid
}

// PID implements agents.Process.
func (s *session) PID() int { return s.child.PID() }

// End implements agents.Process.
func (s *session) End(grace time.Duration) {
	s.note(transcript.CutAsked)
	if s.talk != nil {
		if grace > 0 {
			time.AfterFunc(grace, s.talk.Cancel) // says nothing if the turn has ended by then
		} else {
			s.talk.Cancel()
		}
		grace += cancelGrace
	}
	s.child.End(grace)
}

// Wait implements agents.Process.
func (s *session) Wait() agents.Ended {
	<-s.done
	return s.ended
}

// read reads standard output: it keeps every line, or what the Talk passes on of it, and acts
// on it. It runs in the child's goroutine and ends with the output.
func (s *session) read(out io.Reader, log log) {
	// An error of the pipe is the end of the output; the exit of the process says the
	// rest.
	_ = runlog.ReadLines(out, runlog.MaxLine, func(line []byte, _ bool) {
		seen := s.stream.Feed(line)
		if s.talk == nil {
			log.append(line)
		} else if !s.talk.Heard(line, seen, log.append) {
			s.stop(transcript.CutDeaf)
		}
		s.act(seen)
	})
	if s.talk != nil {
		s.talk.Rest(log.append)
	}
}

func (s *session) act(seen transcript.Seen) {
	facts := s.stream.Facts()
	if seen.Opened && !facts.NoWayToSignal() {
		// A session that is ended here and now has not begun: there would be nothing to
		// resume.
		s.observer.SessionOpened(facts.SessionID)
	}
	s.tell(seen, facts)
	if seen.Progress {
		s.observer.Progress(agents.Progress{At: s.now(), OpenTools: s.stream.OpenTools(), Line: seen.Line, Text: facts.LastText,
			Connected: facts.Server == transcript.Connected, SignalAnswered: seen.SignalAnswered, Compactions: facts.Compactions})
	}
	switch {
	case facts.NoWayToSignal():
		s.stop(transcript.CutServer)
	case facts.AuthFailures >= 2:
		s.stop(transcript.CutLogin)
	case seen.Result:
		s.leaving = false
		s.startTimer(s.grace, transcript.CutAfterResult)
	case s.spent() && s.stream.Between():
		s.leave(seen)
	case facts.ContextFull() && s.stream.OpenTools() == 0:
		s.stop(transcript.CutFull) // not within a tool call: its result would be lost
	case seen.Progress && s.after != nil:
		// An interim result, or another tool call: the turn continues.
		s.leaving = false
		s.after.Stop()
	}
}

// tell passes on what the line told of what the run uses, if that is new.
func (s *session) tell(seen transcript.Seen, facts transcript.Facts) {
	s.over = seen.Result || s.over && !seen.Progress
	if told := facts.Told(s.stream.Tokens(), s.over); told != s.told {
		s.told = told
		s.observer.Told(told)
	}
}

// spent reports whether the run has used the tokens that it may use.
func (s *session) spent() bool { return s.cap > 0 && s.stream.Tokens().All() >= s.cap }

// leave ends a run that has used its share, between two tool calls. After the answer of a tool
// the model would be asked again, so it ends at once. The message that crosses the cap, and
// the answer to its signal, may be the last of the turn: then its result follows.
func (s *session) leave(seen transcript.Seen) {
	switch {
	case seen.Type == "user" && !seen.SignalAnswered:
		s.stop(transcript.CutCapped)
	case !s.leaving:
		s.leaving = true
		s.startTimer(min(s.grace, agents.CapGrace), transcript.CutCapped)
	}
}

func (s *session) startTimer(grace time.Duration, why transcript.Cut) {
	if s.after != nil {
		s.after.Stop()
	}
	s.after = time.AfterFunc(grace, func() { s.stop(why) })
}

// stop ends the process at once, for a reason of our own. It does not wait: output may
// come before Start has returned, and Start may wait for the output.
func (s *session) stop(why transcript.Cut) {
	if !s.note(why) {
		return
	}
	go func() { // ends with Start
		<-s.begun
		if s.child != nil {
			s.child.End(0)
		}
	}()
}

// note records the first reason, and reports whether this was the first.
func (s *session) note(why transcript.Cut) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cut != transcript.CutNot {
		return false
	}
	s.cut = why
	return true
}

// await determines what the child's end meant. It runs in a goroutine that ends with
// the child.
func (s *session) await(log log, clean func()) {
	exit := s.child.Wait()
	if s.after != nil {
		s.after.Stop()
	}
	log.close()
	clean()
	s.mu.Lock()
	cut := s.cut
	s.mu.Unlock()
	if cut == transcript.CutAsked && !exit.Told && !s.stream.Facts().Cancelled() {
		cut = transcript.CutNot // it was asked to end, but ended by itself before TERM
	}
	ending := transcript.Ending{
		Facts: s.stream.Facts(), Tokens: s.stream.Tokens(), Cut: cut, Code: exit.Code, Lost: exit.Lost,
		At:     s.now(),
		Stderr: transcript.Tail(string(exit.Stderr), stderrTail),
	}
	if exit.Signal != 0 {
		ending.Signal = unix.SignalName(exit.Signal)
	}
	s.ended.End, s.ended.Exit = transcript.Classify(ending)
	close(s.done)
}
