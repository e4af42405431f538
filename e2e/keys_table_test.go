package e2e_test

import (
	"os"
	"testing"
)

// The list of what this git makes of a program as a key's value. A new one is
// written with QUESTBOARD_KEYS=table.
func TestTheTableOfKeysIsThatOfThisGit(t *testing.T) {
	t.Parallel()
	a := newAviary(t)
	good, refused := a.acceptable(a.settings())
	t.Logf("%d keys in one configuration, %d that git refuses", len(good), len(refused))
	if os.Getenv("QUESTBOARD_KEYS") == "table" {
		a.writeTable(good, refused)
	}
}
