package simulated_test

import (
	"crypto/sha256"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"questboard/agents/simulated"
	"questboard/orchestration"
)

func TestTheDemoShowsEveryRoleAndSignalInUnderAMinute(t *testing.T) {
	t.Parallel()
	d := newDryRun(t, "full")
	begun := d.now
	d.run()
	if d.quest.Phase != orchestration.PhaseComplete {
		t.Fatalf("the quest ends in %s: %s", d.quest.Phase, d.stages())
	}
	took := d.now.Sub(begun)
	t.Logf("took %v; with n runs at once: %v; runs %v; outcomes %v", took, d.busy, d.roles, d.outcomes)
	if took > 50*time.Second || took < 20*time.Second {
		t.Errorf("it takes %v", took)
	}
	for _, role := range orchestration.Roles {
		if d.roles[role] == 0 {
			t.Errorf("%s never runs", role)
		}
	}
	for _, kind := range orchestration.SignalKinds {
		if d.signals[kind] == 0 {
			t.Errorf("nobody signals %s", kind)
		}
	}
	if d.followups[true] == 0 || d.followups[false] == 0 {
		t.Errorf("follow-ups by resume: %v", d.followups)
	}
	if d.outcomes[orchestration.OutcomeCrashed] != 1 {
		t.Errorf("%d crashes, want 1", d.outcomes[orchestration.OutcomeCrashed])
	}
	if !slices.Equal(d.wardOf, []string{"api"}) {
		t.Errorf("ward failed for %q, want once for api", d.wardOf)
	}
	if d.quest.Step("sessions").Stage != orchestration.StageSuperseded || d.quest.Steps.Len() < 8 {
		t.Errorf("no re-split: %s", d.stages())
	}
	if together := d.busy[2] + d.busy[3]; together < took*2/5 {
		t.Errorf("two or three agents at once for %v of %v only", together, took)
	}
	if d.busy[4] > 0 {
		t.Error("more than three agents at once")
	}
	if out := d.shell(d.trees.own(), "./check.sh"); out != "" {
		t.Errorf("the check is red in the end:\n%s", out)
	}
	if len(d.conflicts) != 1 || !slices.Contains([]string{"tokens", "json"}, d.conflicts[0]) {
		t.Errorf("conflicts of %q, want one of tokens or json", d.conflicts)
	}
	if readme := filesOf(t, d.trees.own())["README.md"]; !strings.Contains(readme, "Parts: health, notes, tokens, json.\n") {
		t.Errorf("not both intentions are in README.md:\n%s", readme)
	}
	if out := d.shell(d.trees.own(), "[ \"$(./api GET /notes | head -n 1)\" = '401 Unauthorized' ] && ! grep -q debug lib/json.sh"); out != "" {
		t.Errorf("the work is not on the quest's branch: %s", out)
	}
}

// The errand needs one agent beside ChaosWhisperer, one check beside the base's, and less
// than ten seconds.
func TestTheDemoOfAnErrandIsShort(t *testing.T) {
	t.Parallel()
	d := newDryRun(t, "errand")
	begun := d.now
	d.run()
	if d.quest.Phase != orchestration.PhaseComplete || !d.quest.Errand() {
		t.Fatalf("the quest is %s and ends in %s: %s", d.quest.Size, d.quest.Phase, d.stages())
	}
	if took := d.now.Sub(begun); took > 5*time.Second {
		t.Errorf("it takes %v", took)
	}
	want := map[orchestration.Role]int{orchestration.ChaosWhisperer: 1, orchestration.Codeweaver: 1, orchestration.Ward: 2}
	if !maps.Equal(d.roles, want) {
		t.Errorf("runs %v, want %v", d.roles, want)
	}
	if out := d.shell(d.trees.own(), "[ \"$(./api GET /health | tail -n 1)\" = 'ok 1.2.0' ] && ./check.sh"); out != "" {
		t.Errorf("the work is not on the quest's branch: %s", out)
	}
}

