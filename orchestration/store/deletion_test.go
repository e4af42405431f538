package store_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"questboard/orchestration"
)

// A deletion that cannot be read proves nothing. A copy of the database proves nothing
// either, because the quest may have come back since.
func TestADeletionThatProvesNothingIsNotFinished(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	s := open(t, t.TempDir())
	var want []orchestration.Deletion
	for _, id := range []string{"cut", "left", "other"} {
		q := questOf(id, 1)
		commit(t, s, born(q))
		d := orchestration.Deletion{Quest: id, Repo: "/repo", Workspace: orchestration.WorkspaceWorktree, Runs: []string{id + "-r1"}}
		if err := s.Delete(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		if id == "left" {
			want = append(want, d)
		}
	}
	if err := s.Backup(t.Context(), filepath.Join(elsewhere, "questboard.db")); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"UPDATE settings SET value = '{\"Quest\":\"c' WHERE name = 'deleted cut'", "UPDATE settings SET name = 'deleted nobody' WHERE name = 'deleted other'"} {
		if err := s.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Deletions(t.Context())
	if !reflect.DeepEqual(got, want) {
		t.Errorf("deletions %+v, want %+v", got, want)
	}
	for _, name := range []string{"deleted cut", "deleted nobody"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v: it should name %q", err, name)
		}
	}
	if got, err := open(t, elsewhere).Deletions(t.Context()); err != nil || len(got) > 0 {
		t.Errorf("in the copy: %+v (%v)", got, err)
	}
}
