package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/e2e/e2etest"
)

// handsScenario: one step hangs at first, and one adds to what a person has begun.
const handsScenario = `
- {role: codeweaver, step: stopped, do: [{run: echo half >stopped}, {hang: true}]}
- {role: codeweaver, step: back, do: [{run: test -e back && echo agent >>back}, {tool: {name: signal-back, input: {signal: complete, summary: added a line}}}]}
- {role: siegemaster, do: [{tool: {name: signal-back, input: {signal: complete, summary: holds}}}]}
- {role: lawbringer, do: [{tool: {name: signal-back, input: {signal: complete, summary: good}}}]}
`

// A person takes steps over: one at work, and two that have no tree yet. The server is
// killed before it makes a tree, while the person works, while the check of the work runs,
// and at the merge. Nothing that the person wrote is lost, the holds are still there, and
// Done and Give back work.
func TestAPersonsWorkSurvivesTheDeathOfTheServer(t *testing.T) {
	t.Parallel()
	exe, err := e2etest.Strikable()
	if err != nil {
		t.Fatal(err)
	}
	s := &struckServer{exe: exe, folder: t.TempDir(), strikes: []string{"effect PrepareStep=crash", "merge-before=crash", "merge-after=crash@2"},
		mortal: &mortal{t: t, data: t.TempDir(), scenario: filepath.Join(t.TempDir(), "scenario.yaml"), repo: apiRepo(t), slots: 1}}
	write(t, s.scenario, handsScenario)
	write(t, filepath.Join(s.repo, "base"), "base\n")
	gitText(t, s.repo, "add", "base")
	gitText(t, s.repo, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "base")
	s.up()
	hold := filepath.Join(t.TempDir(), "hold")
	s.quest = s.begin(s.repo, `,"workspace":"worktree","ward":"test ! -e '`+hold+`' || exec sleep 600","plan":{"steps":[
		{"id":"stopped","title":"S","files":["stopped"]},{"id":"ready","title":"R","files":["ready"]},{"id":"back","title":"B","files":["back"]}]}`)
	s.eventually("a step is at work", goesOn("codeweaver", "stopped"))
	for _, step := range []string{"ready", "back", "stopped"} {
		s.press(step, "take-over", http.StatusOK, http.StatusConflict) // 409: the server died before it answered
	}
	s.eventually("the process is gone", func(q object) bool { return !goesOn("codeweaver", "stopped")(q) })
	for step, text := range map[string]string{"ready": "by hand\n", "back": "person\n", "stopped": "half\nwhole\n"} {
		poll(t, 20*time.Second, func() bool { return s.hasTree(step) }, func() string { return "a tree for " + step })
		write(t, filepath.Join(s.tree(step), step), text)
	}

	s.killed()
	for step, text := range map[string]string{"ready": "by hand\n", "back": "person\n", "stopped": "half\nwhole\n"} {
		if q := s.whole(); named(q["steps"], step)["hold"] != "yours" {
			t.Errorf("%s is nobody's after the restart: %s", step, jsonText(named(q["steps"], step)))
		}
		if got, err := os.ReadFile(filepath.Join(s.tree(step), step)); err != nil || string(got) != text {
			t.Errorf("in the tree of %s there is %q (%v)", step, got, err)
		}
		if refused := s.press(step, "take-over", http.StatusConflict); !strings.Contains(jsonText(refused), "took "+step+" over already") {
			t.Errorf("a second person reads %s", jsonText(refused))
		}
	}

	write(t, hold, "")
	s.press("ready", "mark-done", http.StatusOK)
	s.eventually("the check runs", goesOn("ward", "ready"))
	s.killed(hold)
	s.eventually("it is done", stepDone("ready")) // the server dies before its merge
	s.press("stopped", "mark-done", http.StatusOK)
	s.eventually("it is done", stepDone("stopped")) // and once more after a merge
	s.press("back", "retry", http.StatusOK)
	q := s.eventually("it is complete", func(q object) bool { return q["status"] == "complete" })

	for step, text := range map[string]string{"ready": "by hand\n", "stopped": "half\nwhole\n", "back": "person\nagent\n"} {
		if got := onBranch(t, s.repo, s.quest, step); got != text {
			t.Errorf("the branch has %q of %s, want %q", got, step, text)
		}
		if by := named(q["steps"], step)["byHand"]; (by == nil) != (step == "back") {
			t.Errorf("%s was done by %v", step, by)
		}
	}
	for _, r := range objects(q["runs"]) {
		if r["role"] == "siegemaster" && r["step"] != "back" {
			t.Errorf("Siegemaster tested the work of a person: %s", jsonText(r))
		}
	}
	if left := s.waiting(); len(left) > 0 || s.deaths < 5 {
		t.Errorf("the server died %d times, and never at %v", s.deaths, left)
	}
	s.assertTidy()
}

// stepDone reports that a step is done.
func stepDone(step string) func(q object) bool {
	return func(q object) bool { return named(q["steps"], step)["stage"] == "done" }
}

// hasTree reports whether the server says that a step has a tree. Its folder is there
// earlier, and is made again if the server dies before it is whole.
func (s *struckServer) hasTree(step string) bool {
	for _, place := range objects(s.ask(http.MethodGet, "/quests/"+s.quest+"/workspace", "", http.StatusOK)["lines"]) {
		if place["line"] == step {
			return place["exists"] == true
		}
	}
	return false
}

// tree is the folder where a step works.
func (s *struckServer) tree(step string) string { return treeOf(s.data, s.quest, step) }

// press presses a button of a step.
func (s *struckServer) press(step, control string, statuses ...int) object {
	s.t.Helper()
	return s.ask(http.MethodPost, "/quests/"+s.quest+"/steps/"+step+"/"+control, "{}", statuses...)
}

// eventually waits until something is so. If the server dies meanwhile, it starts the
// next one.
func (s *struckServer) eventually(what string, so func(q object) bool) (q object) {
	s.t.Helper()
	poll(s.t, time.Minute, func() bool {
		q = s.ask(http.MethodGet, "/quests/"+s.quest, "", http.StatusOK)
		return so(q)
	}, func() string { return what + ": " + jsonText(q) + "\n" + s.said.String() })
	return q
}

// killed kills the server, removes files, and starts the next one, which must not find
// them: it takes up at once what it finds.
func (s *struckServer) killed(files ...string) {
	s.t.Helper()
	s.signal(syscall.SIGKILL)
	s.waitForEnd()
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			s.t.Fatal(err)
		}
	}
	s.up()
}
