package orchestration_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

func TestEveryRoleHasAName(t *testing.T) {
	t.Parallel()
	for _, r := range orchestration.Roles {
		if name := r.Name(); name == string(r) || !strings.EqualFold(name, string(r)) {
			t.Errorf("%s is called %q", r, name)
		}
	}
}

// Every agent may complete its run, and every signal that it may send has a route. Ward
// sends no signals: its exit code decides.
func TestEveryAgentMayComplete(t *testing.T) {
	t.Parallel()
	for _, r := range orchestration.Roles {
		if may := slices.Contains(orchestration.SignalsOf(r), orchestration.Complete); may != r.Agent() {
			t.Errorf("%s is an agent: %v; it may send %v", r, r.Agent(), orchestration.SignalsOf(r))
		}
	}
}

// Each role that stores something has its own tools for that.
func TestAToolHasOneOwner(t *testing.T) {
	t.Parallel()
	for _, r := range orchestration.Roles {
		for _, tool := range r.Tools() {
			if orchestration.ToolOwner(tool) != r {
				t.Errorf("%s is of %s and of %s", tool, r, orchestration.ToolOwner(tool))
			}
		}
	}
	if owner := orchestration.ToolOwner(""); owner != "" {
		t.Errorf("no tool is of %s", owner)
	}
}
