package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// asksForKale stops after its first step: the agent of the second one asks.
var asksForKale = strings.Replace(plantsScenario, `- role: codeweaver
  step: kale
  do:
`, `- role: codeweaver
  step: kale
  visit: 1
  do:
    - tool: {name: signal-back, input: {signal: needs-user-input, question: Which kale?, context: kale.txt}}
- role: codeweaver
  step: kale
  do:
`, 1)

// stopsAfterPea returns a server that ended after it had merged the first of two steps, and the
// database as it was then.
func stopsAfterPea(t *testing.T) (m *mortal, backup string) {
	t.Helper()
	m = startMortal(t, asksForKale)
	m.quest = m.begin(m.repo, `,"approve":[]`)
	m.until(m.quest, "pea is merged and kale asks", func(q object) bool {
		return len(objects(q["questions"])) == 1 && named(q["steps"], "kale")["hold"] == "question"
	})
	m.ends()
	backups, err := filepath.Glob(filepath.Join(m.data, "backups", "exit-*.db"))
	if err != nil || len(backups) != 1 {
		t.Fatalf("backups: %v, %v", backups, err)
	}
	backup = filepath.Join(t.TempDir(), "backup.db") // the server keeps only the newest of these
	if err := os.Rename(backups[0], backup); err != nil {
		t.Fatal(err)
	}
	return m, backup
}

func (m *mortal) ends() {
	m.t.Helper()
	m.signal(syscall.SIGTERM)
	if err := m.cmd.Wait(); err != nil {
		m.t.Fatalf("%v\n%s", err, m.said.String())
	}
}

// comesBack imports the quest from the backup.
func (m *mortal) comesBack(backup string) {
	m.t.Helper()
	exported := command(m.t, serverBinary(m.t), nil, "export", "-from", backup, m.quest)
	if exported.code != 0 {
		m.t.Fatal(exported.stderr)
	}
	file := filepath.Join(m.t.TempDir(), "quest.json")
	write(m.t, file, exported.stdout)
	if r := command(m.t, serverBinary(m.t), nil, "import", "-data", m.data, file); r.code != 0 {
		m.t.Fatal(r.stderr)
	}
}

// goesOn resumes the quest and answers what it asks.
func (m *mortal) goesOn() {
	m.t.Helper()
	m.post("/quests/"+m.quest+"/resume", "").want(200)
	q := m.get("/quests/" + m.quest).want(200)
	m.post("/questions/"+objects(q["questions"])[0]["id"].(string)+"/answer", `{"answer":"the red one"}`).want(200)
}

func (m *mortal) hasBoth() {
	m.t.Helper()
	m.untilStatus(m.quest, "complete")
	for _, name := range []string{"pea.txt", "kale.txt"} {
		if text := onBranch(m.t, m.repo, m.quest, name); text != "sown\n" {
			m.t.Errorf("%s holds %q", name, text)
		}
	}
}

func TestADamagedQuestThatComesBackFromABackupKeepsItsWork(t *testing.T) {
	t.Parallel()
	m, backup := stopsAfterPea(t)
	alter(t, m.data, damages["the limits are no JSON"], m.quest)
	m.start()
	if q := m.get("/quests/" + m.quest).want(200); q["status"] != "damaged" {
		t.Fatalf("it is %s", q["status"])
	}
	m.ends()
	m.comesBack(backup)
	m.start()
	m.goesOn()
	m.hasBoth()
}

// Without the work of its steps a quest would begin again at the base, and call done what is not in
// its result.
func TestAQuestWithoutItsWorkDoesNotBeginAgain(t *testing.T) {
	t.Parallel()
	m, backup := stopsAfterPea(t)
	work := filepath.Join(m.data, "git", m.quest)
	m.data = t.TempDir()
	m.comesBack(backup)
	m.start()
	m.goesOn()
	q := m.until(m.quest, "kale cannot go on", func(q object) bool {
		runs := objects(q["runs"])
		return runs[len(runs)-1]["state"] == "queued" && runs[len(runs)-2]["outcome"] == "failed-to-start"
	})
	runs := objects(q["runs"])
	if why := jsonText(runs[len(runs)-2]); !strings.Contains(why, "copy git/"+m.quest+" and worktrees/"+m.quest) {
		t.Errorf("kale does not go on: %s", why)
	}
	m.ends()
	if out, err := exec.Command("cp", "-a", work, filepath.Join(m.data, "git")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	m.start()
	m.post("/quests/"+m.quest+"/resume", "").want(200)
	m.hasBoth()
}
