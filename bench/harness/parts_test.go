package harness_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A run that was killed goes on: what was played is not played again, and a line that was cut off counts as not played.
func TestARunGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	pairs := few(t)[:2]
	list := []part{{arm{name: aloneArm, plain: alone}, 0}}
	file := filepath.Join(t.TempDir(), "results.jsonl")
	tell, closed, err := journal(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range playAll(t, aWorld(t), list, pairs[:1], results{}) {
		if err := tell(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := tell(took{Arm: aloneArm, Processor: 2}); err != nil {
		t.Fatal(err)
	}
	if err := closed(); err != nil {
		t.Fatal(err)
	}
	text := read(file)
	if err := os.WriteFile(file, []byte(text+`{"arm":"`+aloneArm+`","pair":"js-02","se`), 0o600); err != nil {
		t.Fatal(err)
	}
	old, err := readResults(file)
	if err != nil || len(old.plays) != 1 || len(old.took) != 1 {
		t.Fatalf("%v: %+v of\n%s", err, old, read(file))
	}
	if more := playAll(t, aWorld(t), list, pairs, old); len(more) != 1 || more[0].Pair != pairs[1].name {
		t.Errorf("then it played %s", jsonText(more))
	}
}

func TestFewSeedsOfEveryWayComeFirst(t *testing.T) {
	t.Parallel()
	var names []string
	for _, p := range parts([]arm{{name: "x", every: true}, {name: "y"}}, 2, 4) {
		names = append(names, p.arm.name)
	}
	if got := strings.Join(names, ""); got != "xyxyxx" {
		t.Errorf("the parts are of %s", got)
	}
}

func TestARunOfAnAgentThatWasKilledIsTheSameAttempt(t *testing.T) {
	t.Parallel()
	r := &run{notes: t.TempDir(), key: map[string]string{"role": "codeweaver", "step": "errand"}}
	var got []int
	for _, start := range []string{"fresh", "interrupted", "OVER", "interrupted", "followup"} {
		if start == "OVER" { // it crashed by itself, or its signal was stored
			if err := r.attempted(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		r.key["start"] = start
		n, err := r.attempt()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, n)
	}
	if want := []int{1, 1, 2, 3}; jsonText(got) != jsonText(want) {
		t.Errorf("the attempts are %v, want %v", got, want)
	}
}

// An agent takes half a file for what it is, and conflict markers for both sides.
func TestAnAgentSeesWhatATreeHolds(t *testing.T) {
	t.Parallel()
	w, p := aWorld(t), few(t)[0]
	dir := filepath.Join(t.TempDir(), "repo")
	if err := w.repo(p, dir); err != nil {
		t.Fatal(err)
	}
	a := agent{c: w.c, p: p, dir: dir, memory: filepath.Join(t.TempDir(), "memory")}
	both := state{v: [2]int{right, slip}, join: true}
	if err := a.half(both); err != nil {
		t.Fatal(err)
	}
	if s := a.see(); s.v != [2]int{absent, absent} {
		t.Errorf("half a file after the base: %+v", s)
	}
	one := state{v: [2]int{slip, absent}, join: true, tested: [2]bool{true, false}}
	if err := a.put(one); err != nil {
		t.Fatal(err)
	}
	if err := a.half(both); err != nil {
		t.Fatal(err)
	}
	if s := a.see(); s != one {
		t.Errorf("half a file after A: %+v", s)
	}
	text, conflict := mergedText(t, p, state{v: [2]int{slip, absent}}, state{v: [2]int{absent, blunder}})
	if err := writeFiles(dir, text); err != nil {
		t.Fatal(err)
	}
	if s := a.see(); !conflict || !a.marked() || s.v != [2]int{slip, blunder} {
		t.Errorf("a conflict (%v): %+v", conflict, s)
	}
}

func TestChancesAndPairsThatAreWrongAreRefused(t *testing.T) {
	t.Parallel()
	for edit, want := range map[[2]string]string{
		{`"slip": {"value": 0.1,`, `"slip": {"value": 1.1,`}:    "slip is no chance: 1.1",
		{`"mend": {`, `"mends": {`}:                             "mend is missing; mends is not known",
		{`"source": "assumed"`, `"source": "measured"`}:         "does not say what it is, or that it is assumed",
		{`"idle": {"value": 0.03,`, `"idle": {"values": 0.03,`}: "unknown field",
	} {
		text := strings.Replace(string(chancesFile), edit[0], edit[1], 1)
		if _, err := readChances([]byte(text)); text == string(chancesFile) || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", edit[1], err, want)
		}
	}
	for text, want := range map[string]string{
		"kind: conflict\n": "no sections", "sort: x\n-- f --\n": "is not known", "kind: odd\na: x\nb: y\n-- f --\nz\n": `kind "odd"`,
	} {
		if _, err := parsePair("shell-00", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Lines of a template stand in the states that their guard names.
func TestALineStandsInTheStatesOfItsGuard(t *testing.T) {
	t.Parallel()
	const text = "x\nA1|a\nA23B0|b\nM1|c\nM|d\nB1A0,M0|e\n"
	for s, want := range map[state]string{
		{}:                             "x ",
		{v: [2]int{1, 0}}:              "x a ",
		{v: [2]int{3, 0}}:              "x b ",
		{v: [2]int{0, 1}}:              "x e ",
		{v: [2]int{1, 1}, join: true}:  "x a c d ",
		{v: [2]int{1, 2}, join: false}: "x a d e ",
	} {
		if got := strings.ReplaceAll(render(text, s), "\n", " "); got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
}

func TestRatesAndDifferencesArePaired(t *testing.T) {
	t.Parallel()
	o := outcomes{}
	for _, pair := range []string{"p", "q", "r", "s"} {
		for seed := range uint64(10) {
			pass := seed < 5
			o.add(play{"x", pair, seed}, pass)
			o.add(play{"y", pair, seed}, pass || pair == "p" && seed == 9)
			if seed < 2 {
				o.add(play{"z", pair, seed}, true)
			}
		}
	}
	if r := o.rate("x"); r != (rate{50, 50, 50}) {
		t.Errorf("the rate is %v", r)
	}
	if d, n := o.difference("x", "x"); d != (rate{}) || n != 40 {
		t.Errorf("beside itself: %v of %d", d, n)
	}
	if d, n := o.difference("y", "x"); d.is != 2.5 || d.low != 0 || d.high < 5 || n != 40 {
		t.Errorf("one play better: %v of %d", d, n)
	}
	if d, n := o.difference("z", "x"); d.is != 0 || n != 8 {
		t.Errorf("over the plays that both have: %v of %d", d, n)
	}
	o[aloneArm] = o["y"]
	again, err := readOutcomes(o.text())
	if err != nil || jsonText(again[aloneArm]) != jsonText(o["y"]) {
		t.Errorf("read again: %v\n%s", err, o.text())
	}
}
