package e2e_test

import (
	"flag"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestMain runs three tests per core at the same time, because they mostly wait for
// processes.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == ownAgentArg {
		os.Exit(actAsOwnAgent())
	}
	flag.Parse()
	if !slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.parallel") }) {
		_ = flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0)))
	}
	// Crashed runs are tried again at once. Tests of the rules cover the waits.
	_ = os.Setenv("QUESTBOARD_CRASH_BACKOFF", "10ms")
	// Several real CLIs that start at once need longer than the 30 s that users give one.
	_ = os.Setenv("QUESTBOARD_START_TIMEOUT", "5m")
	// On two cores one check runs at a time, and many tests let one hang.
	_ = os.Setenv("QUESTBOARD_CHECKS", "4")
	m.Run()
}
