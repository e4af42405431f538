package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
	"questboard/orchestration/store"
)

// asking is a transition of q with a question, and the notice of it.
func asking(q *orchestration.Quest) (orchestration.Transition, orchestration.Notice) {
	t := signalled(q)
	t.Events[0].Type, t.Events[0].Data = orchestration.EventQuestionAsked, map[string]string{"question": "quest-q1", "text": "Which tide?"}
	return t, orchestration.NoticesOf(t)[0]
}

func TestWhatIsToldIsStoredWithItsEventOrNotAtAll(t *testing.T) {
	t.Parallel()
	inEachDatabase(t, func(t *testing.T, d database) {
		s, ctx := d.open(t), t.Context()
		q := questOf("quest", 3)
		commit(t, s, born(q))
		asked, notice := asking(q)
		held := orchestration.NewNotice(orchestration.NoticeHeld, "until nine", notice.At)
		if err := s.Commit(ctx, []orchestration.Transition{asked}, &engine.Server{Notices: []orchestration.Notice{held}}); err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(ctx, []orchestration.Transition{asked}, nil); err == nil {
			t.Fatal("a stale commit was accepted")
		}
		list, through, err := s.Notices(ctx, 10)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]orchestration.Notice{notice, held}, list); diff != "" {
			t.Error(diff)
		}
		message := record.Message{ID: "m1", Channel: "phone", Notices: list, Opened: notice.At, State: record.MessageWaits}
		if err := s.Put(ctx, []record.Message{message}, through); err != nil {
			t.Fatal(err)
		}
		if list, _, err := s.Notices(ctx, 10); err != nil || len(list) != 0 {
			t.Errorf("they are in a message and wait: %v (%v)", list, err)
		}
	})
}

func TestMessagesComeBackAsTheyWereStored(t *testing.T) {
	t.Parallel()
	inEachDatabase(t, func(t *testing.T, d database) {
		s, ctx := d.open(t), t.Context()
		at := time.Date(2026, 11, 21, 12, 0, 0, 7, time.UTC)
		notices := []orchestration.Notice{orchestration.NewNotice(orchestration.NoticeBackup, "why", at)}
		waits := record.Message{ID: "m1", Channel: "phone", Notices: notices, Opened: at, Closed: true, Tries: 2, First: at.Add(1), Next: at.Add(2),
			State: record.MessageWaits, Fault: "it answered 500"}
		other := record.Message{ID: "m2", Channel: "desk", Notices: notices, Opened: at, State: record.MessageWaits}
		if err := s.Put(ctx, []record.Message{waits, other}, 0); err != nil {
			t.Fatal(err)
		}
		waits.Seq = 1
		got, err := s.Waiting(ctx, "phone", 10)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]record.Message{waits}, got); diff != "" {
			t.Error(diff)
		}
		wantStanding := func(channel string, want record.Standing) {
			t.Helper()
			if got, err := s.Standing(ctx, channel); err != nil || got != want {
				t.Errorf("%s: %+v (%v), want %+v", channel, got, err, want)
			}
		}
		wantStanding("phone", record.Standing{Waiting: 1, Retried: 1, Fault: "it answered 500"})
		sent := waits
		sent.State, sent.Ended, sent.Fault = record.MessageSent, at.Add(3), ""
		if err := s.Put(ctx, []record.Message{sent}, 0); err != nil {
			t.Fatal(err)
		}
		wantStanding("phone", record.Standing{Sent: at.Add(3)})
		if err := s.GiveUp(ctx, []string{"phone"}, "removed", at.Add(4)); err != nil {
			t.Fatal(err)
		}
		wantStanding("desk", record.Standing{Failed: 1, FailedAt: at.Add(4), Fault: "removed"})
		if failed, err := s.Failed(ctx, "desk", 10); err != nil || len(failed) != 1 || !failed[0].Closed || !failed[0].Ended.Equal(at.Add(4)) {
			t.Errorf("failed: %+v (%v)", failed, err)
		}
		if err := s.Forget(ctx, at.Add(4)); err != nil {
			t.Fatal(err)
		}
		wantStanding("phone", record.Standing{})
		wantStanding("desk", record.Standing{Failed: 1, FailedAt: at.Add(4), Fault: "removed"})
	})
}

func TestWhatWaitsBehindTheOldestMessagesIsGivenUpByItsAge(t *testing.T) {
	t.Parallel()
	inEachDatabase(t, func(t *testing.T, d database) {
		s, ctx := d.open(t), t.Context()
		if m, err := s.Newest(ctx, "phone"); m != nil || err != nil {
			t.Errorf("of nothing the newest is %+v (%v)", m, err)
		}
		at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		message := func(id, channel string, opened time.Time, state record.MessageState) record.Message {
			return record.Message{ID: id, Channel: channel, Opened: opened, State: state}
		}
		waits := record.MessageWaits
		if err := s.Put(ctx, []record.Message{message("sent", "phone", at, record.MessageSent), message("first", "phone", at, waits),
			message("second", "phone", at, waits), message("old", "phone", at, waits), message("other", "desk", at, waits),
			message("older", "phone", at.Add(-1), waits), message("new", "phone", at.Add(1), waits),
			message("gone", "phone", at, record.MessageFailed)}, 0); err != nil {
			t.Fatal(err)
		}
		stay := func(want ...string) {
			t.Helper()
			list, err := s.Waiting(ctx, "phone", 10)
			var got []string
			for _, m := range list {
				got = append(got, m.ID)
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s (%v)", diff, err)
			}
			if m, err := s.Newest(ctx, "phone"); err != nil || m == nil || m.ID != want[len(want)-1] {
				t.Errorf("the newest is %+v (%v)", m, err)
			}
		}
		for _, n := range []int{5, 2} {
			if err := s.GiveUpBehind(ctx, "phone", n, at, "behind", at.Add(2)); err != nil {
				t.Fatal(err)
			}
			if n == 5 { // there are no more
				stay("first", "second", "old", "older", "new")
			}
		}
		stay("first", "second", "new")
		if got, err := s.Standing(ctx, "phone"); err != nil || got.Failed != 3 || !got.FailedAt.Equal(at.Add(2)) {
			t.Errorf("%+v (%v)", got, err)
		}
		if got, err := s.Standing(ctx, "desk"); err != nil || got.Waiting != 1 {
			t.Errorf("another channel: %+v (%v)", got, err)
		}
	})
}

// A server that restores a backup of last week must not tell what happened then.
func TestACopyOfTheDatabaseTellsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, ctx := open(t, dir), t.Context()
	n := orchestration.NewNotice(orchestration.NoticeBackup, "why", time.Unix(1, 0))
	if err := s.AddNotice(ctx, n); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(ctx, []record.Message{{ID: "m1", Channel: "phone", State: record.MessageWaits}}, 0); err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	if err := store.Copy(ctx, dir, filepath.Join(copied, store.FileName)); err != nil {
		t.Fatal(err)
	}
	c := open(t, copied)
	list, _, err := c.Notices(ctx, 10)
	waiting, also := c.Waiting(ctx, "phone", 10)
	if err != nil || also != nil || len(list)+len(waiting) != 0 {
		t.Errorf("the copy has %v and %v (%v, %v)", list, waiting, err, also)
	}
}
