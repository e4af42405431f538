package main_test

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// docs/hardening.md#supply-chain, T6.2: two builds of the same sources with the same Go
// are equal byte by byte, so that anyone can check a binary. "make build" builds both, in
// folders whose paths have different lengths. The two builds share the build cache,
// except in "make soak", where the second one compiles everything again, which takes
// minutes. The test runs only on Linux, because nobody has measured what Apple's linker
// adds.
func TestTwoFoldersBuildEqualServers(t *testing.T) {
	t.Parallel()
	var dirs []string
	for _, name := range []string{"a", "a/longer way/to"} {
		dirs = append(dirs, filepath.Join(t.TempDir(), name))
		copySources(t, dirs[len(dirs)-1])
	}
	var sums [][sha256.Size]byte
	for i, dir := range dirs {
		cmd := exec.Command("make", "build", "COMMIT=0123456789ab")
		cmd.Dir = dir
		cmd.Env = slices.DeleteFunc(os.Environ(), func(pair string) bool {
			return strings.HasPrefix(pair, "MAKE") || strings.HasPrefix(pair, "MFLAGS=") || strings.HasPrefix(pair, "GOFLAGS=")
		})
		if i > 0 && os.Getenv("QUESTBOARD_BUILD_APART") != "" {
			cmd.Env = append(cmd.Env, "GOCACHE="+t.TempDir())
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		binary, err := os.ReadFile(filepath.Join(dir, "bin", "server"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(binary), dir) {
			t.Errorf("the server names the folder in which it was built: %s", dir)
		}
		sums = append(sums, sha256.Sum256(binary))
		t.Logf("%x %d bytes", sums[len(sums)-1], len(binary))
	}
	if sums[0] != sums[1] {
		t.Errorf("two folders give two servers: %x and %x", sums[0], sums[1])
	}
}

// copySources copies the files of the checkout, except those that git ignores.
func copySources(t *testing.T, to string) {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-co", "--exclude-standard", "-z")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list the files of the checkout: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted but not committed yet
		}
		if err == nil {
			err = os.MkdirAll(filepath.Join(to, filepath.Dir(name)), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
