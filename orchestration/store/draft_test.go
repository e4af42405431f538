package store_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

func TestDraftsSurviveARestartAndKnowTheirVersion(t *testing.T) {
	t.Parallel()
	inEachDatabase(t, func(t *testing.T, kept database) {
		s, err := kept.opened(t)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Unix(1_800_000_000, 5).UTC()
		d, err := s.SaveDraft(t.Context(), record.Draft{ChangedAt: at, Setup: "npm ci", Links: "a\nb", Copies: ".env",
			Quest: orchestration.NewQuest{Title: "Hello", Request: "ünï\x01", Repo: "/repo", Slots: 3, BudgetUSD: 2.5, ApprovePlan: true, Workspace: "shared", Branch: "main", Agent: "claude", Ward: "make"}})
		if err != nil || d.ID == "" || d.Version != 1 {
			t.Fatalf("made: %+v (%v)", d, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = kept.open(t)
		got, err := s.Draft(t.Context(), d.ID)
		if diff := cmp.Diff(d, got); err != nil || diff != "" {
			t.Fatalf("after a restart (%v): %s", err, diff)
		}
		d.Quest.Title, d.ChangedAt = "Second", at.Add(time.Hour)
		second, err := s.SaveDraft(t.Context(), d)
		if err != nil || second.Version != 2 || !second.CreatedAt.Equal(at) {
			t.Fatalf("changed: %+v (%v)", second, err)
		}
		now, err := s.SaveDraft(t.Context(), d)
		if orchestration.CodeOf(err) != orchestration.CodeConflict || now.Version != 2 || now.Quest.Title != "Second" {
			t.Errorf("from an older version: %+v (%v)", now, err)
		}
		if err := s.DeleteDraft(t.Context(), d.ID, at); err != nil {
			t.Fatal(err)
		}
		if list, err := s.Drafts(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("deleted: %d are listed (%v)", len(list), err)
		}
		if _, err := s.SaveDraft(t.Context(), second); orchestration.CodeOf(err) != orchestration.CodeNotFound {
			t.Errorf("changed after it was deleted: %v", err)
		}
		if err := s.RestoreDraft(t.Context(), d.ID); err != nil {
			t.Errorf("brought back: %v", err)
		}
		third, err := s.SaveDraft(t.Context(), record.Draft{ChangedAt: at})
		if err != nil || s.DeleteDraft(t.Context(), third.ID, at.Add(-48*time.Hour)) != nil || s.DeleteDraft(t.Context(), d.ID, at) != nil {
			t.Fatal(err)
		}
		if err := s.RestoreDraft(t.Context(), third.ID); orchestration.CodeOf(err) != orchestration.CodeNotFound {
			t.Errorf("deleted two days ago: %v", err)
		}
		for _, c := range []struct{ hours, kept int }{{23, 1}, {25, 0}} {
			if err := s.DropOldDrafts(t.Context(), at.Add(time.Duration(c.hours)*time.Hour)); err != nil {
				t.Fatal(err)
			}
			if kept, err := s.KeptDrafts(t.Context()); err != nil || len(kept) != c.kept {
				t.Errorf("%d hours after the deletion %d drafts are kept (%v)", c.hours, len(kept), err)
			}
		}
	})
}

// The names in a stored draft are data: a field that gets a better name in the code keeps
// its name there.
func TestDraftsOfOlderVersionsAreRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	d, err := s.SaveDraft(t.Context(), record.Draft{ChangedAt: time.Unix(1_800_000_000, 0).UTC()})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "questboard.db"))
	if err != nil {
		t.Fatal(err)
	}
	stored := `{"ID":"","Version":0,"Order":{"Title":"Hello","Request":"Say it","Repo":"/repo","Slots":3},"Setup":"npm ci","Links":"a","Copies":""}`
	_, err = db.Exec("UPDATE drafts SET typed = ? WHERE id = ?", stored, d.ID)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	want := d
	want.Quest = orchestration.NewQuest{Title: "Hello", Request: "Say it", Repo: "/repo", Slots: 3}
	want.Setup, want.Links = "npm ci", "a"
	got, err := s.Draft(t.Context(), d.ID)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("read (%v): %s", err, diff)
	}
}
