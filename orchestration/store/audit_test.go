package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"questboard/orchestration/record"
)

func TestTheAuditKeepsWhoDidWhatFromWhere(t *testing.T) {
	t.Parallel()
	inEachDatabase(t, func(t *testing.T, d database) {
		s := d.open(t)
		at := time.Date(2026, 11, 21, 12, 0, 0, 7, time.UTC)
		var want []record.AuditEntry
		for i, action := range []string{"login", "approve", "approve", "stop"} {
			e := record.AuditEntry{ID: int64(i + 1), At: at.Add(time.Duration(i)), Actor: "owner", Via: "browser", Action: action,
				Quest: fmt.Sprint("q", i%2), Target: "plan", Status: 303, Remote: "127.0.0.1", Agent: "curl"}
			if err := s.Record(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			want = append(want, e)
		}
		for name, c := range map[string]struct {
			f    record.AuditFilter
			want []record.AuditEntry
		}{
			"all":       {record.AuditFilter{N: 9}, want},
			"after":     {record.AuditFilter{After: 1, N: 2}, want[1:3]},
			"newest":    {record.AuditFilter{Newest: true, Before: 4, N: 1}, want[2:3]},
			"of action": {record.AuditFilter{Action: "approve", N: 9}, want[1:3]},
			"of quest":  {record.AuditFilter{Quest: "q1", Action: "approve", N: 9}, want[1:2]},
		} {
			got, err := s.Audit(t.Context(), c.f)
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%s: %v\n%s", name, err, diff)
			}
		}
	})
}

// The audit has a limited size, and a stranger cannot push out what the owner did.
func TestTheAuditIsBounded(t *testing.T) {
	t.Parallel()
	inEachDatabase(t, func(t *testing.T, d database) {
		s := d.open(t)
		now := time.Now()
		fill := func(from, to int, action string, at time.Time) {
			t.Helper()
			if err := s.Exec(fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT %d UNION ALL SELECT i+1 FROM n WHERE i < %d)
				INSERT INTO audit SELECT i, %d, 'x', '', '%s', '', '', 200, '', '' FROM n`, from, to, at.UnixNano(), action)); err != nil {
				t.Fatal(err)
			}
		}
		fill(1, 1000, "old", now.Add(-181*24*time.Hour))
		fill(1001, 2000, "approve", now)
		fill(2001, 152_063, record.AuditLoginRefused, now) // the next entry triggers a pruning
		count := func(action string) int {
			t.Helper()
			n, err := s.Count("audit WHERE action = '" + action + "'")
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		note := func() {
			t.Helper()
			if err := s.Record(t.Context(), record.AuditEntry{At: now, Action: "approve"}); err != nil {
				t.Fatal(err)
			}
		}
		note()
		if count("old") != 0 || count("approve") != 1001 || count(record.AuditLoginRefused) != 10_000 {
			t.Errorf("%d old, %d approved, %d refused", count("old"), count("approve"), count(record.AuditLoginRefused))
		}
		fill(152_065, 262_143, "stop", now)
		note()
		if all := count("approve") + count("stop") + count(record.AuditLoginRefused); all != 100_000 || count("stop") != 99_999 {
			t.Errorf("%d entries are kept, %d of them the newest", all, count("stop"))
		}
	})
}
