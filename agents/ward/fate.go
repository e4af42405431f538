package ward

import (
	"fmt"
	"regexp"
	"strings"
	"syscall"

	"questboard/agents/process"
	"questboard/orchestration"
)

// fate is how a command ended.
type fate int

const (
	passed      fate = iota // exit 0
	disapproved             // it ran to its end and failed
	broke                   // it did not start or did not finish
	interrupted             // we ended it
)

// What the shell's exit codes mean; see sh(1), "Exit status".
const (
	exitNotExecutable = 126
	exitNotFound      = 127
	exitSignalled     = 128 // plus the signal that ended the last command
)

// fate says how the command ended, and why in words.
func (c *command) fate(exit process.Exit) (fate, orchestration.Exit) {
	c.mu.Lock()
	ending, timedOut := c.ending, c.timedOut
	c.mu.Unlock()
	facts := orchestration.Exit{Code: exit.Code, Digest: c.tail.digest()}
	signal := exit.Signal
	if s := syscall.Signal(exit.Code - exitSignalled); s == syscall.SIGKILL || s == syscall.SIGTERM {
		signal = s // the shell reports that its command was killed
	}
	as := func(f fate, format string, args ...any) (fate, orchestration.Exit) {
		facts.Why = fmt.Sprintf(format, args...)
		return f, facts
	}
	switch {
	case ending:
		return as(interrupted, "ended before it was done")
	case timedOut:
		return as(broke, `took longer than %v; "Longest check" on the settings page sets this limit`, c.limit)
	case exit.Lost:
		return as(broke, "its supervisor was killed by another process or the system")
	case exit.Unwrapped:
		return as(broke, "the sandbox could not be made: %s", cardLine(lastLine(c.tail.digest())))
	case signal == syscall.SIGKILL:
		return as(broke, "killed by another process or the system (signal 9), perhaps because memory ran out")
	case signal != 0:
		return as(broke, "ended by a signal from another process: %v", signal)
	case exit.Code == 0:
		facts.Digest = ""
		return as(passed, "passed")
	case exit.Code == exitNotFound:
		return as(broke, "command not found: %s", culprit(facts.Digest, c.spec.Command))
	case exit.Code == exitNotExecutable:
		return as(broke, "cannot be executed: %s", culprit(facts.Digest, c.spec.Command))
	default:
		return as(disapproved, "exit %d", exit.Code)
	}
}

// complaint matches the messages of shells: "/bin/sh: 1: foo: not found", "sh: line 1:
// ./x: Permission denied", "sh: foo: command not found".
var complaint = regexp.MustCompile(`sh: (?:(?:line )?\d+: )?(.+): [^:]+$`)

// culprit returns what could not be run: the name in the shell's last line, or the
// whole command.
func culprit(digest, command string) string {
	if m := complaint.FindStringSubmatch(lastLine(digest)); m != nil {
		return cardLine(m[1])
	}
	return cardLine(command)
}

// lastLine returns the last line that is not empty.
func lastLine(digest string) string {
	digest = strings.TrimSpace(digest)
	return digest[strings.LastIndexByte(digest, '\n')+1:]
}
