package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// hostScenario is a quest with two steps; each writes where it works.
const hostScenario = `
- role: codeweaver
  do:
    - say: I work here.
    - run: pwd >> RUNS; echo made > made-$$.txt
    - tool: {name: signal-back, input: {signal: complete, summary: made}}
- role: siegemaster
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: tested}}
- role: lawbringer
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: reviewed}}
`

const twoSteps = `,"approve":[],"ward":"ls made-*","plan":{"steps":[{"id":"one","title":"One","files":["a"]},{"id":"two","title":"Two","files":["b"]}]}`

// hostServer starts a server that runs nothing itself.
func hostServer(t *testing.T, scenario string) (s *launched, repo, file, ledger string) {
	t.Helper()
	ledger = filepath.Join(t.TempDir(), "runs.log")
	file = filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, file, strings.ReplaceAll(scenario, "RUNS", ledger))
	s = launch(t, nil, "-data", t.TempDir(), "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", file, "-grace", "1s", "-away")
	return s, apiRepo(t), file, ledger
}

func TestAQuestWorksOnAHost(t *testing.T) {
	t.Parallel()
	s, repo, file, ledger := hostServer(t, hostScenario)
	message, _ := s.post("/quests", `{"request":"x","repo":"`+repo+`"}`).refused(409)
	if !strings.Contains(message, "no host can take this quest") {
		t.Errorf("without a host: %s", message)
	}
	w := s.startHost(t, "forge", repo, file, "-labels", "linux,fast")
	message, _ = s.post("/quests", `{"request":"x","repo":"`+repo+`","runsOn":["gpu"]}`).refused(409)
	if !strings.Contains(message, "forge has no label gpu") {
		t.Errorf("a label that nobody has: %s", message)
	}
	quest := s.begin(repo, twoSteps+`,"runsOn":["fast"]`)
	q := s.untilStatus(quest, "complete")
	if q["host"] != "forge" {
		t.Errorf("it worked on %v", q["host"])
	}
	for line := range strings.Lines(read(t, ledger)) {
		if !strings.HasPrefix(line, w.data) {
			t.Errorf("a run worked in %s", line)
		}
	}
	if files := gitText(t, repo, "ls-tree", "-r", "--name-only", "quest/"+quest); strings.Count(files, "made-") != 2 {
		t.Errorf("the branch has %s", files)
	}
	for _, r := range objects(q["runs"]) {
		if out := s.get("/runs/" + r["id"].(string) + "/output"); r["role"] == "codeweaver" && !strings.Contains(out.text, "I work here.") {
			t.Errorf("the output of %s is %s", r["id"], out.text)
		}
	}
	if patch := s.get("/quests/" + quest + "/diff").text; !strings.Contains(patch, "+made") {
		t.Errorf("the diff is %s", patch)
	}
	s.post("/quests/"+quest+"/deliver", `{"how":"merge"}`).want(200)
	poll(t, 0, func() bool { _, err := os.Stat(filepath.Join(w.data, "git", quest)); return os.IsNotExist(err) },
		func() string { return "a host that keeps nothing of a quest that is over" })
	w.signal(syscall.SIGTERM)
	if err := w.cmd.Wait(); err != nil {
		t.Errorf("TERM ended the worker with %v\n%s", err, w.said.String())
	}
}

// An agent on a host reads the files that came with the request, in the sandbox. The host keeps
// them only as long as the quest works there.
func TestAnAgentOnAHostReadsWhatCameWithTheRequest(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	s, repo, _, _ := hostServer(t, hostScenario)
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	w := s.newWorker(t, "forge", repo, "-sandbox", "-scenario", file)
	all := filepath.Join(w.data, "attachments", "quests")
	write(t, file, strings.ReplaceAll(readsFiles, "FILES", all))
	w.start()
	s.untilHost("forge", true)
	id := s.upload(repo, map[string]string{"notes.txt": "one\n", "../notes.txt ": "two\n"})
	q := s.untilStatus(id, "complete")
	if q["host"] != "forge" {
		t.Errorf("it worked on %v", q["host"])
	}
	if patch := s.get("/quests/" + id + "/diff"); !strings.Contains(patch.text, "one") || !strings.Contains(patch.text, "two") {
		t.Errorf("the agent read %s", patch.text)
	}
	if prompt := s.send("GET", "/quests/"+id+"/steps/errand/prompt", "").text; !strings.Contains(prompt, filepath.Join(all, id, "notes-2.txt")) {
		t.Errorf("the prompt does not say where the file is:\n%s", prompt)
	}
	for _, kept := range []string{filepath.Join(all, id), filepath.Join(w.data, "runs", id+"-r1"), filepath.Join(w.data, "worktrees", id)} {
		poll(t, 0, func() bool { _, err := os.Stat(kept); return os.IsNotExist(err) }, func() string { return "a host that keeps nothing of a quest that is over: " + kept })
	}
}

// The board and the step say on which machine the quest works, and where.
func TestAPageSaysWhereAQuestWorks(t *testing.T) {
	t.Parallel()
	h, w := holdOnHost(t)
	if page := h.page("/quests/" + h.quest); !strings.Contains(page, "<dt>Host</dt><dd>forge</dd>") {
		t.Errorf("the board does not name the host")
	}
	where := filepath.Join(w.data, "worktrees", h.quest, "one")
	if page := h.page("/quests/" + h.quest + "/steps/one/sessions"); !strings.Contains(page, where) || !strings.Contains(page, "It is on the host forge.") {
		t.Errorf("the step does not say that its tree is %s on forge", where)
	}
	w.signal(syscall.SIGKILL)
	_ = w.cmd.Wait()
	h.untilHost("forge", false)
	if page := h.page("/quests/" + h.quest); !strings.Contains(page, "forge is not connected") {
		t.Errorf("the board does not say that the host is away")
	}
	w.start()
	h.untilHost("forge", true)
	h.atWorkAgain()
	h.finish()
}
