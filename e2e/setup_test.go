package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const plantsScenario = `
- role: chaoswhisperer
  do:
    - tool: {name: set-requirements, input: {requirements: [{id: r1, context: a garden, observables: [{id: o1, text: both grow}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}
- role: pathseeker
  do:
    - tool: {name: plan-steps, input: {steps: [{id: pea, title: Pea, description: x, files: [pea.txt], dependsOn: [], observables: [o1]}, {id: kale, title: Kale, description: x, files: [kale.txt], dependsOn: [pea], observables: [o1]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: two steps}}
- role: codeweaver
  step: pea
  do:
    - write: {path: pea.txt, content: "sown\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: sown}}
- role: codeweaver
  step: kale
  do:
    - write: {path: kale.txt, content: "sown\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: sown}}
`

// needsSetup has the fields of a quest whose check needs a file that the set-up makes.
const needsSetup = `,"ward":"grep -q ready node_modules/x","approve":[]`

func modulesRepo(t *testing.T) string {
	t.Helper()
	dir := apiRepo(t)
	write(t, filepath.Join(dir, ".gitignore"), "node_modules/\n")
	write(t, filepath.Join(dir, "lock"), "1\n")
	gitText(t, dir, "add", "-A")
	gitText(t, dir, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "what is ignored")
	return dir
}

func (s *apiServer) setUpBy(repo, command string) {
	s.t.Helper()
	s.send("PATCH", "/api/v1/settings", fmt.Sprintf(`{"repos":[{"path":%q,"setup":%q}]}`, repo, command)).want(200)
}

// outputOf returns a run's whole output, line by line.
func (s *apiServer) outputOf(run object) string {
	s.t.Helper()
	var b strings.Builder
	for _, line := range s.get("/runs/" + run["id"].(string) + "/output").want(200)["lines"].([]any) {
		fmt.Fprintln(&b, line)
	}
	return b.String()
}

func TestSetupRunsOnceInEveryNewWorktreeBeforeTheFirstRunThere(t *testing.T) {
	t.Parallel()
	s, repo, dirs := startAPI(t, plantsScenario), modulesRepo(t), filepath.Join(t.TempDir(), "dirs")
	s.setUpBy(repo, "pwd >>'"+dirs+"' && mkdir node_modules && echo ready >node_modules/x && echo 2 >lock && echo installed 120 packages")
	q := s.untilStatus(s.begin(repo, needsSetup), "complete")

	var lines []string
	for _, dir := range strings.Split(strings.TrimSpace(read(t, dirs)), "\n") {
		lines = append(lines, filepath.Base(dir))
	}
	slices.Sort(lines)
	if want := []string{"_quest", "baseline", "kale", "pea", "review"}; !slices.Equal(lines, want) {
		t.Errorf("the set-up ran in %v, want %v", lines, want)
	}
	for _, r := range objects(q["runs"]) {
		text, first := s.outputOf(r), r["role"] == "chaoswhisperer" || r["role"] == "codeweaver" || r["step"] == "baseline"
		if strings.Contains(text, "installed 120 packages") != first && r["step"] != "review" {
			t.Errorf("the output of %s for %s:\n%s", r["role"], r["step"], text)
		}
		if first && !strings.Contains(text, "the set-up changed files that git does not ignore") {
			t.Errorf("nothing is said of what was undone:\n%s", text)
		}
	}
	id := q["id"].(string)
	if lock := gitText(t, repo, "show", "quest/"+id+":lock"); lock != "1\n" {
		t.Errorf("the set-up's change of the lock file was committed: %q", lock)
	}
	if kept := gitText(t, treesGit(s.data, id), "for-each-ref", "refs/questboard/kept/"+id); !strings.Contains(kept, "-setup") {
		t.Errorf("what was undone is not kept:\n%s", kept)
	}
}

func TestAFailingSetupBlocksUntilTheUserMendsItAndRetries(t *testing.T) {
	t.Parallel()
	s, repo := startAPI(t, plantsScenario), modulesRepo(t)
	s.setUpBy(repo, "echo no such package >&2; exit 3")
	id := s.begin(repo, needsSetup)
	q := s.untilStatus(id, "waiting")
	if !slices.ContainsFunc(objects(s.get("/quests/" + id + "/events").want(200)["events"]), func(e object) bool {
		return e["type"] == "step.blocked" && strings.Contains(jsonText(e), "the set-up command failed: exit 3: no such package")
	}) {
		t.Error("nothing says why the quest waits")
	}
	if text := s.outputOf(objects(q["runs"])[0]); !strings.Contains(text, "no such package") {
		t.Errorf("the output:\n%s", text)
	}
	s.setUpBy(repo, "mkdir -p node_modules && echo ready >node_modules/x")
	for _, step := range []string{"requirements", "baseline"} { // each has a tree of its own
		s.until(id, step+" is blocked", func(q object) bool { return named(q["lines"], step)["hold"] == "blocked" })
	}
	s.post("/quests/"+id+"/steps/requirements/retry", "{}").want(200) // one retry is for both
	s.untilStatus(id, "complete")
}

// If a server is killed in the middle of a set-up, the next one runs it again.
func TestASetupThatDiesWithTheServerRunsAgain(t *testing.T) {
	t.Parallel()
	m := startMortal(t, plantsScenario)
	m.repo = modulesRepo(t)
	began, gate := filepath.Join(t.TempDir(), "began"), filepath.Join(t.TempDir(), "gate")
	m.setUpBy(m.repo, fmt.Sprintf("echo x >>'%s'; mkdir -p node_modules; until test -e '%s'; do sleep 0.05; done; echo ready >node_modules/x", began, gate))
	m.quest = m.begin(m.repo, needsSetup)
	times := func() int { b, _ := os.ReadFile(began); return len(b) / 2 }
	poll(t, 20*time.Second, func() bool { return times() == 2 }, func() string { return "the first set-ups\n" + m.said.String() })
	m.signal(syscall.SIGKILL)
	_ = m.cmd.Wait()
	m.start()
	poll(t, 20*time.Second, func() bool { return times() == 4 }, func() string { return "the second set-ups\n" + m.said.String() })
	write(t, gate, "")
	m.untilStatus(m.quest, "complete")
	if n := times(); n != 7 { // the quest's tree and the base's twice, two steps, the review
		t.Errorf("the set-up began %d times", n)
	}
}

func read(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
