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

// TestMain runs three tests for each core at once: they mostly wait for processes.
func TestMain(m *testing.M) {
	flag.Parse()
	if !slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.parallel") }) {
		_ = flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0)))
	}
	// What crashes here is tried again at once: the waits have their tests in the rules.
	_ = os.Setenv("QUESTBOARD_CRASH_BACKOFF", "10ms")
	m.Run()
}
