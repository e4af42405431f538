package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The disk has no room for a file of a request. The form says so and keeps the text; once
// there is room, it begins. Nothing stays of what was not taken.
func TestAFileForWhichTheDiskHasNoRoomIsNamed(t *testing.T) {
	d := onSmallDisk(t, 64)
	if d == nil {
		return
	}
	data, scenario := filepath.Join(d.dir, "data"), filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, scenario, readsFiles)
	s := launch(t, nil, "-data", data, "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", scenario)
	repo, files := apiRepo(t), map[string]string{"large.bin": strings.Repeat("x", 9<<20), "notes.txt": "notes"}
	d.fill(5 << 20)
	answer, page := s.formWith(repo, files)
	if answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(page, "large.bin was not taken: the disk of the server is full.") ||
		!strings.Contains(page, "Do what the notes say.") || !strings.Contains(page, " notes.txt\"") {
		t.Errorf("%d %s", answer.StatusCode, page)
	}
	d.empty()
	d.fill(12 << 20) // room for the form's copy, and not for the quest's
	answer, page = s.formWith(repo, files)
	if answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(page, "Large.bin could not be stored: the disk of the server is full") || !strings.Contains(page, " large.bin\"") {
		t.Errorf("%d %s", answer.StatusCode, page)
	}
	if left, err := os.ReadDir(filepath.Join(data, "attachments", "quests")); err != nil || len(left) > 0 {
		t.Errorf("left %v %v", left, err)
	}
	d.empty()
	s.upload(repo, files)
}
