// Package e2etest has what tests of several packages share: the built server, programs,
// golden files, the tables of documents, and the words that texts for people do not
// use.
package e2etest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Server builds the product as a user does and returns its path. QUESTBOARD_TEST_SERVER
// names a binary to test instead, such as that of a release.
var Server = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("QUESTBOARD_TEST_SERVER"); path != "" {
		return path, nil
	}
	return build("server")
})

// Strikable builds the server with failpoints, which a test can trigger.
var Strikable = sync.OnceValues(func() (string, error) { return build("server-failpoints", "-tags", "failpoints") })

// build builds a binary below bin of this checkout, so that the tests of different
// checkouts do not share it. If two packages or two `make test` build at the same time,
// the second waits, and go then finds the binary up to date. The flags are those of
// `make build`, so that both share the build cache. Without symbols linking is faster.
func build(name string, flags ...string) (string, error) {
	gomod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(gomod)))
	dir := filepath.Join(root, "bin", "test")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a folder for the binary: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, name+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", fmt.Errorf("lock the binary: %w", err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return "", fmt.Errorf("lock the binary: %w", err)
	}
	path := filepath.Join(dir, name)
	cmd := exec.Command("go", slices.Concat([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", path}, flags,
		[]string{"./cmd/server"})...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the server: %w\n%s", err, out)
	}
	return path, nil
}
