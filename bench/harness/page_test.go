package harness_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"questboard/e2e/e2etest"
)

const (
	page     = "../../docs/process.md"
	outcomed = "testdata/outcomes.txt"
)

// With -full everything is played; with -write the tables of the page are then made again.
func TestThePageHasItsTables(t *testing.T) {
	t.Parallel()
	var r results
	if *full {
		r = played(t)
		if want := len(parts(arms(), fewSeeds, everySeed)) * len(allPairs(t)); len(r.plays) != want {
			t.Fatalf("there are %d plays, not %d", len(r.plays), want)
		}
	}
	if *write && *full {
		if err := os.WriteFile(outcomed, []byte(r.outcomes().text()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e2etest.WriteTables(t, page, "harness", tables(t, r), *write && *full)
}

// storedOutcomes reads what the page was made of.
func storedOutcomes(t *testing.T) outcomes {
	t.Helper()
	o, err := readOutcomes(read(outcomed))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// The rates and differences of the page are those of the stored outcomes, and so are its chances.
func TestThePageIsMadeOfItsOutcomes(t *testing.T) {
	t.Parallel()
	text, o := read(page), storedOutcomes(t)
	for _, a := range arms() {
		plays := 0
		for _, seeds := range o[a.name] {
			plays += len(seeds)
		}
		want := "| " + a.name + " | " + grouped(plays) + " | " + o.rate(a.name).String() + " |"
		if least := len(allPairs(t)) * fewSeeds; plays < least || a.every && plays != len(allPairs(t))*everySeed {
			t.Errorf("%s has %d plays", a.name, plays)
		}
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %s: run make harness", want)
		}
	}
	for name, table := range map[string]string{"differences": differencesTable(o), "chances": chancesTable(t)} {
		if !strings.Contains(text, table) {
			t.Errorf("the page has other %s: run make harness", name)
		}
	}
}

// What the page promises of an errand: it is at most 2 points behind the same agent alone with the same check.
func TestAnErrandIsNotWorseThanTheSameAgentWithItsCheck(t *testing.T) {
	t.Parallel()
	d, plays := storedOutcomes(t).difference(errandArm, checkedArm)
	if want := len(allPairs(t)) * everySeed; plays != want {
		t.Errorf("%d plays are compared, not %d", plays, want)
	}
	if d.low <= -2 {
		t.Errorf("the difference is %s points: −2 is not excluded", d.points())
	}
}

var armsRow = regexp.MustCompile(`(?m)^\| (errand|quick|full|auto|errand, server killed|full, server killed) ` +
	`\| [\d,]+ \| [^|]+ \| ([^|]+) \| ([^|]+) \| [^|]+ \| [^|]+ \| (\d+) \|$`)

// The page says of Questboard that each commit of the branch passes the check, and that nothing was lost.
func TestThePageSaysThatEveryCommitOfOurBranchesPasses(t *testing.T) {
	t.Parallel()
	rows := armsRow.FindAllStringSubmatch(read(page), -1)
	if len(rows) != 6 {
		t.Errorf("the page has %d of 6 rows", len(rows))
	}
	for _, row := range rows {
		if !strings.HasPrefix(row[2], "all ") || !strings.HasPrefix(row[3], "all ") || row[4] != "0" {
			t.Errorf("%s: %s states and %s commits pass, %s features are lost", row[1], row[2], row[3], row[4])
		}
	}
}
