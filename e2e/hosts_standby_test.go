package e2e_test

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/orchestration/storetest"
)

// A server that stands by takes over from one that is killed, and from one that hangs. The agent
// on a host works on. The server that hung writes nothing any more, and ends when it goes on.
func TestAServerThatStandsByTakesOver(t *testing.T) {
	t.Parallel()
	for name, strike := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "hangs": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, w := holdOnHost(t, "-db", storetest.Postgres(t), "-lease", "40s")
			balancer := newCut(t, h.addr)
			w.signal(syscall.SIGTERM)
			_ = w.cmd.Wait()
			w.args[slices.Index(w.args, "-server")+1] = "http://" + balancer.addr
			w.start()
			h.first = h.atWorkAgain()

			copied, at := filepath.Join(t.TempDir(), "copy"), freeAddress(t)
			if out, err := exec.Command("cp", "-r", h.data, copied).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
			args := replaced(h.args, h.data, copied, h.addr, at, "40s", "8s") // the sooner it takes over, the sooner the test ends
			standing := serverCommand(t, nil, append(args, "-standby")...)
			said := &lockedBuffer{}
			standing.Stdout, standing.Stderr = said, said
			if err := standing.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { stopServer(t, standing, said) })
			poll(t, time.Minute, func() bool { return strings.Contains(said.String(), "standing by") }, said.String)

			first := h.cmd
			if err := first.Process.Signal(strike); err != nil {
				t.Fatal(err)
			}
			balancer.leads(at)
			balancer.cut(true)
			balancer.cut(false)
			h.base = "http://" + at
			poll(t, time.Minute, func() bool { return strings.Contains(said.String(), "questboard: http") }, said.String)
			h.untilHost("forge", true)
			q := h.finish()
			if r := named(q["runs"], h.first); r["signal"] == nil {
				t.Errorf("the run that was at work: %s", jsonText(r))
			}
			if strike == syscall.SIGSTOP {
				_ = first.Process.Signal(syscall.SIGCONT)
			}
			if err := first.Wait(); err == nil {
				t.Error("the first server ended without a fault")
			}
			if strike == syscall.SIGSTOP && !strings.Contains(h.said.String(), "another questboard works with") {
				t.Errorf("the one that hung says\n%s", h.said.String())
			}
		})
	}
}

// A server that stands by passes everything on to the one that works: the API, sockets of pages, the
// connection of a host. So nobody needs to know which of them works, also after one is killed.
func TestAServerThatStandsByPassesRequestsOn(t *testing.T) {
	t.Parallel()
	at := freeAddress(t)
	h, w := holdOnHost(t, "-db", storetest.Postgres(t), "-public-url", "http://"+at)
	copied := filepath.Join(t.TempDir(), "copy")
	if out, err := exec.Command("cp", "-r", h.data, copied).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	standing := serverCommand(t, nil, append(replaced(h.args, h.data, copied, h.addr, at), "-standby")...)
	said := &lockedBuffer{}
	standing.Stdout, standing.Stderr = said, said
	if err := standing.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopServer(t, standing, said) })
	h.base = "http://" + at
	answers := func() bool {
		answer, err := http.Get(h.base + "/healthz")
		if err == nil {
			_ = answer.Body.Close()
		}
		return err == nil && answer.StatusCode == http.StatusOK
	}
	poll(t, time.Minute, answers, said.String)

	w.signal(syscall.SIGTERM)
	_ = w.cmd.Wait()
	w.args[slices.Index(w.args, "-server")+1] = h.base
	w.start()
	h.first = h.atWorkAgain()
	tab := h.session().dial(t, "nav", "board/"+h.quest)
	go tab.read() // ends with the socket
	poll(t, time.Minute, func() bool {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		return tab.frames > 0
	}, func() string { return "a frame of the board" })

	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = h.cmd.Wait()
	poll(t, time.Minute, func() bool { return strings.Contains(said.String(), "questboard: http") }, said.String)
	h.untilHost("forge", true)
	if r := named(h.finish()["runs"], h.first); r["signal"] == nil {
		t.Errorf("the run that was at work: %s", jsonText(r))
	}
}
