package telling_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// stores puts closed messages of the channel "phone" into the database that nobody has tried
// yet, changed by change.
func (r *rig) stores(n int, opened time.Time, change func(i int, m *record.Message)) {
	r.t.Helper()
	var list []record.Message
	for i := range n {
		m := record.Message{ID: fmt.Sprint("m", i), Channel: "phone", Opened: opened, Closed: true, State: record.MessageWaits,
			Notices: []orchestration.Notice{orchestration.NewNotice(orchestration.NoticeBackup, "full", opened)}}
		if change != nil {
			change(i, &m)
		}
		list = append(list, m)
	}
	if err := r.store.Put(r.t.Context(), list, 0); err != nil {
		r.t.Fatal(err)
	}
}

// Only some of a long backlog are looked at. The newest of all gathers, or none does: in an
// older one a notice would come before those that came before it.
func TestWhatComesBehindALongBacklogIsInTheNewestMessage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ open, notices, messages int }{
		"the newest gathers":   {101, 2, 102},
		"an older one gathers": {99, 1, 103},
	} {
		r := restingRig(t, record.Channel{ID: "phone"})
		later := time.Now().Add(time.Hour)
		r.stores(102, later, func(i int, m *record.Message) { m.Closed, m.Next = i != c.open, later })
		r.start(r.store)
		r.tell("one")
		r.until("phone", func(record.Standing) bool {
			list, _, err := r.store.Notices(t.Context(), 1)
			return err == nil && len(list) == 0
		})
		list, err := r.store.Waiting(t.Context(), "phone", 200)
		if err != nil || len(list) != c.messages || len(list[len(list)-1].Notices) != c.notices {
			t.Errorf("%s: %d messages, in the last %d notices (%v)", name, len(list), len(list[len(list)-1].Notices), err)
		}
	}
}

func TestAReceiverThatFailsForDaysHasNoBacklogWithoutEnd(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	r := restingRig(t, record.Channel{ID: "phone", Apart: true})
	r.clock = func() time.Time { return noon.Add(time.Duration(passed.Load())) }
	r.stores(300, noon, nil)
	r.start(r.store)
	for range 100 {
		r.next().end <- errors.New("no network")
	}
	passed.Store(int64(50 * time.Hour))
	r.until("phone", func(s record.Standing) bool {
		select {
		case try := <-r.tries:
			try.end <- errors.New("no network")
		default:
		}
		return s.Waiting == 0 && s.Failed == 300
	})
}

// The machine may have been off, so its age alone is no reason to give a message up.
func TestAMessageThatNobodyTriedIsTriedHoweverOldItIs(t *testing.T) {
	t.Parallel()
	r := restingRig(t, record.Channel{ID: "phone"})
	r.stores(2, time.Now().Add(-60*time.Hour), func(i int, m *record.Message) {
		if i == 0 {
			m.First, m.Tries = m.Opened.Add(time.Minute), 3
		}
	})
	r.start(r.store)
	for _, id := range []string{"m0", "m1"} {
		try := r.next()
		if try.message.ID != id {
			t.Errorf("%s is tried, want %s", try.message.ID, id)
		}
		try.end <- errors.New("no network yet")
	}
	r.until("phone", func(s record.Standing) bool { return s.Failed == 1 && s.Waiting == 1 })
}
