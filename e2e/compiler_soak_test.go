//go:build soak

package e2e_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// This test compiles everything again without cgo.
func TestWithoutACCompilerTheServerSaysSo(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "server")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "questboard/cmd/server")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build without cgo: %v\n%s", err, out)
	}
	data := filepath.Join(t.TempDir(), "data")
	command(t, binary, nil, "-addr", "127.0.0.1:0", "-data", data).fails(t, 1,
		"without a C compiler", "apt-get install gcc", "xcode-select --install", "CGO_ENABLED=1")
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the data directory was touched: %v", err)
	}
	command(t, binary, nil, "demo", "-addr", "127.0.0.1:0").fails(t, 1, "without a C compiler")
}
