package harness_test

import (
	"fmt"
	"os"
	"testing"
)

// TestMain lets this binary be the agent, too: see standIn.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == agentCommand {
		if err := standIn(os.Args[2], os.Args[3:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
