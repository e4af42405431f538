package store_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestABuildWithoutACompilerSaysSo(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "open")
	build := exec.Command("go", "build", "-o", program, "./testdata/open")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	dir := filepath.Join(t.TempDir(), "data")
	out, err := exec.Command(program, dir).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("it ended with %v, want exit code 1", err)
	}
	wantLine(t, errors.New(strings.TrimSpace(string(out))), "without a C compiler", "apt-get install gcc", "xcode-select --install", "CGO_ENABLED=1")
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data directory was touched: %v", err)
	}
}
