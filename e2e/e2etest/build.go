// Package e2etest is what tests of several packages share: servers that are built to
// be driven, programs, golden files, the tables of documents, and the words that texts
// for people do not use.
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

// Server makes the product as a user does. QUESTBOARD_TEST_SERVER names a binary
// to test instead, such as that of a release.
var Server = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("QUESTBOARD_TEST_SERVER"); path != "" {
		return path, nil
	}
	return build("server")
})

// Strikable makes the server whose failpoints can be struck.
var Strikable = sync.OnceValues(func() (string, error) { return build("server-failpoints", "-tags", "failpoints") })

// build puts a binary below bin of this checkout, where another checkout's tests
// find none of it. Who comes second, from another package or another `make test`,
// waits, and finds it done: go touches no binary that is as it must be. The flags
// are those of `make build`, so that the compiler's cache serves both; without
// symbols it is sooner linked.
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
	cmd := exec.Command("go", slices.Concat([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", path}, flags, []string{"./cmd/server"})...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the server: %w\n%s", err, out)
	}
	return path, nil
}
