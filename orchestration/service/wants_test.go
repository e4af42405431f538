package service_test

import (
	"os"
	"path/filepath"
	"testing"

	"questboard/agents/workspace"
	"questboard/orchestration/service"
)

// A board must not walk through a quest's trees at every change; what the user
// is asked to trust is what is there.
func TestBoardsLookNowAndThen_trustLooksAnew(t *testing.T) {
	t.Parallel()
	r, dir := service.NewRepositories(workspace.Git{Dir: t.TempDir()}), t.TempDir()
	if before, err := r.LatelyWanted(dir); err != nil || !before.Nothing() {
		t.Fatalf("an empty folder wants %+v, %v", before, err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(`{"mcpServers":{"x":{"command":"x"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if lately, err := r.LatelyWanted(dir); err != nil || !lately.Nothing() {
		t.Errorf("a board looked again at once: %+v, %v", lately, err)
	}
	if now, err := r.Wants(dir); err != nil || now.Nothing() {
		t.Errorf("trust was decided by an old look: %+v, %v", now, err)
	}
}