// A name without a dot and a slash is a built-in scenario's; an unknown one is refused with
// the names that there are.
func TestABuiltInScenarioHasAName(t *testing.T) {
	t.Parallel()
	for name, title := range map[string]string{"": "Add login and rate limiting to the notes API", "full": "Add login and rate limiting to the notes API", "errand": "Let the health route say which version it is",
		"/some/file.yaml": "Add login and rate limiting to the notes API"} {
		if got := simulated.DemoQuest(name).Title; got != title {
			t.Errorf("%q is played for %q", name, got)
		}
	}
	if _, err := simulated.Open("arrand"); err == nil || err.Error() != `no built-in scenario is called "arrand"; there are full and errand. For a file write a path, such as ./arrand.yaml` {
		t.Errorf("an unknown name: %v", err)
	}
	if _, err := simulated.Open("./errand"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a path is a file: %v", err)
	}
}

var everyVisit = flag.Bool("every-visit", false, "kill every visit of the demo once, not one of each role")

// A person may kill any agent while the demo runs. The visit after the killed one must
// continue its work. So every visit may crash once.
func TestTheDemoEndsAlsoWhenAnyOneVisitIsKilled(t *testing.T) {
	t.Parallel()
	checked := map[[sha256.Size]byte]string{}
	scenario, err := simulated.Open("")
	if err != nil {
		t.Fatal(err)
	}
	entries, killed := scenario.Entries, map[orchestration.Role]bool{}
	for i, e := range entries {
		if killed[e.Role] && !*everyVisit {
			continue
		}
		kill := slices.IndexFunc(e.Do, func(a simulated.Action) bool { return a.Tool == "signal-back" })
		if kill < 0 {
			continue
		}
		killed[e.Role] = true
		d := newDryRun(t, "full")
		d.checked = checked
		crash := e
		if crash.Visit == 0 {
			crash.Visit = 1 // the first visit that reaches this entry
			for _, before := range entries[:i] {
				if before.Role == e.Role && before.Step == e.Step {
					crash.Visit++
				}
			}
		}
		crash.Do = append(slices.Clone(e.Do[:kill]), simulated.Action{Kind: simulated.Exit, Code: 137})
		d.scenario.Entries = slices.Insert(d.scenario.Entries, i, crash)
		d.run()
		if d.quest.Phase != orchestration.PhaseComplete {
			t.Errorf("with a kill of %s %s %d: the quest ends in %s: %s", e.Role, e.Step, e.Visit, d.quest.Phase, d.stages())
		}
		if out := d.check(d.trees.own()); out != "" {
			t.Errorf("with a kill of %s %s %d the check is red:\n%s", e.Role, e.Step, e.Visit, out)
		}
	}
}

func TestTheDemosCheckPassesAtFirstAndFindsPlantedFaults(t *testing.T) {
	t.Parallel()
	d := newDryRun(t, "full")
	if out := d.shell(d.dir, "./check.sh && git status --porcelain | grep . && exit 1 || exit 0"); out != "" {
		t.Fatalf("a fresh repository: %s", out)
	}
	for path, content := range map[string]string{
		"lib/a.sh":        "a() {\n",
		"lib/b.sh":        "# BROKEN\n",
		"tests/c.test.sh": "echo wrong; exit 1\n",
		"data/users.txt":  "ada writer\n",
	} {
		d.write(d.dir, path, content)
		if out := d.shell(d.dir, "./check.sh"); !strings.Contains(out, path) {
			t.Errorf("%s: the check does not name it: %q", path, out)
		}
		if err := os.Remove(filepath.Join(d.dir, path)); err != nil {
			t.Fatal(err)
		}
	}
	if out := d.shell(d.dir, "./check.sh"); out != "" {
		t.Errorf("the faults are gone: %s", out)
	}
}

func TestTheDemoRepositoryIsMadeInAnEmptyFolderAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := simulated.DemoRepo(t.Context(), dir); err == nil {
		t.Error("a folder with something in it was taken")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("something was written there: %v %v", entries, err)
	}
}
