package web_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"questboard/web"
)

// came is a connection to a server with a limit of connections, on which path was requested; "" for
// none.
func came(t *testing.T, s *httptest.Server, path string) net.Conn {
	t.Helper()
	return cameTo(t, s.Listener.Addr().String(), path)
}

func cameTo(t *testing.T, address, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if path != "" {
		ask := "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"
		if _, err := conn.Write([]byte(ask)); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(make([]byte, 4096)); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	return conn
}

func isClosed(t *testing.T, conn net.Conn) bool {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	_, err := conn.Read(make([]byte, 1))
	return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

// If all places are taken, the oldest stranger is replaced, and known clients stay.
func TestTheOldestStrangerGivesWay(t *testing.T) {
	t.Parallel()
	limiter := web.NewConnLimiter(4)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/owner" {
			web.Welcome(r.Context())
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	s.Listener, s.Config.ConnContext = limiter.Listener(s.Listener), limiter.ConnContext
	s.Start()
	t.Cleanup(s.Close)
	owner := came(t, s, "/owner")
	oldest, asked := came(t, s, ""), came(t, s, "/")
	came(t, s, "/")
	came(t, s, "/") // the fifth
	if !isClosed(t, oldest) {
		t.Error("the oldest stranger stays")
	}
	came(t, s, "/owner")
	if !isClosed(t, asked) {
		t.Error("the next one stays")
	}
	for range 2 {
		came(t, s, "/owner")
	}
	if late := came(t, s, ""); !isClosed(t, late) {
		t.Error("where all are known, one more is let in")
	}
	if _, err := owner.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := owner.Read(make([]byte, 4096)); err != nil {
		t.Errorf("the owner had to leave: %v", err)
	}
}
