package store_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"questboard/orchestration"
)

// A review of an older version has had no rounds. Its findings were texts, and a hand-over
// was its verdict: now Lawbringer looks again.
func TestReviewsOfOldSchemas_goOnWithNoRounds(t *testing.T) {
	t.Parallel()
	for signal, verdict := range map[string]bool{
		`{"signal":"complete","stepId":"review","summary":"good"}`:                                                                         true,
		`{"signal":"needs-role-followup","stepId":"review","targetRole":"spiritmender","reason":"a gap","context":"there","resume":false}`: false,
	} {
		dir := t.TempDir()
		build(t, dir, 7)
		db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "questboard.db"))
		if err != nil {
			t.Fatal(err)
		}
		_, quest := db.Exec(`UPDATE quests SET phase = 'review'`)
		_, steps := db.Exec(`UPDATE steps SET verdict = TRUE, findings = '["no tests: login.go has none"]' WHERE id = 'review'`)
		_, runs := db.Exec(`UPDATE runs SET line = 'review', role = 'lawbringer', return_to = '', signal = ? WHERE id = 'quest-r1'`, signal)
		if err := errors.Join(quest, steps, runs, db.Close()); err != nil {
			t.Fatal(err)
		}
		q, err := open(t, dir).Quest(t.Context(), "quest")
		if err != nil || q.Damaged() {
			t.Fatalf("%v (%v)", err, q.Wait)
		}
		s := q.Step(orchestration.StepReview)
		if s.Rounds != 0 || s.Looked != "" || s.Verdict != verdict {
			t.Errorf("after %s: %d rounds, look %q, verdict %v", signal, s.Rounds, s.Looked, s.Verdict)
		}
		if len(s.Findings) != 1 || s.Findings[0].What != "no tests: login.go has none" || s.Findings[0].State != orchestration.FindingMended {
			t.Errorf("findings %+v", s.Findings)
		}
	}
}
