package claude_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"questboard/agents/claude"
	"questboard/orchestration"
)

// In the place of a folder there may be a pipe to which nobody ever writes. Neither the
// page that shows a repository's configuration nor the start of an agent waits for it.
func TestAPipeInPlaceOfAFolderHoldsNobody(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := claude.RepoConfig(pipe)
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil {
			t.Error("a pipe wants nothing, and nobody says that it is none")
		}
	case <-time.After(10 * time.Second):
		if f, err := os.OpenFile(pipe, os.O_WRONLY, 0); err == nil { // this ends a wait for the pipe
			_ = f.Close()
		}
		t.Error("it waits for the pipe")
	}
	spec := specOf(t, orchestration.Codeweaver)
	spec.Dir = pipe
	if text := rulesOf(t, spec); text != "" {
		t.Errorf("a pipe has the rules %q", text)
	}
}
