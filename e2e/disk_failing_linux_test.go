package e2e_test

import (
	"os"
	"path/filepath"
	"testing"
)

// docs/hardening.md#stored-state, T3.6: while three agents of a quest work, the disk of
// the database answers writes or syncs with input/output errors. After a while it works
// again. QUESTBOARD_FAILING_DISK sets how many times each kind of error happens.
func TestAFailingDiskInTheMiddleOfAQuestLosesNothing(t *testing.T) {
	t.Parallel()
	times := number(t, "QUESTBOARD_FAILING_DISK", 1)
	fails := filepath.Join(t.TempDir(), "fails")
	m := startMortal(t, fullDiskScenario(), "LD_PRELOAD="+spoiledDisk(t), "FAILING_DISK="+fails)
	for round := range 2 * times {
		m.repo = apiRepo(t)
		m.troubled([]string{"shared", "worktree"}[round/2%2], trouble{
			begin: func() { write(t, fails, []string{"writes", "syncs"}[round%2]) },
			end: func() {
				if err := os.Remove(fails); err != nil {
					t.Error(err)
				}
			},
			page: "The disk reports an input/output error: nothing can be stored in " + m.data, form: "smartctl"})
	}
	m.endsWhole()
}
