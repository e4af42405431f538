package e2e_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The machine sleeps: the server and its agents stand still for twice the time after
// which a silent agent counts as stuck. After waking none of them does, and all
// continue.
func TestAMachineThatSleepsMakesNobodyStuck(t *testing.T) {
	t.Parallel()
	const stuck = 3 * time.Second
	m := &mortal{t: t, data: t.TempDir(), scenario: filepath.Join(t.TempDir(), "scenario.yaml"), repo: apiRepo(t)}
	write(t, m.scenario, `
- {role: chaoswhisperer, do: [{say: I think}, {run: "true"}, {talk: {text: beat, lines: 40, every: 250ms}},
    {tool: {name: set-requirements, input: {requirements: [{id: r, context: a bed, observables: [{id: o, text: it sleeps}]}]}}},
    {tool: {name: signal-back, input: {signal: complete, summary: locked}}}]}
- {role: pathseeker, do: [{hang: true}]}
`)
	m.launched = launch(t, nil, append(m.args(), "-stuck-after", stuck.String())...)
	m.quest = m.begin(m.repo, `,"approve":[],"workspace":"shared"`)
	m.until(m.quest, "an agent is at work", goesOn("chaoswhisperer", "requirements"))
	asleep := m.processes()
	if len(asleep) < 3 {
		t.Fatalf("%d processes", len(asleep))
	}
	for _, pid := range asleep { // the server first, so that it sees no agent stopped
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil && !errors.Is(err, syscall.ESRCH) { // what it ran has ended
			t.Fatal(err)
		}
	}
	<-time.After(2 * stuck)
	for _, pid := range asleep { // the worst order: the server looks before any agent can print
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
	}
	q := m.until(m.quest, "the requirements are complete", goesOn("pathseeker", "plan"))
	for _, r := range objects(q["runs"]) {
		if r["outcome"] != nil && r["outcome"] != "signalled" && r["outcome"] != "" {
			t.Errorf("%s ended as %s: %s", r["id"], r["outcome"], r["why"])
		}
	}
	// An agent that is really silent is still found.
	m.until(m.quest, "the silent one is stuck", func(q object) bool {
		for _, r := range objects(q["runs"]) {
			if r["role"] == "pathseeker" && r["outcome"] == "stuck" {
				return true
			}
		}
		return false
	})
}

// processes returns the server and all processes below it, the server first.
func (m *mortal) processes() []int {
	m.t.Helper()
	all := []int{m.cmd.Process.Pid}
	for i := 0; i < len(all); i++ {
		lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", all[i]))
		if err != nil {
			m.t.Fatal(err)
		}
		for _, list := range lists {
			text, _ := os.ReadFile(list) // threads come and go
			for word := range strings.FieldsSeq(string(text)) {
				var pid int
				if _, err := fmt.Sscan(word, &pid); err == nil {
					all = append(all, pid)
				}
			}
		}
	}
	return all
}
