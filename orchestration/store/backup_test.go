package store_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"questboard/orchestration"
	"questboard/orchestration/store"
	"questboard/orchestration/storetest"
)

func TestABackupIsOfOneMomentWhileCommitsGoOn(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	q := questOf("quest", 50)
	commit(t, s, born(q))
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	writing.Go(func() {
		for q := q; ctx.Err() == nil; {
			next := signalled(q)
			if err := s.Commit(t.Context(), []orchestration.Transition{next}, nil); err != nil {
				t.Errorf("commit beside the backup: %v", err)
				return
			}
			q = next.Quest
		}
	})
	restored := t.TempDir()
	file := filepath.Join(restored, "questboard.db")
	err := s.Backup(t.Context(), file)
	stop()
	writing.Wait()
	if err != nil {
		t.Fatal(err)
	}
	wantMode(t, file, 0o600)
	got, err := open(t, restored).Quest(t.Context(), "quest")
	if err != nil {
		t.Fatal(err)
	}
	// Version and runs grow together: a torn copy would differ.
	if want := q.Runs.Len() + int(got.Version) - 1; got.Runs.Len() != want {
		t.Errorf("version %d with %d runs, want %d", got.Version, got.Runs.Len(), want)
	}
}

func TestABackupNeverOverwrites(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	file := filepath.Join(t.TempDir(), "precious")
	write(t, file, []byte("precious"))
	if err := s.Backup(t.Context(), file); err == nil {
		t.Error("it was overwritten")
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "precious" {
		t.Errorf("the file is %q (%v)", text, err)
	}
}

func wantStored(t *testing.T, s *store.Store, want *orchestration.Quest) {
	t.Helper()
	got, err := s.Quest(t.Context(), want.ID)
	if err != nil {
		t.Fatal(err)
	}
	if d := storetest.Diff(want, got); d != "" {
		t.Fatalf("quest %s (-want +stored):\n%s", want.ID, d)
	}
}
