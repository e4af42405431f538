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

// A role is of use: it may end its run, and it has a row for what it sends. Ward
// is judged by its exit.
func TestEveryAgentMayComplete(t *testing.T) {
	t.Parallel()
	for _, r := range orchestration.Roles {
		if may := slices.Contains(orchestration.SignalsOf(r), orchestration.Complete); may != r.Agent() {
			t.Errorf("%s is an agent: %v; it may send %v", r, r.Agent(), orchestration.SignalsOf(r))
		}
	}
}

// Each role that stores a document has a tool of its own.
func TestAToolHasOneOwner(t *testing.T) {
	t.Parallel()
	for _, r := range orchestration.Roles {
		if tool := r.Tool(); tool != "" && orchestration.ToolOwner(tool) != r {
			t.Errorf("%s is of %s and of %s", tool, r, orchestration.ToolOwner(tool))
		}
	}
}
