package store_test

import (
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"questboard/orchestration/engine"
	"questboard/orchestration/storetest"
)

// A failover: the host that is named first comes back as the standby of the next.
func TestTheHostThatCanBeWrittenIsFound(t *testing.T) {
	t.Parallel()
	standby := greeter(t, "in_hot_standby", "on")
	for name, address := range map[string]string{
		"among several":          strings.Replace(storetest.Postgres(t), "host=", "host="+standby+",", 1),
		"asked for by attribute": storetest.Postgres(t) + " target_session_attrs=read-write",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := database{t.TempDir(), address}.open(t)
			if err := s.Ready(t.Context()); err != nil {
				t.Error(err)
			}
			for reader, want := range map[bool]string{true: "on", false: "off"} {
				if got, err := s.Pragma(reader, "default_transaction_read_only"); err != nil || got != want {
					t.Errorf("a connection that reads (%v) is read-only: %q, want %q (%v)", reader, got, want, err)
				}
			}
		})
	}
	_, err := database{t.TempDir(), "user=x dbname=x host=" + standby}.opened(t)
	if !errors.Is(err, engine.ErrReadOnly) {
		t.Errorf("a standby alone: %v, want %v", err, engine.ErrReadOnly)
	}
	wantLine(t, err, "is a standby", "use the address of the primary")
}

// greeter answers as PostgreSQL does, as far as its greeting, in which one parameter differs. It
// returns the folder of the socket.
func greeter(t *testing.T, parameter, value string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	says := map[string]string{"server_version": "15.1", "server_encoding": "UTF8"}
	says[parameter] = value
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			b := pgproto3.NewBackend(c, c)
			if _, err := b.ReceiveStartupMessage(); err != nil {
				continue
			}
			b.Send(&pgproto3.AuthenticationOk{})
			for name, value := range says {
				b.Send(&pgproto3.ParameterStatus{Name: name, Value: value})
			}
			b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
			_ = b.Flush()
		}
	}()
	return dir
}
