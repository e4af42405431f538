package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

// Git does not work in a repository of another user of the machine, unless its
// own user says so. Ours does not either: a folder like /tmp is everybody's.
func TestARepositoryOfAnotherUserIsRefusedUnlessItIsDeclaredSafe(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("root is needed to give a folder away")
	}
	for _, part := range []string{"", ".git"} {
		for config, used := range map[string]bool{"": false, "directory = %": true, "directory = *\n\tdirectory =": false, "directory = */*": false} {
			above := repo(t)
			within := filepath.Join(above, "mine")
			put(t, within, "f", "x")
			if err := os.Lchown(filepath.Join(above, part), 65534, 65534); err != nil {
				t.Fatal(err)
			}
			global := filepath.Join(t.TempDir(), "config")
			put(t, filepath.Dir(global), "config", "[safe]\n\t"+strings.ReplaceAll(config, "%", above)+"\n")
			g := gitOf(t)
			g.Environ = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + global}
			_, err := g.Fingerprint(t.Context(), within)
			if used && err != nil {
				t.Errorf("%q given away, %q: %v", part, config, err)
			}
			if !used && (!errors.Is(err, workspace.ErrOdd) || !strings.Contains(err.Error(), "safe.directory '"+above+"'")) {
				t.Errorf("%q given away, %q: %v", part, config, err)
			}
		}
	}
}
