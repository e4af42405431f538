package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The disk of a host becomes full while an agent works there. What the agent did waits until there
// is room, and nothing is lost.
func TestAFullDiskOfAHostIsWaitedFor(t *testing.T) {
	d := onSmallDisk(t, 48)
	if d == nil {
		return
	}
	goes, file := filepath.Join(t.TempDir(), "go"), filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, file, strings.ReplaceAll(`
- role: codeweaver
  do:
    - run: echo made > made.txt; until test -e GO; do sleep 0.05; done
    - tool: {name: signal-back, input: {signal: complete, summary: made}}
- role: siegemaster
  do: [{tool: {name: signal-back, input: {signal: complete, summary: tested}}}]
- role: lawbringer
  do: [{tool: {name: signal-back, input: {signal: complete, summary: reviewed}}}]
`, "GO", goes))
	repo := apiRepo(t)
	s := launch(t, nil, "-data", t.TempDir(), "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", file, "-grace", "1s", "-away")
	w := s.newWorker(t, "forge", repo, "-scenario", file)
	at := 0
	for i, arg := range w.args {
		if arg == "-data" {
			at = i + 1
		}
	}
	w.data, w.args[at] = filepath.Join(d.dir, "data"), filepath.Join(d.dir, "data")
	w.start()
	s.untilHost("forge", true)
	quest := s.begin(repo, `,"approve":[],"plan":{"steps":[{"id":"one","title":"One","files":["a"]}]}`)
	s.until(quest, "an agent is at work", func(q object) bool { return goesOn("codeweaver", "one")(q) })
	poll(t, time.Minute, func() bool {
		_, err := os.Stat(filepath.Join(w.data, "worktrees", quest, "one", "made.txt"))
		return err == nil
	}, func() string { return "what the agent makes" })
	d.fill(0)
	write(t, goes, "")
	poll(t, time.Minute, func() bool { return strings.Contains(w.said.String(), "nothing can be stored on this host") }, w.said.String)
	d.empty()
	s.untilStatus(quest, "complete")
	if made := onBranch(t, repo, quest, "made.txt"); made != "made\n" {
		t.Errorf("the branch has %q", made)
	}
	if !strings.Contains(w.said.String(), "everything can be stored on this host again") {
		t.Errorf("the worker does not say that it goes on:\n%s", w.said.String())
	}
}
