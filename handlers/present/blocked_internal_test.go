package present

import (
	"testing"

	"questboard/orchestration"
)

// What blocks a step is on its badge.
func TestEveryBlockHasWordsOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, kind := range orchestration.BlockKinds {
		if blocked(kind).Words == "Blocked" {
			t.Errorf("the badge of a step that is blocked (%s) does not say why", kind)
		}
	}
}
