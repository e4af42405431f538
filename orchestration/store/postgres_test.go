package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/store"
	"questboard/orchestration/storetest"
)

func TestADatabaseOfPostgreSQLThatCannotBeTrustedIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		address func(t *testing.T) string
		kind    error
		words   []string
	}{
		"an address that is none": {func(*testing.T) string { return "postgres://me:secret@host:port/x" }, store.ErrAddress, []string{"cannot be read", "postgres://USER@HOST:5432/DATABASE"}},
		"nobody answers":          {func(t *testing.T) string { return "user=me password=secret dbname=x host=" + t.TempDir() }, engine.ErrAway, []string{"database x at ", "does not answer", "start PostgreSQL"}},
		"no such database": {func(t *testing.T) string {
			return strings.Replace(storetest.Postgres(t), "dbname=", "dbname=no_", 1)
		}, store.ErrRefused, []string{"does not exist (3D000)", "`createdb`"}},
		"no such user": {func(t *testing.T) string {
			return strings.Replace(storetest.Postgres(t), "user=", "user=no_", 1)
		}, store.ErrRefused, []string{"does not exist (28000)", "mend the user"}},
		"no rights": {func(t *testing.T) string {
			at := storetest.Postgres(t)
			name := at[strings.LastIndex(at, "=")+1:]
			ask(t, at, "CREATE ROLE guest_"+name+" LOGIN")
			return strings.Replace(at, "user=questboard", "user=guest_"+name, 1)
		}, store.ErrRefused, []string{"permission denied for schema public (42501)", "make this user the owner"}},
		"of another program": {func(t *testing.T) string {
			at := storetest.Postgres(t)
			ask(t, at, "CREATE TABLE invoices (id INT)")
			return at
		}, store.ErrForeign, []string{"tables of another program (invoices)", "createdb questboard"}},
		"made by a newer questboard": {func(t *testing.T) string {
			d := database{t.TempDir(), storetest.Postgres(t)}
			s, err := d.opened(t)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(s.Exec("UPDATE questboard SET schema = 99"), s.Close()); err != nil {
				t.Fatal(err)
			}
			return d.postgres
		}, store.ErrNewer, []string{fmt.Sprintf("schema 99; this one knows %d", newest()), "install the version that made it"}},
		"of another encoding": {func(t *testing.T) string {
			at := storetest.Postgres(t)
			name := at[strings.LastIndex(at, "=")+1:]
			ask(t, at, "CREATE DATABASE latin_"+name+" ENCODING LATIN1 TEMPLATE template0")
			return strings.Replace(at, "dbname=", "dbname=latin_", 1)
		}, store.ErrForeign, []string{"encoded as LATIN1", "createdb -E UTF8"}},
		"too old": {oldPostgres, store.ErrOldPostgres, []string{"this is PostgreSQL 14.9", "use version 15 or newer"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := database{t.TempDir(), c.address(t)}.opened(t)
			if err == nil {
				s.Close()
				t.Fatal("it was opened")
			}
			if !errors.Is(err, c.kind) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v, want %v and no password", err, c.kind)
			}
			wantLine(t, err, c.words...)
		})
	}
}

