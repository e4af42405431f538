package agents

import (
	"slices"
	"testing"

	"questboard/orchestration"
)

// Every agent has a row in roles.go and a text in prompts.
func TestEveryRoleHasARowAndAText(t *testing.T) {
	t.Parallel()
	for _, role := range orchestration.Roles {
		row, there := roles[role]
		if there != role.Agent() || role.Agent() && row.example.Summary == "" {
			t.Errorf("agents/roles.go: %s is an agent: %v; it has a row: %v, with an example: %q", role, role.Agent(), there, row.example.Summary)
		}
		if sends := orchestration.SignalsOf(role); slices.Contains(sends, orchestration.NeedsRoleFollowup) {
			for _, h := range []handover{row.example.Back, row.example.Away} {
				if !slices.Contains(orchestration.TargetsOf(role), h.Target) || h.Reason == "" || h.Context == "" {
					t.Errorf("agents/roles.go: no agent could send this example of %s: %+v", role, h)
				}
			}
		}
		if _, err := RoleText(role); (err == nil) != role.Agent() {
			t.Errorf("agents/prompts/%s: %s is an agent: %v; reading its text: %v", roleFile(role), role, role.Agent(), err)
		}
	}
	if extra := len(roles) - len(orchestration.Roles) + 1; extra != 0 {
		t.Errorf("agents/roles.go has %d rows more than there are agents", extra)
	}
}
