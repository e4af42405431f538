package e2e_test

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/e2e/e2etest"
)

// startTime is how long a server may take from its start until it is ready, with
// everything that a killed one left behind.
const startTime = 3 * time.Second

// mortal is a server that is killed again and again on one data directory.
type mortal struct {
	*launched
	t              *testing.T
	env            []string
	data, scenario string
	runs           string // the file in which every run leaves its name; outside of all trees
	repo, quest    string
	slots          int            // 0: 4
	flags          []string       // further ones
	longest        time.Duration  // of all starts
	faulty         bool           // runs may also fail
	mute           bool           // an agent may end without its signal, because it could not be stored and the stand-in does not try again
	again          map[string]int // by step: how often it was tried again
}

// startMortal starts a server; in the scenario RUNS stands for the file runs.
func startMortal(t *testing.T, scenario string, env ...string) *mortal {
	t.Helper()
	m := newMortal(t, scenario, env...)
	m.start()
	return m
}

func newMortal(t *testing.T, scenario string, env ...string) *mortal {
	t.Helper()
	m := &mortal{t: t, env: env, data: t.TempDir(), scenario: filepath.Join(t.TempDir(), "scenario.yaml"),
		runs: filepath.Join(t.TempDir(), "runs.log"), repo: apiRepo(t)}
	write(t, m.scenario, strings.ReplaceAll(scenario, "RUNS", m.runs))
	return m
}

func (m *mortal) start() {
	m.t.Helper()
	serverBinary(m.t) // the time for building it does not count
	begun := time.Now()
	m.launched = launch(m.t, m.env, m.args()...)
	poll(m.t, e2etest.Room(startTime), func() bool { return m.send("GET", "/readyz", "").status == 200 },
		func() string { return "a server that is ready\n" + m.said.String() })
	took := time.Since(begun)
	if m.longest = max(m.longest, took); took > e2etest.Room(startTime) {
		m.t.Errorf("the start took %v", took)
	}
}

func (m *mortal) args() []string {
	return append([]string{"-data", m.data, "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", m.scenario,
		"-slots", strconv.Itoa(cmp.Or(m.slots, 4)), "-grace", "1s"}, m.flags...)
}

func (m *mortal) whole() object {
	m.t.Helper()
	return m.get("/quests/" + m.quest).want(200)
}

// dies kills the server with SIGKILL and starts the next one. Everything that was there
// before must be there after.
func (m *mortal) dies(before object) {
	m.t.Helper()
	m.signal(syscall.SIGKILL)
	_ = m.cmd.Wait()
	m.start() // at once, while processes of the old runs may still be ending
	left := alive(m.t, m.quest)
	for _, r := range objects(before["runs"]) {
		if id := r["id"].(string); r["state"] != "queued" && slices.Contains(left, id) { // a queued run may have begun since
			m.t.Errorf("the server is ready, and processes of %s (%s) live", id, r["state"])
		}
	}
	m.keeps(before, m.whole())
}

// keeps checks that nothing is lost that was reported to the outside: signals, answers,
// ends.
func (m *mortal) keeps(before, after object) {
	m.t.Helper()
	for _, old := range objects(before["runs"]) {
		now := named(after["runs"], old["id"].(string))
		if old["signal"] != nil && jsonText(now["signal"]) != jsonText(old["signal"]) {
			m.t.Errorf("%s signalled %s; after the restart %s", old["id"], jsonText(old["signal"]), jsonText(now["signal"]))
		}
		if old["state"] == "ended" && jsonText(now) != jsonText(old) {
			m.t.Errorf("a run that had ended changed from %s to %s", jsonText(old), jsonText(now))
		}
	}
	for _, old := range objects(before["questions"]) {
		if now := named(after["questions"], old["id"].(string)); old["answer"] != now["answer"] && old["answer"] != nil {
			m.t.Errorf("the answer %s became %s", jsonText(old), jsonText(now))
		}
	}
}

// assertOnce checks that in a complete quest every piece of work was done once, and
// every interrupted run was resumed once, in its own session.
func (m *mortal) assertOnce(q object) (interrupted int) {
	m.t.Helper()
	ledger, done := m.ledger(), map[string]int{}
	for _, r := range objects(q["runs"]) {
		id, work := r["id"].(string), r["role"].(string)+" of "+r["step"].(string)
		times := 0
		for _, e := range ledger {
			if e.run == id && e.what != "end" {
				times++
			}
		}
		signal, _ := r["signal"].(object)
		switch {
		case r["outcome"] == "interrupted":
			interrupted++
			m.assertTakenUp(q, r)
		case r["outcome"] != "signalled" && m.faulty, m.mute && r["outcome"] == "crashed" && r["why"] == "ended its turn":
		case r["outcome"] != "signalled":
			m.t.Errorf("%s, %s, ended as %s: %s", id, work, r["outcome"], r["why"])
		case r["role"] == "ward":
		case signal["signal"] == "complete":
			done[work]++
		}
		if times > 1 || times == 0 && r["outcome"] == "signalled" && r["role"] != "ward" {
			m.t.Errorf("%s, %s, %s, did its work %d times", id, work, r["outcome"], times)
		}
	}
	for work, times := range done {
		_, step, _ := strings.Cut(work, " of ")
		more := m.again[step]
		if step == "review" && q["host"] != nil { // if the host is away when it ends, nobody knows whether the tree has changed, and that is a round
			more += int(named(q["lines"], "review")["rounds"].(float64))
		}
		if times > 1+more {
			m.t.Errorf("%s was completed %d times", work, times)
		}
	}
	for _, step := range objects(q["steps"]) {
		if step["stage"] != "done" || done["codeweaver of "+step["id"].(string)] == 0 {
			m.t.Errorf("step %s is %s", step["id"], step["stage"])
		}
	}
	return interrupted
}

// assertTakenUp checks that the next run of that role and step continues in place of r.
func (m *mortal) assertTakenUp(q, r object) {
	m.t.Helper()
	var next []object
	for _, other := range objects(q["runs"]) {
		if other["role"] == r["role"] && other["step"] == r["step"] && other["visit"] == r["visit"].(float64)+1 {
			next = append(next, other)
		}
	}
	switch {
	case len(next) != 1:
		m.t.Errorf("%s was taken up by %d runs", jsonText(r), len(next))
	case r["role"] == "ward" || r["sessionOpened"] != true:
	case next[0]["resumedFrom"] != r["id"] || next[0]["sessionId"] != r["sessionId"] || next[0]["start"] != "interrupted":
		m.t.Errorf("%s was taken up by %s", jsonText(r), jsonText(next[0]))
	}
}

// alive lists the runs of a quest whose marker a process has.
func alive(t *testing.T, quest string) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	marker := regexp.MustCompile("QUESTBOARD_RUN_ID=(" + quest + "-[^\x00]*)\x00")
	var runs []string
	for _, name := range all {
		env, _ := os.ReadFile(name) // processes come and go
		if found := marker.FindSubmatch(env); found != nil {
			runs = append(runs, string(found[1]))
		}
	}
	return runs
}
