package present

import (
	"testing"

	"questboard/orchestration"
)

// The badge of a blocked step says what blocks it.
func TestEveryBlockHasWordsOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, kind := range orchestration.BlockKinds {
		if blocked(kind).Words == "Blocked" {
			t.Errorf("the badge of a step that is blocked (%s) does not say why", kind)
		}
	}
}
