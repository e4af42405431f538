//go:build soak

package e2e_test

import (
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
	command(t, binary, nil, "-addr", "127.0.0.1:0").fails(t, 1, "without a C compiler", "apt-get install gcc", "CGO_ENABLED=1")
	command(t, binary, nil, "demo", "-addr", "127.0.0.1:0").fails(t, 1, "without a C compiler")
}