// ask runs a statement that no store runs.
func ask(t *testing.T, address, statement string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Exec(t.Context(), statement)
	if err := errors.Join(err, c.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// oldPostgres answers as a PostgreSQL of an old version does.
func oldPostgres(t *testing.T) string {
	t.Helper()
	return "user=x dbname=x host=" + greeter(t, "server_version", "14.9 (Debian 14.9-1)")
}

func TestADatabaseOfPostgreSQLHasOneServer(t *testing.T) {
	t.Parallel()
	d := database{t.TempDir(), storetest.Postgres(t)}
	s, err := d.opened(t)
	if err != nil {
		t.Fatal(err)
	}
	_, err = database{t.TempDir(), d.postgres}.opened(t)
	if !errors.Is(err, store.ErrLocked) {
		t.Fatalf("second server: got %v, want %v", err, store.ErrLocked)
	}
	wantLine(t, err, "another questboard works with this database", "choose another database")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	database{t.TempDir(), d.postgres}.open(t) // free again
}

// A server whose connection was cut cannot write once another has begun.
func TestAServerThatLostItsLockWritesNothing(t *testing.T) {
	t.Parallel()
	d := database{t.TempDir(), storetest.Postgres(t)}
	s := d.open(t)
	commit(t, s, born(questOf("quest", 1)))
	ask(t, d.postgres, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
	other := samePlace(t, d).open(t)
	if err := s.Commit(t.Context(), []orchestration.Transition{born(questOf("late", 1))}, nil); !errors.Is(err, engine.ErrSuperseded) {
		t.Errorf("the first server commits: %v, want %v", err, engine.ErrSuperseded)
	}
	if _, err := other.Quest(t.Context(), "late"); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("what it wrote: %v", err)
	}
	commit(t, other, born(questOf("second", 1)))
}

// A server whose network was cut connects again while PostgreSQL still takes its old session for
// alive. It ends that session, and not one of another server.
func TestAServerEndsItsOwnOldSession(t *testing.T) {
	t.Parallel()
	d := database{t.TempDir(), storetest.Postgres(t)}
	w := newWire(t, d.postgres)
	s := database{d.dir, w.address}.open(t)
	commit(t, s, born(questOf("quest", 1)))
	w.split()
	if err := s.Ready(t.Context()); err != nil && !errors.Is(err, engine.ErrAway) {
		t.Errorf("the moment it was cut: %v", err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("connected again: %v", err)
	}
	commit(t, s, born(questOf("second", 1)))
	ask(t, d.postgres, "SELECT 1 / (count(*) = 1)::int FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
}

// A power cut of PostgreSQL's machine: what was acknowledged is there, and the store goes on
// by itself.
func TestPostgreSQLRestartsAndTheStoreGoesOn(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	s := database{t.TempDir(), c.Database(t)}.open(t)
	var known []string
	for round := range 3 {
		for i := range 20 {
			id := fmt.Sprintf("quest-%d-%d", round, i)
			commit(t, s, born(questOf(id, 1)))
			known = append(known, id)
		}
		if err := c.Stop(); err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(t.Context(), []orchestration.Transition{born(questOf("meanwhile", 1))}, nil); !errors.Is(err, engine.ErrAway) {
			t.Fatalf("without PostgreSQL: %v, want %v", err, engine.ErrAway)
		}
		if err := s.Ready(t.Context()); !errors.Is(err, engine.ErrAway) {
			t.Fatalf("without PostgreSQL it is ready: %v", err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if err := s.Ready(t.Context()); err != nil {
			t.Fatalf("PostgreSQL is back: %v", err)
		}
		for _, id := range known {
			if _, err := s.Quest(t.Context(), id); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
	}
}

// PostgreSQL goes away while it commits. Whether the commit took place is found out.
func TestACommitWhoseAnswerIsLostIsToldAsItIs(t *testing.T) {
	t.Parallel()
	for name, took := range map[string]bool{"before it": false, "after it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := storetest.Postgres(t)
			wire := newWire(t, address)
			s := database{t.TempDir(), wire.address}.open(t)
			commit(t, s, born(questOf("first", 1)))
			wire.cut.Store(&took)
			err := s.Commit(t.Context(), []orchestration.Transition{born(questOf("second", 1))}, nil)
			if took && err != nil || !took && !errors.Is(err, engine.ErrAway) {
				t.Errorf("the commit: %v", err)
			}
			if wire.cut.Load() != nil {
				t.Error("the connection was not cut")
			}
			if _, err := s.Quest(t.Context(), "second"); (err == nil) != took {
				t.Errorf("the quest afterwards: %v", err)
			}
			commit(t, s, born(questOf("third", 1)))
		})
	}
}

// wire lies between a store and PostgreSQL. Where cut says so, it cuts the connection at
// the next commit: after PostgreSQL has carried it out (true), or before it arrives.
type wire struct {
	address string
	cut     atomic.Pointer[bool]

	mu    sync.Mutex
	links []*link
}

// link is one connection through a wire.
type link struct {
	client, server net.Conn
	half           atomic.Bool // PostgreSQL does not hear of its end
}

// split cuts all connections, and PostgreSQL hears nothing of it.
func (w *wire) split() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.links {
		l.half.Store(true)
		l.client.Close()
	}
}

func newWire(t *testing.T, address string) *wire {
	t.Helper()
	config, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{address: strings.Replace(address, config.Host, dir, 1)}
	t.Cleanup(func() {
		l.Close()
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, l := range w.links {
			l.server.Close()
		}
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p, err := net.Dial("unix", filepath.Join(config.Host, ".s.PGSQL.5432"))
			if err != nil {
				c.Close()
				continue
			}
			link := &link{client: c, server: p}
			w.mu.Lock()
			w.links = append(w.links, link)
			w.mu.Unlock()
			go w.carry(link)
		}
	}()
	return w
}

func (w *wire) carry(l *link) {
	client, server := l.client, l.server
	defer client.Close()
	defer func() {
		if !l.half.Load() {
			server.Close()
		}
	}()
	silent := &atomic.Bool{}
	go func() {
		defer client.Close()
		buffer := make([]byte, 64<<10)
		for {
			n, err := server.Read(buffer)
			if err != nil || silent.Load() {
				return // the answer to the commit goes nowhere
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		if cut := w.cut.Load(); cut != nil && bytes.Contains(buffer[:n], []byte("commit\x00")) {
			w.cut.Store(nil)
			if !*cut {
				return
			}
			silent.Store(true)
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// Agents print NUL and the character that stands for it.
func TestAnyTextComesBackFromPostgreSQL(t *testing.T) {
	t.Parallel()
	s := database{t.TempDir(), storetest.Postgres(t)}.open(t)
	for i, text := range []string{"\x00", "a\x00\x000\U0010FFFF", "\U0010FFFF0", "\U0010FFFF1\x00", "$1 ? :: 'x' \\", "\ufffe\U0001F409"} {
		q := questOf(fmt.Sprintf("quest-%d", i), 1)
		q.Title, q.Request, q.Former = text, text, nil
		commit(t, s, born(q))
		got, err := s.Quest(t.Context(), q.ID)
		if err != nil || got.Title != text || got.Request != text {
			t.Errorf("%q came back as %q and %q (%v)", text, got.Title, got.Request, err)
		}
	}
	q := questOf("torn", 1)
	q.Title = "torn \xff byte"
	commit(t, s, born(q))
	if got, err := s.Quest(t.Context(), "torn"); err != nil || got.Title != "torn \ufffd byte" {
		t.Errorf("a torn character came back as %+v (%v)", got, err)
	}
}
