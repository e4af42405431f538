package store_test

import (
	"fmt"
	"testing"
	"time"

	"questboard/orchestration"
)

// In place of an entry that cannot be read, the history has one that says so. All other
// entries are there.
func TestADamagedEntryOfAHistoryCostsItselfAlone(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 5, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		set string
		at  time.Time
	}{
		"JSON that is cut": {`data = '{"why":"so'`, at},
		"bytes":            {`data = x'00ff'`, at},
		"another JSON":     {`data = '[1]'`, at},
		"a time in words":  {`at = 'yesterday'`, time.Unix(0, 0).UTC()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, t.TempDir())
			q := questOf("quest", 1)
			first := born(q)
			for seq := range int64(3) {
				first.Events = append(first.Events, orchestration.Event{Seq: seq + 1, At: at, Actor: "user", Type: orchestration.EventStepSkipped, Step: "plan", Data: map[string]string{"reason": "so"}})
			}
			q.Seq = 3
			commit(t, s, first)
			if err := s.Exec("UPDATE events SET " + c.set + " WHERE seq = 2"); err != nil {
				t.Fatal(err)
			}
			for _, f := range []orchestration.EventFilter{{N: 10}, {N: 10, Step: "plan", Actor: "user", Types: []orchestration.EventType{orchestration.EventStepSkipped}}} {
				got, err := s.Events(t.Context(), "quest", f)
				if err != nil || len(got) != 3 {
					t.Fatalf("%d entries (%v)", len(got), err)
				}
				for i, want := range []orchestration.EventType{orchestration.EventStepSkipped, orchestration.EventUnreadable, orchestration.EventStepSkipped} {
					if e := got[i]; e.Seq != int64(i+1) || e.Type != want || e.Step != "plan" || e.Actor != "user" {
						t.Errorf("entry %d: %+v", i+1, e)
					}
				}
				if e := got[1]; !e.At.Equal(c.at) || e.Data["type"] != string(orchestration.EventStepSkipped) || e.Data["why"] == "" {
					t.Errorf("the damaged one: %s", fmt.Sprint(e))
				}
			}
		})
	}
}
