package orchestration_test

import (
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
