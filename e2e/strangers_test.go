package e2e_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// flood opens that many connections and sends the same unfinished request on each. They
// stay open until the test ends or the server closes them.
func (s *apiServer) flood(n int, request string) {
	s.t.Helper()
	address := strings.TrimPrefix(s.base, "http://")
	var sending sync.WaitGroup
	var refused atomic.Int64
	conns := make([]net.Conn, n)
	for i := range conns {
		sending.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				refused.Add(1)
				return
			}
			conns[i] = conn
			_ = conn.SetWriteDeadline(time.Now().Add(5 * time.Second)) // a write blocks while the server does not read
			_, _ = io.WriteString(conn, request)
		})
	}
	sending.Wait()
	s.t.Cleanup(func() {
		for _, conn := range conns {
			if conn != nil {
				_ = conn.Close()
			}
		}
	})
	if refused.Load() > 0 {
		s.t.Errorf("%d of %d connections could not be made", refused.Load(), n)
	}
}

// comesIn lets the owner log in on a new connection, and returns how long that took.
func (s *apiServer) comesIn() time.Duration {
	s.t.Helper()
	client := http.Client{Transport: &http.Transport{}, Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	begun := time.Now()
	w, err := client.PostForm(s.base+"/login", url.Values{"token": {apiToken}})
	if err != nil {
		s.t.Fatal(err)
	}
	defer w.Body.Close()
	if w.StatusCode != http.StatusSeeOther || len(w.Cookies()) == 0 {
		s.t.Fatalf("the owner's login: %d", w.StatusCode)
	}
	return time.Since(begun)
}

// Whatever strangers begin to send, and on however many connections, they cost the
// server little and do not keep the owner out.
func TestStrangersNeitherFillTheMemoryNorKeepTheOwnerOut(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("memory is asked of Linux")
	}
	n, memory := 400, 100
	if full, err := strconv.Atoi(os.Getenv("QUESTBOARD_STRANGERS")); err == nil {
		n, memory = full, 200
	}
	const login = "POST /login HTTP/1.1\r\nHost: OWN\r\nContent-Type: application/x-www-form-urlencoded\r\n"
	for name, request := range map[string]string{
		"nothing":       "",
		"a large form":  login + "Content-Length: 256000\r\n\r\ntoken=" + strings.Repeat("x", 249_000),
		"a small form":  login + "Content-Length: 4000\r\n\r\ntoken=" + strings.Repeat("x", 3000),
		"untold length": login + "Transfer-Encoding: chunked\r\n\r\n3c000\r\ntoken=" + strings.Repeat("x", 200_000),
		"headers":       login + "X-Much: " + strings.Repeat("x", 30<<10),
		"a whole form":  login + "Content-Length: 206\r\n\r\ntoken=" + strings.Repeat("x", 200),
	} {
		t.Run(name, func(t *testing.T) {
			s := launch(t, nil, "-addr", "127.0.0.1:0", "-data", t.TempDir(), "-agent", "simulated")
			before := peak(t, s.cmd.Process.Pid)
			s.flood(n, strings.ReplaceAll(request, "OWN", strings.TrimPrefix(s.base, "http://")))
			took := s.comesIn()
			most := peak(t, s.cmd.Process.Pid)
			t.Logf("%d connections with %s: %d MiB, %d before; the owner was in after %v", n, name, most, before, took)
			if most > memory {
				t.Errorf("%d connections of strangers cost %d MiB", n, most)
			}
			if took > 20*time.Second { // 2 s are promised on a quiet machine
				t.Errorf("the owner was in after %v", took)
			}
		})
	}
}

// peak returns the most memory that a process has used, in MiB.
func peak(t *testing.T, pid int) int {
	t.Helper()
	_, rest, _ := strings.Cut(read(t, fmt.Sprintf("/proc/%d/status", pid)), "VmHWM:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib >> 10
}

// Connections may use only a part of the open files. The rest is for the quests.
func TestIdleStrangersLeaveFilesToAQuest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scenario := filepath.Join(dir, "scenario.yaml")
	write(t, scenario, strings.ReplaceAll(`
- {role: codeweaver, do: [{run: echo sown >$QUESTBOARD_RUN_ID}, SIGNAL]}
- {role: siegemaster, do: [SIGNAL]}
- {role: lawbringer, do: [SIGNAL]}
`, "SIGNAL", "{tool: {name: signal-back, input: {signal: complete, summary: done}}}"))
	few := filepath.Join(dir, "few")
	write(t, few, "#!/bin/sh\nulimit -n \"$FILES\" && exec \""+serverBinary(t)+"\" \"$@\"\n")
	if err := os.Chmod(few, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := tryLaunch(t, few, []string{"FILES=128"}, "-addr", "127.0.0.1:0", "-data", filepath.Join(dir, "data"), "-agent", "simulated", "-scenario", scenario)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.said.String())
	}
	s.flood(150, "")
	quest := s.begin(apiRepo(t), `,"plan":{"steps":[{"id":"a","title":"A"},{"id":"b","title":"B"},{"id":"c","title":"C"}]}`)
	s.untilStatus(quest, "complete")
	s.comesIn()
	if said := s.said.String(); !strings.Contains(said, "the server accepts fewer connections") || strings.Contains(said, "too many open files") {
		t.Error(said)
	}
	cmd := exec.Command(few, "-addr", "127.0.0.1:0", "-data", filepath.Join(dir, "other"), "-agent", "simulated")
	cmd.Env = append(os.Environ(), "FILES=64")
	if said, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(said), "only 64 files may be open at once") || !strings.Contains(string(said), "ulimit -n") {
		t.Errorf("with 64 files: %v %s", err, said)
	}
}
