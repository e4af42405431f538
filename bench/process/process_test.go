package process_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"questboard/e2e/e2etest"
)

var (
	requests = flag.Int("requests", 40, "requests of each class and arm")
	write    = flag.Bool("write", false, "write the tables into docs/process.md")
)

const page = "../../docs/process.md"

// tables makes the tables of the page by name.
func tables(t testing.TB, n int) map[string]func() string {
	v := table(t)
	made := map[string]func() string{
		"goals":    func() string { return goalsTable(t, v, max(n/5, 10)) },
		"settings": func() string { return settingsTable(t, v, max(n/5, 10)) },
		"first":    func() string { return firstTable(t, v, n) },
		"values":   func() string { return valuesTable(v) },
		"requests": func() string {
			return fmt.Sprintf("| requests | |\n|---|---|\n| of each class in every arm | %s |\n| for each value and setting | %d |\n", grouped(n), max(n/5, 10))
		},
	}
	for _, class := range classes {
		made[class] = func() string { return armsTable(t, v, class, n) }
	}
	return made
}

// With -write the tables of the page are made again.
func TestThePageHasItsTables(t *testing.T) {
	t.Parallel()
	text := e2etest.WriteTables(t, page, "process", tables(t, *requests), *write)
	if !*write && !strings.Contains(text, valuesTable(table(t))) {
		t.Error("the page was made with other values: run make process")
	}
}

var row = regexp.MustCompile(`(?m)^\| ([a-zR ,]+) \| [\d.]+ \| ([\d.]+) ± [\d.]+ \| [\d.]+ \| [\d,]+ \| ([\d.]+) ± [\d.]+ \|`)

// The figures of the page are those that the rules give now, as far as a few requests can
// tell.
func TestThePageIsTrue(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range classes {
		_, rest, there := strings.Cut(string(text), "\n| "+class+" | minutes |")
		if !there {
			t.Fatalf("the page has no table of %s requests", class)
		}
		rest, _, _ = strings.Cut(rest, "\n\n")
		m := measured(t, table(t), class, arms(), *requests)
		rows := row.FindAllStringSubmatch(rest, -1)
		if len(rows) != len(arms()) {
			t.Errorf("%s: the page has %d of %d arms", class, len(rows), len(arms()))
		}
		for _, r := range rows {
			for i, x := range [][2]float64{m[r[1]].wallTimes, m[r[1]].costTimes} {
				says, _ := strconv.ParseFloat(r[2+i], 64)
				if off := says - x[0]; off > 3*x[1]+0.05 || -off > 3*x[1]+0.05 {
					t.Errorf("%s, %s: the page says %.2f times, and now it is %.2f ± %.2f: run make process", class, r[1], says, x[0], x[1])
				}
			}
		}
	}
}

// The simulation is near the one quest that was measured.
func TestTheFirstVersionTookAboutWhatWasMeasured(t *testing.T) {
	t.Parallel()
	if m := firstVersion(t, table(t), *requests); m.wall < 83/1.5 || m.wall > 83*1.5 || m.agents < 165/1.5 || m.agents > 165*1.5 {
		t.Errorf("simulated: %.0f minutes and %.0f of agents; measured: 83 and 165", m.wall, m.agents)
	}
}

// The same seed gives the same result, and forks and sizes change it.
func TestTheSimulationRepeats(t *testing.T) {
	t.Parallel()
	v := table(t)
	for _, a := range arms() {
		for _, class := range classes {
			req := ask(v, class, largePlan(t), 7)
			first, err := play(v, a, req, 7)
			again, err2 := play(v, a, ask(v, class, largePlan(t), 7), 7)
			if err != nil || err2 != nil || first != again {
				t.Errorf("%s, %s: %+v, then %+v (%v, %v)", class, a.name, first, again, err, err2)
			}
		}
	}
}

// The real Assign decides: with another order of ready steps, against the longest chain,
// the large request takes longer.
func TestAnotherAssignChangesTheTable(t *testing.T) {
	t.Parallel()
	if os.Getenv("PROCESS_PLANTED") != "" {
		fmt.Printf("minutes=%v\n", largeMinutes(t))
		return
	}
	file, err := filepath.Abs("../../orchestration/index.go")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const chain, against = "ra, rb := q.index.rank[a], q.index.rank[b]", "ra, rb := q.index.rank[b], q.index.rank[a]"
	if strings.Count(string(source), chain) != 1 {
		t.Fatalf("%s does not read %q once", file, chain)
	}
	planted, overlay := filepath.Join(t.TempDir(), "index.go"), filepath.Join(t.TempDir(), "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{file: planted}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{planted: strings.Replace(string(source), chain, against, 1), overlay: string(list)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-count=1", "-vet=off", "-overlay", overlay, "-run", "^TestAnotherAssignChangesTheTable$", "-v", ".")
	cmd.Env = append(os.Environ(), "PROCESS_PLANTED=1")
	out, err := cmd.CombinedOutput()
	found := regexp.MustCompile(`(?m)^minutes=([\d.]+)$`).FindSubmatch(out)
	if err != nil || found == nil {
		t.Fatalf("%v\n%s", err, out)
	}
	worse, _ := strconv.ParseFloat(string(found[1]), 64)
	if now := largeMinutes(t); worse < 1.02*now {
		t.Errorf("it takes %.1f minutes, and %.1f with another order", now, worse)
	}
}

// largeMinutes is how long the large request takes in full.
func largeMinutes(t testing.TB) float64 {
	return measured(t, table(t), "large", []arm{arms()[0], named("full")}, 10)["full"].wall
}
