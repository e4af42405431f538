package service_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// A failing disk refuses a commit that a crash may bring back. The quest would then need its
// files, so they stay until it is known.
func TestAFailingDiskTakesNoFilesFromAQuestThatMayHaveBegun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begun bool
		left  string
	}{"it began": {true, "a"}, "it did not": {false, ""}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, dir := attaching(t)
			files := b.keep(t, upload("a.txt", []byte("a")))
			file, mark := filepath.Join(dir, "quests", "one", "a.txt"), filepath.Join(dir, "beginning", "one")
			err := b.Attachments.Begin("one", files, never, func() error { return engine.ErrFailing })
			if !errors.Is(err, engine.ErrFailing) {
				t.Fatal(err)
			}
			wantFile(t, file, "a")
			if _, err := os.Stat(mark); err != nil {
				t.Error("the next start does not know that it must look:", err)
			}
			if c.begun {
				n := order("/repo", orchestration.WorkspaceShared)
				n.ID = "one"
				if _, err := b.Quests.Create(t.Context(), n); err != nil {
					t.Fatal(err)
				}
			}
			b.TidyAttachments(t.Context())
			wantFile(t, file, c.left)
			wantFile(t, mark, "")
		})
	}
}

// Files of a refused quest that cannot be removed are told and tried again.
func TestFilesThatCannotBeTakenBackStayMarked(t *testing.T) {
	t.Parallel()
	b, dir := attaching(t)
	files := b.keep(t, upload("a.txt", []byte("a")))
	quests, aside := filepath.Join(dir, "quests"), filepath.Join(dir, "aside")
	refusal := &orchestration.Error{Code: orchestration.CodeInvalid, Message: "no"}
	err := b.Attachments.Begin("one", files, never, func() error {
		if err := errors.Join(os.Rename(quests, aside), os.WriteFile(quests, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		return refusal
	})
	var fault *os.PathError
	if !errors.Is(err, refusal) || !errors.As(err, &fault) {
		t.Errorf("the error is %v", err)
	}
	if err := errors.Join(os.Remove(quests), os.Rename(aside, quests)); err != nil {
		t.Fatal(err)
	}
	b.TidyAttachments(t.Context())
	wantFile(t, filepath.Join(quests, "one", "a.txt"), "")
	wantFile(t, filepath.Join(dir, "beginning", "one"), "")
}

func never(string) (bool, error) { return false, nil }
