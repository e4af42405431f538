package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/store"
	"questboard/orchestration/storetest"
)

func TestMovingToPostgreSQLKeepsEveryRow(t *testing.T) {
	t.Parallel()
	from, to := database{dir: t.TempDir()}, database{t.TempDir(), storetest.Postgres(t)}
	s, err := from.opened(t)
	if err != nil {
		t.Fatal(err)
	}
	var quests []*orchestration.Quest
	for i := range 5 {
		q := questOf(fmt.Sprintf("quest-%d", i), 10)
		q.Title, q.Untitled = "NUL \x00 and ünïcödé", i%2 == 0
		commit(t, s, born(q))
		commit(t, s, signalled(q))
		if q, err = s.Quest(t.Context(), q.ID); err != nil {
			t.Fatal(err)
		}
		quests = append(quests, q)
	}
	notice := orchestration.NewNotice(orchestration.NoticeBackup, "why", time.Unix(1, 0))
	message := record.Message{ID: "m1", Channel: "phone", State: record.MessageWaits}
	if err := errors.Join(s.AddNotice(t.Context(), notice), s.Put(t.Context(), []record.Message{message}, 0),
		s.Record(t.Context(), record.AuditEntry{At: time.Unix(5, 0), Action: "approve"}), s.Close()); err != nil {
		t.Fatal(err)
	}
	moved, err := store.Move(t.Context(), from.dir, to.postgres)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, m := range moved {
		rows[m.Table] = m.Rows
		if len(m.Hash) != 64 {
			t.Errorf("the hash of %s is %q", m.Table, m.Hash)
		}
	}
	if rows["quests"] != 5 || rows["steps"] != 5*14 || rows["notices"] != 1 || rows["messages"] != 1 || rows["audit"] != 1 {
		t.Errorf("moved: %v", rows)
	}
	to.dir = from.dir
	p := to.open(t)
	for _, want := range quests {
		got, err := p.Quest(t.Context(), want.ID)
		if err != nil {
			t.Fatal(err)
		}
		if d := storetest.Diff(want, got); d != "" {
			t.Errorf("quest %s (-file +PostgreSQL):\n%s", want.ID, d)
		}
	}
	// The numbers that the database gives go on behind those that were moved.
	if err := errors.Join(p.AddNotice(t.Context(), notice), p.Put(t.Context(), []record.Message{{ID: "m2", Channel: "phone", State: record.MessageWaits}}, 0)); err != nil {
		t.Error(err)
	}
	if list, through, err := p.Notices(t.Context(), 10); err != nil || len(list) != 2 || through != 2 {
		t.Errorf("notices: %v, through %d (%v)", list, through, err)
	}
}

// Nobody goes on with the file: the same agents would work twice.
func TestAFileWhoseQuestsWereMovedIsRefused(t *testing.T) {
	t.Parallel()
	from, to := database{dir: t.TempDir()}, database{t.TempDir(), storetest.Postgres(t)}
	fillAndClose(t, from.dir)
	if _, err := store.Move(t.Context(), from.dir, to.postgres); err != nil {
		t.Fatal(err)
	}
	_, err := from.opened(t)
	if !errors.Is(err, store.ErrMoved) {
		t.Fatalf("got %v, want %v", err, store.ErrMoved)
	}
	wantLine(t, err, from.dir, "moved to the PostgreSQL database quests_", "-db", "restore -data")
}

// A move that was cut short after its commit can be repeated; it ends.
func TestAMoveCanBeRepeatedIfNothingChanged(t *testing.T) {
	t.Parallel()
	first, second, to := database{dir: t.TempDir()}, database{dir: t.TempDir()}, storetest.Postgres(t)
	fillAndClose(t, first.dir)
	if err := store.Copy(t.Context(), first.dir, second.dir+"/"+store.FileName); err != nil {
		t.Fatal(err)
	}
	want, err := store.Move(t.Context(), first.dir, to)
	if err != nil {
		t.Fatal(err)
	}
	got, err := store.Move(t.Context(), second.dir, to)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the second time: %v (%v), want %v", got, err, want)
	}
}

func TestAMoveIntoADatabaseWithOtherQuestsIsRefused(t *testing.T) {
	t.Parallel()
	from, to := database{dir: t.TempDir()}, database{t.TempDir(), storetest.Postgres(t)}
	fillAndClose(t, from.dir)
	p, err := to.opened(t)
	if err != nil {
		t.Fatal(err)
	}
	commit(t, p, born(questOf("other", 1)))
	if _, err := store.Move(t.Context(), from.dir, to.postgres); !errors.Is(err, store.ErrLocked) {
		t.Errorf("beside a server: %v, want %v", err, store.ErrLocked)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = store.Move(t.Context(), from.dir, to.postgres)
	if !errors.Is(err, store.ErrForeign) {
		t.Fatalf("got %v, want %v", err, store.ErrForeign)
	}
	wantLine(t, err, "not empty", "table quests has 1 rows", "createdb")
	from.open(t) // as before
	p = to.open(t)
	if quests, err := p.Quests(t.Context(), false); err != nil || len(quests) != 1 {
		t.Errorf("%d quests are in the refused database (%v)", len(quests), err)
	}
}

// A command may look at the quests while a server works with them.
func TestADatabaseOfPostgreSQLIsReadBesideItsServer(t *testing.T) {
	t.Parallel()
	d := database{t.TempDir(), storetest.Postgres(t)}
	if _, err := store.Look(t.Context(), d.postgres); err == nil {
		t.Error("an empty database was opened")
	}
	s := d.open(t)
	commit(t, s, born(questOf("quest", 1)))
	beside, err := store.Look(t.Context(), d.postgres)
	if err != nil {
		t.Fatal(err)
	}
	defer beside.Close()
	if _, err := beside.Quest(t.Context(), "quest"); err != nil {
		t.Error(err)
	}
	about, err := store.Ask(t.Context(), d.postgres)
	if err != nil || about.Version == "" || about.Answers <= 0 || about.Ahead.Abs() > time.Minute {
		t.Errorf("asked: %+v (%v)", about, err)
	}
}
