package store_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
)

// A skip of an older version can be undone, unless an agent of a review has started.
func TestSkipsOfOldSchemas_areFinalOnceAReviewHasBegun(t *testing.T) {
	t.Parallel()
	for _, reviewed := range []bool{false, true} {
		dir := t.TempDir()
		build(t, dir, 6)
		db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "questboard.db"))
		if err != nil {
			t.Fatal(err)
		}
		_, failed := db.Exec(`UPDATE steps SET stage = 'skipped' WHERE id = 'step-1'`)
		if reviewed {
			_, err = db.Exec(`UPDATE runs SET line = 'review', role = 'lawbringer', started_at = 1 WHERE id = 'quest-r1'`)
		}
		if err := errors.Join(failed, err, db.Close()); err != nil {
			t.Fatal(err)
		}
		q, err := open(t, dir).Quest(t.Context(), "quest")
		if err != nil || q.Damaged() {
			t.Fatalf("%v (%v)", err, q)
		}
		if got := q.Step("step-1").Final; got != reviewed {
			t.Errorf("an agent of the review has started: %v; the skip is final: %v", reviewed, got)
		}
	}
}
