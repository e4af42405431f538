package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// build makes the product as a user does, once a test run. The folder is fixed,
// so that nothing piles up. QUESTBOARD_TEST_SERVER names a binary to test
// instead, such as that of a release.
var build = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("QUESTBOARD_TEST_SERVER"); path != "" {
		return path, nil
	}
	return buildAs("server")
})

// buildStrikable makes the binary whose failpoints can be struck.
var buildStrikable = sync.OnceValues(func() (string, error) {
	return buildAs("server-failpoints", "-tags", "failpoints", "-ldflags", "-s -w") // faster to link
})

func buildAs(name string, flags ...string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for the binary: %w", err)
	}
	path := filepath.Join(cache, "questboard-test", name)
	args := slices.Concat([]string{"build", "-o", path}, flags, []string{"questboard/cmd/server"})
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the server: %w\n%s", err, out)
	}
	return path, nil
}

// serverBinary returns the path of the built server.
func serverBinary(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
