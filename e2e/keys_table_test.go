package e2e_test

import (
	"os"
	"testing"
)

// The table says whether this git accepts a program as a key's value.
// QUESTBOARD_KEYS=table writes a new one.
func TestTheTableOfKeysIsThatOfThisGit(t *testing.T) {
	t.Parallel()
	a := newKeyPrograms(t)
	good, refused := a.acceptable(a.settings())
	t.Logf("%d keys in one configuration, %d that git refuses", len(good), len(refused))
	if os.Getenv("QUESTBOARD_KEYS") == "table" {
		a.writeTable(good, refused)
	}
}
