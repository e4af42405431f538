package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stubbornScenario has an agent whose tool ignores TERM. When its session is resumed,
// it completes.
const stubbornScenario = `
- role: codeweaver
  step: deaf
  visit: 1
  do:
    - say: this will take long
    - run: trap "" TERM; touch running; sleep 300 & wait; sleep 300
- role: codeweaver
  step: deaf
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: came back}}
`

const stubbornPlan = `,"plan":{"requirements":[{"id":"r","context":"c","observables":[{"id":"o","text":"it is done"}]}],
  "steps":[{"id":"deaf","title":"Deaf","description":"wait","files":["f"],"dependsOn":[],"observables":["o"]}]}`

// atWork starts a server on data and waits until its agent's tool runs.
func atWork(t *testing.T, data string, flags ...string) (s *launched, quest, run string) {
	t.Helper()
	s, repo := launchStubborn(t, data, flags...), apiRepo(t)
	quest = s.begin(repo, stubbornPlan)
	running := filepath.Join(treeOf(data, quest, "deaf"), "running")
	poll(t, time.Minute, func() bool { _, err := os.Stat(running); return err == nil },
		func() string { return "the agent's tool\n" + s.said.String() })
	return s, quest, objects(s.get("/quests/" + quest).want(200)["runs"])[0]["id"].(string)
}

func launchStubborn(t *testing.T, data string, flags ...string) *launched {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, file, stubbornScenario)
	return launch(t, nil, append(flags, "-data", data, "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", file)...)
}

// carrying lists the processes that have a run's marker.
func carrying(t *testing.T, run string) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(name string) bool {
		env, _ := os.ReadFile(name)
		return !strings.Contains(string(env), "QUESTBOARD_RUN_ID="+run+"\x00")
	})
}

// comesBack starts the server again and waits until the interrupted session is resumed.
func comesBack(t *testing.T, data, quest, run string) {
	t.Helper()
	s := launchStubborn(t, data)
	q := s.untilStatus(quest, "complete")
	if first := named(q["runs"], run); first["outcome"] != "interrupted" {
		t.Errorf("the run that was cut ended as %s", jsonText(first))
	}
	if !slices.ContainsFunc(objects(q["runs"]), func(r object) bool { return r["resumedFrom"] == run }) {
		t.Errorf("no run resumed %s", run)
	}
}

func TestTheFirstSignalEndsTheServerOrderly(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s, quest, run := atWork(t, data)
	s.signal(syscall.SIGTERM)
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v\n%s", err, s.said.String())
	}
	if left := carrying(t, run); len(left) > 0 {
		t.Errorf("processes of %s live: %v", run, left)
	}
	comesBack(t, data, quest, run)
}

func TestTheSecondSignalEndsTheServerAtOnce(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s, quest, run := atWork(t, data, "-grace", "1h")
	begun := time.Now()
	s.signal(syscall.SIGINT)
	poll(t, 10*time.Second, func() bool { return strings.Contains(s.said.String(), "a second signal ends the server at once") },
		func() string { return "word of the end" })
	s.signal(syscall.SIGINT)
	_ = s.cmd.Wait() // the exit code does not matter
	if took := time.Since(begun); took > 10*time.Minute {
		t.Errorf("the end took %v, as if the agent had been waited for", took)
	}
	poll(t, 10*time.Second, func() bool { return len(carrying(t, run)) == 0 }, func() string { return "the end of the agent" })
	comesBack(t, data, quest, run)
}

func TestAServerThatIsKilledLeavesNothingAndGoesOn(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s, quest, run := atWork(t, data)
	s.signal(syscall.SIGKILL)
	_ = s.cmd.Wait()
	poll(t, 10*time.Second, func() bool { return len(carrying(t, run)) == 0 }, func() string { return "the end of the agent" })
	comesBack(t, data, quest, run)
}
