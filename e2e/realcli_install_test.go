package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	// No scripts are needed, because the platform's package contains the native binary.
	npmInstall(t, dir, "@anthropic-ai/claude-code", version)
	if !works(program, version) {
		t.Fatalf("Claude Code %s was installed, and does not work", version)
	}
	return program
}

// npmInstall installs a module into a folder. Where npm's registry does not answer, the test is
// skipped, also if CI=true: the recorded lines of the program are played in agents/transcript.
func npmInstall(t *testing.T, dir, module, version string) {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		skip(t, "npm is needed to install %s: %v", module, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, npm, "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", module+"@"+version).CombinedOutput()
	switch {
	case err == nil:
	case registrySilent(string(out)):
		fmt.Fprintf(os.Stderr, "npm's registry does not answer, so %s is not played with %s; its recorded lines are, in agents/transcript\n", t.Name(), module)
		t.Skipf("npm's registry does not answer:\n%s", out)
	default:
		skip(t, "install %s %s: %v\n%s", module, version, err, out)
	}
}

// registrySilent reports whether npm says that its registry does not answer.
func registrySilent(said string) bool {
	return regexp.MustCompile(`npm error code (ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|E50[0-4])\b`).MatchString(said)
}

func TestARegistryThatDoesNotAnswerIsNoFaultOfAProgram(t *testing.T) {
	t.Parallel()
	npm, err := exec.LookPath("npm")
	if err != nil {
		skip(t, "npm is needed: %v", err)
	}
	broken := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(broken.Close)
	for registry, silent := range map[string]bool{"http://127.0.0.1:1": true, broken.URL: false} {
		out, err := exec.CommandContext(t.Context(), npm, "install", "--prefix", t.TempDir(), "--cache", t.TempDir(), "--fetch-retries", "0",
			"--registry", registry, "opencode-ai@"+openCodeVersion).CombinedOutput()
		if err == nil || registrySilent(string(out)) != silent {
			t.Errorf("%s: %v\n%s", registry, err, out)
		}
	}
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
