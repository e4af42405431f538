package store_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"

	"questboard/orchestration/storetest"
)

// A network that drops everything without a word would hold a server for a quarter of an hour,
// while another one has its lock.
func TestASilentNetworkIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	config, err := pgx.ParseConfig(storetest.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	port := overTCP(t, filepath.Join(config.Host, ".s.PGSQL.5432"))
	database{t.TempDir(), fmt.Sprintf("host=127.0.0.1 port=%d user=%s dbname=%s", port, config.User, config.Database)}.open(t)
	ours := connectedTo(t, port)
	if len(ours) == 0 {
		t.Fatal("there is no connection")
	}
	for _, fd := range ours {
		silent, err := unix.GetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT)
		if limit := 20 * time.Second; err != nil || time.Duration(silent)*time.Millisecond != limit {
			t.Errorf("what is sent is waited for %d ms, want %v (%v)", silent, limit, err)
		}
		for name, option := range map[string]int{"idle": unix.TCP_KEEPIDLE, "interval": unix.TCP_KEEPINTVL} {
			if seconds, err := unix.GetsockoptInt(fd, unix.IPPROTO_TCP, option); err != nil || seconds != 5 {
				t.Errorf("keepalive, %s: %d s, want 5 (%v)", name, seconds, err)
			}
		}
	}
}

// overTCP makes a Unix socket reachable over TCP, and returns the port.
func overTCP(t *testing.T, socket string) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() { // ends with the listener
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p, err := net.Dial("unix", socket)
			if err != nil {
				c.Close()
				continue
			}
			for _, way := range [][2]net.Conn{{c, p}, {p, c}} {
				go func() { // ends with either connection
					_, _ = io.Copy(way[0], way[1])
					_ = errors.Join(c.Close(), p.Close())
				}()
			}
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

// connectedTo returns this process's sockets whose other end is a local port.
func connectedTo(t *testing.T, port int) (list []int) {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range open {
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		peer, _ := unix.Getpeername(fd) // most are no sockets
		if at, ok := peer.(*unix.SockaddrInet4); ok && at.Port == port {
			list = append(list, fd)
		}
	}
	return list
}
