package main_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pinnedAction matches an action with the hash of a commit, because a tag can be moved.
var pinnedAction = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)

// workflowFaults returns what is wrong with a workflow. It may only read, must pin its
// actions by hash, and must not run what a stranger's pull request says with the
// repository's rights.
func workflowFaults(text string) []string {
	var faults []string
	fault := func(line string) { faults = append(faults, strings.TrimSpace(line)) }
	if !strings.Contains("\n"+text, "\npermissions: read-all\n") {
		fault("no permissions: read-all for all of it")
	}
	for line := range strings.SplitSeq(text, "\n") {
		said, _, _ := strings.Cut(line, " #")
		key, value, _ := strings.Cut(strings.TrimLeft(said, " -"), ":")
		value = strings.TrimSpace(value)
		switch {
		case key == "permissions" && value != "read-all", strings.Contains(said, "write-all"), value == "write",
			strings.Contains(said, "pull_request_target"), strings.Contains(said, "workflow_run"),
			strings.Contains(said, "github.event."), strings.Contains(said, "github.head_ref"),
			strings.Contains(said, "uses:") && (key != "uses" || !pinnedAction.MatchString(value)):
			fault(line)
		}
	}
	if strings.Count(text, "actions/checkout@") != strings.Count(text, "persist-credentials: false") {
		fault("a checkout keeps its token")
	}
	return faults
}

// docs/hardening.md#supply-chain, T6.3.
func TestHouseWorkflowsReadOnlyAndPinTheirActions(t *testing.T) {
	t.Parallel()
	actions := 0
	for _, name := range sources(t) {
		if !strings.HasPrefix(name, ".github/") || !slices.Contains([]string{"yml", "yaml"}, name[strings.LastIndex(name, ".")+1:]) {
			continue
		}
		text := strings.Join(lines(t, name), "\n") + "\n"
		actions += strings.Count(text, "uses:")
		for _, fault := range workflowFaults(text) {
			t.Errorf("%s: %s", name, fault)
		}
	}
	if actions < 4 {
		t.Errorf("only %d actions were found: this test looks in the wrong place", actions)
	}
}

func TestHouseKnowsABadWorkflow(t *testing.T) {
	t.Parallel()
	const good = "on: push\npermissions: read-all\njobs:\n  one:\n    steps:\n      - uses: a/b@0123456789012345678901234567890123456789 # v1\n"
	if faults := workflowFaults(good); len(faults) > 0 {
		t.Errorf("a good one: %q", faults)
	}
	for _, bad := range []string{
		strings.Replace(good, "0123456789012345678901234567890123456789", "v1", 1),
		strings.Replace(good, "0123456789012345678901234567890123456789", "main", 1),
		strings.Replace(good, "- uses: a/b@0123456789012345678901234567890123456789", "- { uses: a/b@v1 }", 1),
		strings.Replace(good, "permissions: read-all\n", "", 1),
		strings.Replace(good, "read-all", "write-all", 1),
		strings.Replace(good, "push", "pull_request_target", 1),
		strings.Replace(good, "push", "[push, pull_request_target]", 1),
		good + "    permissions:\n      contents: read\n",
		good + "      contents: write\n",
		good + "      - run: echo ${{ github.event.pull_request.title }}\n",
		good + "      - uses: actions/checkout@0123456789012345678901234567890123456789\n",
	} {
		if len(workflowFaults(bad)) == 0 {
			t.Errorf("no fault was found in\n%s", bad)
		}
	}
}
