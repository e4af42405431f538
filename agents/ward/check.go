package ward

import (
	"fmt"
	"strings"

	"questboard/agents"
	"questboard/orchestration"
)

// check is one run of the project's check.
type check struct {
	*command
	tree     string // fingerprint before the command ran
	failures int    // number of lines that report a failed test
	faults   faults
}

// pass ends a check that needs no process.
func (c *check) pass(exit orchestration.Exit) agents.Process {
	c.finish(agents.Ended{End: orchestration.EndWardPassed, Exit: exit})
	return c
}

func (c *check) see(line string) {
	if strings.HasPrefix(line, "--- FAIL:") { // indented ones are parts of a test
		c.failures++
	}
	c.faults.see(line)
}

// verdict says what the end of the command means. Only if the command ran and failed can
// an agent fix the cause; anything else blocks the step
// (docs/state-machine.md#the-check).
func (c *check) verdict(f fate, exit orchestration.Exit) agents.Ended {
	ends := map[fate]orchestration.End{passed: orchestration.EndWardPassed, disapproved: orchestration.EndWardFailed,
		broke: orchestration.EndWardBroke, interrupted: orchestration.EndInterrupted}
	exit.Tree, exit.Took = c.tree, c.now().Sub(c.started)
	if f == disapproved {
		exit.Faults = c.faults.list()
		exit.Failing, exit.MoreFailing = c.faults.failing()
		switch c.failures {
		case 0:
		case 1:
			exit.Why += ": 1 test failed"
		default:
			exit.Why += fmt.Sprintf(": %d tests failed", c.failures)
		}
	}
	return agents.Ended{End: ends[f], Exit: exit}
}
