package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/agents/agentstest"
	"questboard/orchestration"
)

// A session that was killed in the middle of a tool call continues with its whole
// conversation and the user's answer. No process of the killed run lives on.
func TestRealCLIResumesAKilledSession(t *testing.T) {
	t.Parallel()
	for _, kill := range []string{"by us", "from outside"} {
		t.Run(kill, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, cliVersion, orchestration.Codeweaver, func(req agentstest.Request) agentstest.Reply {
				if strings.Contains(req.Text(), "THE ANSWER IS BLUE") {
					return done(req)
				}
				return agentstest.Say(agentstest.Text("RED OR BLUE?"), agentstest.Use("Bash",
					map[string]any{"command": "touch begun; sleep 1000", "description": "wait", "timeout": 600000}))
			})
			p := r.start(&seen{})
			waitFor(t, "the tool call to run", func() bool {
				_, err := os.Stat(filepath.Join(r.spec.Dir, "begun"))
				return err == nil
			})
			// The CLI writes its transcript with a delay. What it has not written
			// before a SIGKILL is lost.
			waitFor(t, "the transcript", func() bool { return strings.Contains(r.transcript(), "RED OR BLUE?") })
			if kill == "by us" {
				p.End(0)
			} else if err := syscall.Kill(childOf(t, p.PID()), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			ended := p.Wait()
			want := map[string]orchestration.End{"by us": orchestration.EndInterrupted, "from outside": orchestration.EndCrashed}[kill]
			if ended.End != want {
				t.Errorf("ended %+v, want %s", ended, want)
			}
			if left := marked(t, r.spec.RunID, r.spec.Dir); len(left) > 0 {
				t.Errorf("still alive: %v", left)
			}

			r.spec.Resume, r.spec.RunID, r.spec.Prompt = true, "q1-r2", "THE ANSWER IS BLUE"
			if ended := r.play(); ended.End != orchestration.EndClean || len(r.quests.signals()) != 1 {
				t.Fatalf("ended %+v, signals %v\n%s", ended, r.quests.signals(), r.output())
			}
			requests := r.model.Requests()
			last := requests[len(requests)-1].Text()
			for _, text := range []string{"Do the work.", "RED OR BLUE?", "THE ANSWER IS BLUE", "PLATYPUS"} {
				if !strings.Contains(last, text) {
					t.Errorf("the resumed conversation has no %q", text)
				}
			}
		})
	}
}

// transcript returns what the CLI has written about its sessions.
func (r *rig) transcript() string {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.home(), ".claude", "projects", "*", "*.jsonl"))
	if err != nil {
		r.t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range files {
		data, _ := os.ReadFile(name)
		all.Write(data)
	}
	return all.String()
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	poll(t, time.Minute, ok, func() string { return what })
}

// poll waits until ok returns true. If that never happens, the test fails with what.
// The longer it waits, the more rarely it asks, because many tests wait at the same
// time and their questions would slow the machine down.
func poll(t testing.TB, longest time.Duration, ok func() bool, what func() string) {
	t.Helper()
	begun := time.Now()
	deadline := begun.Add(max(longest, time.Minute)) // other tests may take both cores
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what())
		}
		<-time.After(min(max(time.Since(begun)/10, 20*time.Millisecond), 500*time.Millisecond))
	}
}

// childOf returns the program that a supervisor holds: its first child, whichever of
// its threads started it.
func childOf(t *testing.T, pid int) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("children are found in /proc, which this system has not")
	}
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	first := 0
	for _, name := range threads {
		data, _ := os.ReadFile(name) // a thread may have ended
		for _, word := range strings.Fields(string(data)) {
			if child, err := strconv.Atoi(word); err == nil && (first == 0 || child < first) {
				first = child
			}
		}
	}
	if first == 0 {
		t.Fatalf("the supervisor %d has no child", pid)
	}
	return first
}

// marked lists the processes that carry a run's marker and work in dir.
func marked(t *testing.T, run, dir string) []string {
	t.Helper()
	var left []string
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		env, err := os.ReadFile(name)
		cwd, _ := os.Readlink(filepath.Join(filepath.Dir(name), "cwd"))
		if err == nil && cwd == dir && strings.Contains(string(env), "QUESTBOARD_RUN_ID="+run+"\x00") {
			left = append(left, filepath.Dir(name))
		}
	}
	return left
}
