package ward

import (
	"fmt"
	"regexp"
	"strings"
	"syscall"

	"questboard/agents/process"
	"questboard/orchestration"
)

// What the shell's exit codes mean; see sh(1), "Exit status".
const (
	exitNotExecutable = 126
	exitNotFound      = 127
	exitSignalled     = 128 // plus the signal that ended the last command
)

// verdict says what an exit means. Only a command that ran and disapproves is
// a failure that an agent can mend; the rest of the table in state-machine.md
// ("What happens next", ward) blocks.
func (c *check) verdict(exit process.Exit) (orchestration.End, orchestration.Exit) {
	c.mu.Lock()
	ending, timedOut := c.ending, c.timedOut
	c.mu.Unlock()
	facts := orchestration.Exit{Code: exit.Code, Tree: c.tree, Digest: c.tail.digest()}
	signal := exit.Signal
	if s := syscall.Signal(exit.Code - exitSignalled); s == syscall.SIGKILL || s == syscall.SIGTERM {
		signal = s // the shell lived on to say that its command was killed
	}
	broke := func(format string, args ...any) (orchestration.End, orchestration.Exit) {
		facts.Why = fmt.Sprintf(format, args...)
		return orchestration.EndWardBroke, facts
	}
	switch {
	case ending:
		facts.Why = "ended before it was done"
		return orchestration.EndInterrupted, facts
	case timedOut:
		return broke("took longer than %v", c.limit)
	case exit.Lost:
		return broke("its supervisor was killed by somebody else")
	case signal == syscall.SIGKILL:
		return broke("killed by somebody else (signal 9), perhaps for want of memory")
	case signal != 0:
		return broke("ended by a signal of somebody else: %v", signal)
	case exit.Code == 0:
		facts.Why, facts.Digest = "passed", ""
		return orchestration.EndWardPassed, facts
	case exit.Code == exitNotFound:
		return broke("command not found: %s", culprit(facts.Digest, c.spec.Command))
	case exit.Code == exitNotExecutable:
		return broke("cannot be executed: %s", culprit(facts.Digest, c.spec.Command))
	default:
		facts.Why = failed(exit.Code, c.failures)
		return orchestration.EndWardFailed, facts
	}
}

func failed(code, tests int) string {
	switch tests {
	case 0:
		return fmt.Sprintf("exit %d", code)
	case 1:
		return fmt.Sprintf("exit %d: 1 test failed", code)
	default:
		return fmt.Sprintf("exit %d: %d tests failed", code, tests)
	}
}

// complaint is how shells word it: "/bin/sh: 1: foo: not found",
// "sh: line 1: ./x: Permission denied", "sh: foo: command not found".
var complaint = regexp.MustCompile(`sh: (?:(?:line )?\d+: )?(.+): [^:]+$`)

// culprit is what could not be run: what the shell says in its last line, or
// else the whole command.
func culprit(digest, command string) string {
	digest = strings.TrimSpace(digest)
	last := digest[strings.LastIndexByte(digest, '\n')+1:]
	if m := complaint.FindStringSubmatch(last); m != nil {
		return cardLine(m[1])
	}
	return cardLine(command)
}
