package process_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"questboard/orchestration"
)

// grouped writes a number below a million as 1,024.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// thousands writes a number with its last three digits as zeros: 1,024,000.
func thousands(x float64) string { return grouped(int(x/1000+0.5)) + ",000" }

// goal is what a size is to keep beside one agent alone.
type goal struct {
	class, arm string
	wall, cost float64 // times the agent alone
}

var goals = []goal{{"small", "errand", 1.15, 1.15}, {"middle", "quick", 1.3, 2}, {"middle", "full", 1.3, 2}, {"large", "full", 0.7, 1.5}}

// reached says whether the goal is reached, as far as the intervals tell: time and cost, and
// fewer faults than the agent alone leaves.
func (g goal) reached(m mean) (paid, fewer string) {
	surely := func(x [2]float64, most float64) int {
		switch {
		case x[0]+x[1] <= most:
			return 2
		case x[0]-x[1] > most:
			return 0
		default:
			return 1
		}
	}
	words := []string{"no", "too close to say", "yes"}
	return words[min(surely(m.wallTimes, g.wall), surely(m.costTimes, g.cost))], words[surely(m.moreFaults, 0)]
}

// armsTable shows every arm with requests of a class.
func armsTable(t testing.TB, v values, class string, n int) string {
	var b strings.Builder
	b.WriteString("| " + class + " | minutes | beside one agent | agent minutes | cost units | beside one agent | faults that escape |\n|---|---|---|---|---|---|---|\n")
	m := measured(t, v, class, arms(), n)
	for _, a := range arms() {
		x := m[a.name]
		fmt.Fprintf(&b, "| %s | %.1f | %.2f ± %.2f | %.1f | %s | %.2f ± %.2f | %.2f |\n", a.name, x.wall, x.wallTimes[0], x.wallTimes[1], x.agents, thousands(x.cost), x.costTimes[0], x.costTimes[1], x.faults)
	}
	return b.String()
}

func named(name string) arm {
	all := arms()
	return all[slices.IndexFunc(all, func(a arm) bool { return a.name == name })]
}

// goalsTable says which goals are reached, and on which assumed values that hangs.
func goalsTable(t testing.TB, v values, n int) string {
	var b strings.Builder
	b.WriteString("| request | size | goal | simulated | reached | the other way with |\n|---|---|---|---|---|---|\n")
	for _, g := range goals {
		play := func(v values) mean { return measured(t, v, g.class, []arm{arms()[0], named(g.arm)}, n)[g.arm] }
		m := play(v)
		paid, fewer := g.reached(m)
		var paidTurns, fewerTurns []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !v[name].assumed() {
				continue
			}
			for _, factor := range []float64{0.5, 2} {
				paidThen, fewerThen := g.reached(play(v.with(name, factor)))
				with := func(turns *[]string, then, now string) {
					if then != now {
						*turns = append(*turns, fmt.Sprintf("`%s` × %g (%s)", name, factor, then))
					}
				}
				with(&paidTurns, paidThen, paid)
				with(&fewerTurns, fewerThen, fewer)
			}
		}
		fmt.Fprintf(&b, "| %s | %s | at most %.2f × minutes, %.2f × cost | %.2f ± %.2f ×, %.2f ± %.2f × | %s | %s |\n", g.class, g.arm, g.wall, g.cost,
			m.wallTimes[0], m.wallTimes[1], m.costTimes[0], m.costTimes[1], paid, cmp.Or(strings.Join(paidTurns, ", "), "none"))
		fmt.Fprintf(&b, "| %s | %s | fewer faults | %+.2f ± %.2f | %s | %s |\n", g.class, g.arm, m.moreFaults[0], m.moreFaults[1], fewer,
			cmp.Or(strings.Join(fewerTurns, ", "), "none"))
	}
	return b.String()
}

const asItIs = "as the defaults are"

// settingsTable shows what the settings of forks and checks change.
func settingsTable(t testing.TB, v values, n int) string {
	var b strings.Builder
	b.WriteString("| setting | middle, full: minutes | cost units | large, full: minutes | cost units |\n|---|---|---|---|---|\n")
	add := func(name string, change func(*arm)) {
		a := named("full")
		a.name = name
		change(&a)
		fmt.Fprintf(&b, "| %s |", name)
		for _, class := range []string{"middle", "large"} {
			m := measured(t, v, class, []arm{named("full"), a}, n)[name]
			of := func(x [2]float64) string {
				if name == asItIs {
					return ""
				}
				return fmt.Sprintf(", %+.1f ± %.1f %%", 100*(x[0]-1), 100*x[1])
			}
			fmt.Fprintf(&b, " %.1f%s | %s%s |", m.wall, of(m.wallTimes), thousands(m.cost), of(m.costTimes))
		}
		b.WriteString("\n")
	}
	add(asItIs, func(*arm) {})
	add("no forks", func(a *arm) { a.forks = false })
	for _, large := range []int{20_000, 40_000, 80_000, 120_000, 160_000} {
		add(fmt.Sprintf("conversations of at most %d,000 tokens are forked", large/1000), func(a *arm) { a.limits.Large = large })
	}
	for _, small := range []int{10_000, 40_000} {
		add(fmt.Sprintf("older ones of at most %d,000 tokens are forked", small/1000), func(a *arm) { a.limits.Small = small })
	}
	for _, within := range []int{1, 15, 60} {
		add(fmt.Sprintf("conversations count as recent for %d min", within), func(a *arm) { a.limits.Within = minutes(float64(within)) })
	}
	for _, checks := range []int{2, 4} {
		add(fmt.Sprintf("%d checks at once", checks), func(a *arm) { a.checks = checks })
	}
	add("a check takes a slot", func(a *arm) { a.lane = false })
	return b.String()
}

// firstVersion is the quest that was measured, played with the same model: without forks
// and lane, with longer descriptions of steps and sieges without a limit.
func firstVersion(t testing.TB, v values, n int) mean {
	for name, was := range map[string]float64{"plan": 2.5, "siege": 1.9} {
		v = v.with(name, was/v[name].Value)
	}
	a := arm{name: "first", size: orchestration.SizeFull, checks: 1}
	return measured(t, v, "middle", []arm{arms()[0], a}, n)["first"]
}

func firstTable(t testing.TB, v values, n int) string {
	m := firstVersion(t, v, n)
	return "| the first version, middle, full | minutes | agent minutes |\n|---|---|---|\n| measured, n=1 | 83 | 165 |\n" +
		fmt.Sprintf("| simulated | %.0f | %.0f |\n", m.wall, m.agents)
}

// valuesTable lists what the simulation takes for granted.
func valuesTable(v values) string {
	var b strings.Builder
	b.WriteString("| value | is | source |\n|---|---|---|\n")
	for _, name := range used {
		fmt.Fprintf(&b, "| `%s` | %g %s | %s |\n", name, v[name].Value, v[name].Unit, v[name].Source)
	}
	return b.String()
}
