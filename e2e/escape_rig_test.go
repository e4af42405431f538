package e2e_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// wayToEnd is a way in which runs are ended early.
type wayToEnd struct {
	name    string
	flags   []string
	dies    bool          // the server has ended afterwards
	promise time.Duration // how long the end may take, for programs that must be killed
	end     func(s *launched, quest string) (began time.Time)
}

// waysToEnd returns all five ways. A run that -run-timeout ends has run for runTime,
// which must be enough to start on a busy machine.
func waysToEnd(runTime time.Duration) []wayToEnd {
	return []wayToEnd{
		{"stop", nil, false, 12 * time.Second, func(s *launched, quest string) time.Time {
			began := time.Now()
			for _, r := range objects(s.get("/quests/" + quest).want(http.StatusOK)["runs"]) {
				s.post("/runs/"+r["id"].(string)+"/stop", "").want(http.StatusOK)
			}
			return began
		}},
		{"timeout", []string{"-run-timeout", runTime.String()}, false, 12 * time.Second, func(s *launched, quest string) time.Time {
			var last time.Time
			for _, r := range objects(s.get("/quests/" + quest).want(http.StatusOK)["runs"]) {
				if at, err := time.Parse(time.RFC3339, fmt.Sprint(r["startedAt"])); err == nil && r["visit"] == 1.0 && at.After(last) {
					last = at
				}
			}
			return last.Add(runTime)
		}},
		{"quest given up and deleted", nil, false, 12 * time.Second, func(s *launched, quest string) time.Time {
			began := time.Now()
			s.post("/quests/"+quest+"/abandon", "").want(http.StatusOK)
			poll(s.t, time.Minute, func() bool { return s.send(http.MethodDelete, "/api/v1/quests/"+quest, "").status < 300 },
				func() string { return "the quest to be deleted" })
			return began
		}},
		{"server told to end", nil, true, 12 * time.Second, func(s *launched, _ string) time.Time {
			began := time.Now()
			s.signal(syscall.SIGTERM)
			_ = s.cmd.Wait()
			return began
		}},
		{"server killed", nil, true, 2 * time.Second, func(s *launched, _ string) time.Time {
			began := time.Now()
			s.signal(syscall.SIGKILL)
			_ = s.cmd.Wait()
			return began
		}},
	}
}

var packs atomic.Int64

// pack is the set of processes that runs leave wherever they can. Each is a sleep with
// its own number, which identifies it. There are also foreign processes that look the
// same.
type pack struct {
	t         *testing.T
	number    int64
	want      map[string]int // processes, by tag
	strangers map[string]*exec.Cmd
}

func newPack(t *testing.T) *pack {
	p := &pack{t: t, number: packs.Add(1), want: map[string]int{}, strangers: map[string]*exec.Cmd{}}
	t.Cleanup(func() { // needed if the test failed
		for _, pids := range p.live() {
			for _, pid := range pids {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	})
	return p
}

// tag returns a new tag for n processes. A foreign process with the same name already
// lives and has the mark of another run.
func (p *pack) tag(n int) string {
	p.t.Helper()
	tag := fmt.Sprintf("%d%02d%02d", os.Getpid(), p.number, len(p.want))
	p.want[tag] = n
	stranger := exec.Command("/bin/sleep", tag)
	stranger.Env = []string{"QUESTBOARD_RUN_ID=another-" + tag}
	if err := stranger.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = stranger.Process.Kill(); _ = stranger.Wait() })
	p.strangers[tag] = stranger
	return tag
}

func (p *pack) size() (n int) {
	for _, one := range p.want {
		n += one
	}
	return n
}

// live lists the runs' processes by tag, without the foreign ones.
func (p *pack) live() map[string][]int {
	found := map[string][]int{}
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, name := range all {
		cmdline, _ := os.ReadFile(name) // processes come and go
		words := bytes.Split(cmdline, []byte{0})
		if len(words) != 3 || !strings.HasSuffix(string(words[0]), "sleep") || p.want[string(words[1])] == 0 {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if tag := string(words[1]); pid != p.strangers[tag].Process.Pid {
			found[tag] = append(found[tag], pid)
		}
	}
	return found
}

// poll waits until ok returns true. It looks less often than other tests, because
// listing all processes takes time.
func (p *pack) poll(longest time.Duration, ok func() bool, what func() string) {
	p.t.Helper()
	for deadline := time.Now().Add(longest); !ok(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("waited in vain for %s", what())
		}
	}
}

// appear waits until all processes have been left behind.
func (p *pack) appear(s *launched) {
	p.t.Helper()
	seen := map[string]bool{}
	p.poll(2*time.Minute, func() bool {
		for tag, pids := range p.live() {
			if len(pids) == p.want[tag] {
				seen[tag] = true
			}
		}
		return len(seen) == len(p.want)
	}, func() string { return fmt.Sprintf("all processes: %v of %v\n%s", p.live(), p.want, s.said.String()) })
}

// vanish waits until none of the processes lives, and returns how long that took since
// began. If a quest has ended, no other process of its runs may live either.
func (p *pack) vanish(began time.Time, ended ...string) time.Duration {
	p.t.Helper()
	var left []string
	p.poll(2*time.Minute, func() bool {
		left = nil
		for _, quest := range ended {
			left = append(left, alive(p.t, quest)...)
		}
		return len(left) == 0 && len(p.live()) == 0
	}, func() string {
		return fmt.Sprintf("the end of all processes; %v live on, and of the runs %v", p.live(), left)
	})
	return max(0, time.Since(began))
}

func (p *pack) assertStrangers() {
	p.t.Helper()
	for tag, stranger := range p.strangers {
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", stranger.Process.Pid)) // a zombie has none
		if len(cmdline) == 0 {
			p.t.Errorf("a stranger of the name %s was ended", tag)
		}
	}
}

// outlivedBy lets runs of quests with these fields leave processes behind and end, rounds
// times, and checks that none of the processes lives on.
func (p *pack) outlivedBy(e wayToEnd, rounds int, with string, start func() *launched) {
	p.t.Helper()
	repo, s := apiRepo(p.t), start()
	var worst time.Duration
	for i := range rounds {
		if i > 0 && e.dies {
			s = start()
		}
		quest := s.begin(repo, `,"workspace":"shared",`+with)
		p.appear(s)
		began := e.end(s, quest)
		if e.dies {
			worst = max(worst, p.vanish(began, quest))
			continue
		}
		worst = max(worst, p.vanish(began))
		if q := s.get("/quests/" + quest); q.status == http.StatusOK && q.want(http.StatusOK)["status"] != "abandoned" {
			s.post("/quests/"+quest+"/abandon", "").want(http.StatusOK) // otherwise it would go on
		}
	}
	p.assertStrangers()
	p.t.Logf("%s: %d rounds, %d processes in each: 0 live on; the last was gone after %.1f s", e.name, rounds, p.size(), worst.Seconds())
	if worst > e.promise && rounds > 1 {
		p.t.Errorf("gone after %v, promised are %v", worst, e.promise)
	}
}
