package e2e_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cliVersion is the release that the tests use. It is proprietary, so the tests
// download it, keep it outside of the tree and never commit it.
const cliVersion = "2.1.329"

// oldestCLI is the oldest supported release. It must also accept our flags.
const oldestCLI = "2.1.163"

var installing sync.Mutex

// claudeCLI returns the path of the real Claude Code of this version. If necessary, it
// installs it with npm into the user's cache. Without npm the test is skipped, or fails
// if CI=true.
func claudeCLI(t *testing.T, version string) string {
	t.Helper()
	if testing.Short() {
		skip(t, "short: the real CLI is not installed")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		skip(t, "no cache folder: %v", err)
	}
	dir := filepath.Join(cache, "questboard-test", "claude-code-"+version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	defer lock(t, dir)()
	program := filepath.Join(dir, "node_modules", "@anthropic-ai", "claude-code-"+platform(), "claude")
	if works(program, version) {
		return program
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		skip(t, "npm is needed to install the real CLI: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	// No scripts are needed, because the platform's package contains the native binary.
	install := exec.CommandContext(ctx, npm, "install", "--prefix", dir, "--ignore-scripts",
		"--no-audit", "--no-fund", "@anthropic-ai/claude-code@"+version)
	if out, err := install.CombinedOutput(); err != nil || !works(program, version) {
		skip(t, "install Claude Code %s: %v\n%s", version, err, out)
	}
	return program
}

// skip skips a test, or fails it if no test may be skipped.
func skip(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("CI=true, so this counts as failed: "+format, args...)
	}
	t.Skipf(format, args...)
}

// platform names npm's package of the native binary for this machine.
func platform() string {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	name := fmt.Sprintf("%s-%s", runtime.GOOS, arch)
	if musl, _ := filepath.Glob("/lib/ld-musl-*"); runtime.GOOS == "linux" && len(musl) > 0 {
		name += "-musl"
	}
	return name
}

func works(program, version string) bool {
	cmd := exec.Command(program, "--version")
	cmd.Env = []string{"HOME=" + os.TempDir(), "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	return err == nil && strings.HasPrefix(string(out), version+" ")
}

// lock keeps two test processes from installing into one folder.
func lock(t *testing.T, dir string) func() {
	t.Helper()
	installing.Lock()
	f, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		installing.Unlock()
		t.Fatal(err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = f.Close()
		installing.Unlock()
	}
}
