package harness_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// tables makes the tables of the page by name.
func tables(t *testing.T, r results) map[string]func() string {
	return map[string]func() string{
		"arms":        func() string { return armsTable(r) },
		"differences": func() string { return differencesTable(r.outcomes()) },
		"stops":       func() string { return stopsTable(r) },
		"took":        func() string { return tookTable(r) },
		"pairs":       func() string { return pairsTable(t) },
		"chances":     func() string { return chancesTable(t) },
	}
}

// of returns the results of an arm.
func (r results) of(arm string) (list []result) {
	for pl, x := range r.plays {
		if pl.Arm == arm {
			list = append(list, x)
		}
	}
	return list
}

func armsTable(r results) string {
	var b strings.Builder
	b.WriteString("| way | plays | both features pass, % | states of the branch that pass the check | commits in its history that do | " +
		"runs of agents for a pass | seconds | features lost |\n|---|---|---|---|---|---|---|---|\n")
	o := r.outcomes()
	for _, a := range arms() {
		var states, green, commits, passing, runs, passed, lost int
		var wall []float64
		list := r.of(a.name)
		for _, x := range list {
			states, green, commits, passing = states+x.States, green+x.Green, commits+x.Commits, passing+x.Passing
			runs, lost, wall = runs+x.Runs, lost+x.Lost, append(wall, x.Wall)
			if x.pass() {
				passed++
			}
		}
		slices.Sort(wall)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %.1f | %.1f | %d |\n",
			a.name, grouped(len(list)), o.rate(a.name), share(green, states), share(passing, commits),
			float64(runs)/float64(max(passed, 1)), wall[len(wall)/2], lost)
	}
	return b.String()
}

// share writes a part of a number: all of it, or the percentage, rounded away from "all".
func share(part, all int) string {
	if part == all {
		return fmt.Sprintf("all %s", grouped(all))
	}
	return fmt.Sprintf("%.1f %% of %s", min(100*float64(part)/float64(all), 99.9), grouped(all))
}

// grouped writes a number with its thousands apart: 1,000.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// compared lists the differences that the page shows.
var compared = [][2]string{
	{errandArm, checkedArm}, {errandArm, aloneArm}, {checkedArm, aloneArm},
	{"quick", checkedArm}, {"full", checkedArm}, {"auto", checkedArm},
	{togetherArm, checkedArm}, {naiveArm, checkedArm},
	{errandKilledArm, errandArm}, {fullKilledArm, "full"},
}

func differencesTable(o outcomes) string {
	var b strings.Builder
	b.WriteString("| way | beside | plays in both | difference in points |\n|---|---|---|---|\n")
	for _, c := range compared {
		d, plays := o.difference(c[0], c[1])
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c[0], c[1], grouped(plays), d.points())
	}
	return b.String()
}

// stopsTable says how plays ended that were not complete.
func stopsTable(r results) string {
	var b strings.Builder
	b.WriteString("| way | plays | an agent crashed once too often | the check failed once too often | otherwise | " +
		"features kept in a tree | server killed |\n" +
		"|---|---|---|---|---|---|---|\n")
	for _, a := range arms() {
		crash, ward, other, kept, kills := 0, 0, 0, 0, 0
		list := r.of(a.name)
		for _, x := range list {
			kept, kills = kept+x.Kept, kills+x.Kills
			switch x.Stopped {
			case "":
			case "crash":
				crash++
			case "ward":
				ward++
			default:
				other++
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %d |\n", a.name, grouped(len(list)), crash, ward, other, kept, kills)
	}
	return b.String()
}

// tookTable says what the plays took, with the judge.
func tookTable(r results) string {
	var b strings.Builder
	b.WriteString("| way | plays | processor seconds | minutes |\n|---|---|---|---|\n")
	sum := took{Arm: "all"}
	line := func(t took, plays int) {
		fmt.Fprintf(&b, "| %s | %s | %s | %.0f |\n", t.Arm, grouped(plays), grouped(int(t.Processor)), t.Wall/60)
	}
	for _, a := range arms() {
		one := took{Arm: a.name}
		for _, t := range r.took {
			if t.Arm == a.name {
				one.Processor, one.Wall = one.Processor+t.Processor, one.Wall+t.Wall
			}
		}
		line(one, len(r.of(a.name)))
		sum.Processor, sum.Wall = sum.Processor+one.Processor, sum.Wall+one.Wall
	}
	line(sum, len(r.plays))
	return b.String()
}

// pairsTable counts the pairs, and how much their visible check sees of what the hidden tests see.
func pairsTable(t *testing.T) string {
	j := newJudge(t.TempDir())
	var b strings.Builder
	b.WriteString("| pairs in | with a conflict in git | that git merges, and wrongly | wrong patches that the check sees, of all | " +
		"careless joins that it sees, of all |\n|---|---|---|---|---|\n")
	for _, lang := range []string{"shell", "js", "go"} {
		conflicts, silent, seen, wrong, joins, all := 0, 0, 0, 0, 0, 0
		for _, p := range allPairs(t) {
			if p.lang != lang {
				continue
			}
			if all++; p.kind == "conflict" {
				conflicts++
			} else {
				silent++
			}
			for _, s := range wrongStates() {
				v, err := j.tree(p, p.tree(s))
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case s.both() && !v.Visible:
					joins++
				case !s.both():
					if wrong++; !v.Visible {
						seen++
					}
				}
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d of %d | %d of %d |\n", map[string]string{"shell": "shell", "js": "JavaScript", "go": "Go"}[lang],
			conflicts, silent, seen, wrong, joins, all)
	}
	return b.String()
}

// wrongStates lists each wrong patch alone, and both features together without care, with their visible tests.
func wrongStates() []state {
	list := []state{{v: [2]int{right, right}, tested: [2]bool{true, true}}}
	for f := range features {
		for v := slip; v <= blunder; v++ {
			var s state
			s.v[f], s.tested[f] = v, true
			list = append(list, s)
		}
	}
	return list
}

func chancesTable(t *testing.T) string {
	c, err := readChances(chancesFile)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| chance | % | that | source |\n|---|---|---|---|\n")
	for _, name := range known {
		fmt.Fprintf(&b, "| `%s` | %.0f | %s | %s |\n", name, 100*c[name].Value, c[name].Is, c[name].Source)
	}
	return b.String()
}
