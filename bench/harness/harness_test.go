package harness_test

import (
	"context"
	"slices"
	"sync"
	"testing"
)

// few are the pairs of the short version, one of each language.
func few(t testing.TB) (list []*pair) {
	t.Helper()
	for _, name := range []string{"shell-04", "js-02", "go-01"} {
		p, err := pairNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

func aWorld(t testing.TB) *world {
	t.Helper()
	w, err := newWorld(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// playAll plays parts and returns the results.
func playAll(t *testing.T, w *world, list []part, pairs []*pair, old results) []result {
	t.Helper()
	var mu sync.Mutex
	var all []result
	err := w.runParts(t.Context(), list, pairs, old, func(line any) error {
		mu.Lock()
		defer mu.Unlock()
		if r, is := line.(result); is {
			all = append(all, r)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// In every way a play ends as the stored one did. Whatever agents and kills do, our branch is never at a commit
// that fails the check, and nothing is lost that an agent had done.
func TestEveryWayEndsAsThePageSays(t *testing.T) {
	t.Parallel()
	was, kills, w, pairs := storedOutcomes(t), 0, aWorld(t), few(t)
	var all []result
	for i, pt := range parts(arms(), 1, 1) {
		one := pairs[i%len(pairs):][:1] // a play takes seconds
		all = append(all, playAll(t, w, []part{pt}, one, results{})...)
	}
	for _, r := range all {
		a := arms()[slices.IndexFunc(arms(), func(a arm) bool { return a.name == r.Arm })]
		if now, then := r.pass(), was[r.Arm][r.Pair][r.Seed]; a.repeats() && now != then {
			t.Errorf("%s: both features pass: %v, and when the page was written: %v: run make harness", jsonText(r), now, then)
		}
		if a.plain != nil {
			continue
		}
		if kills += r.Kills; r.Green < r.States || r.Lost > 0 || !slices.Contains([]string{"", "crash", "ward"}, r.Stopped) {
			t.Errorf("%s", jsonText(r))
		}
	}
	if kills < 2 {
		t.Errorf("the server was killed %d times", kills)
	}
}

// The same seed gives the same result, and another seed another one.
func TestTheSameSeedGivesTheSameResult(t *testing.T) {
	t.Parallel()
	w, other := aWorld(t), false
	for _, a := range arms()[:4] {
		var texts [3]string
		for i, seed := range []uint64{3, 3, 4} {
			s, err := w.seat(a)
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.play(t.Context(), few(t)[0], seed)
			if err != nil {
				t.Fatal(err)
			}
			r.Wall, r.Seed = 0, 0
			texts[i] = jsonText(r)
		}
		if texts[0] != texts[1] {
			t.Errorf("%s, then %s", texts[0], texts[1])
		}
		other = other || texts[0] != texts[2]
	}
	if !other {
		t.Error("every seed gives the same")
	}
}

// What the harness says is no matter of course: it notices red commits and lost work where there is no check.
func TestAHarnessThatLacksACheckIsNoticed(t *testing.T) {
	t.Parallel()
	w, p := aWorld(t), few(t)[0]
	red, lost := 0, 0
	for _, a := range []arm{{name: togetherArm, plain: together}, {name: naiveArm, plain: naive}} {
		for seed := range uint64(10) {
			s := &seat{world: w, arm: a}
			r, err := s.play(t.Context(), p, seed)
			if err != nil {
				t.Fatal(err)
			}
			red, lost = red+r.States-r.Green, lost+r.Lost
		}
	}
	if red == 0 || lost == 0 {
		t.Errorf("without a check there are %d red states, and %d features are lost", red, lost)
	}
	// Questboard with a check that always passes brings a blunder to the branch.
	r := playOne(t, w, arm{name: "errand", size: "errand", ward: "true"}, p, blundering(t, w, p))
	if r.Stopped != "" || r.Green == r.States {
		t.Errorf("a check that always passes: %s", jsonText(r))
	}
}

// A quest that stopped keeps in its tree what agents had done; that is not lost, and not on the branch.
func TestWorkOfAQuestThatStoppedIsKept(t *testing.T) {
	t.Parallel()
	w, p := aWorld(t), few(t)[0]
	r := playOne(t, w, arm{name: "errand", size: "errand", ward: "echo FAIL; exit 1"}, p, blundering(t, w, p))
	if r.Stopped != "ward" || r.States != 0 || r.Kept != 2 || r.Lost != 0 || r.pass() {
		t.Errorf("%s", jsonText(r))
	}
}

func playOne(t *testing.T, w *world, a arm, p *pair, seed uint64) result {
	t.Helper()
	s, err := w.seat(a)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.play(context.WithoutCancel(t.Context()), p, seed)
	if err != nil {
		t.Error(err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	return r
}

// blundering finds a seed with which the first patch of A fails the test that comes with it, and both are written.
func blundering(t *testing.T, w *world, p *pair) uint64 {
	t.Helper()
	for seed := range uint64(1000) {
		a := agent{c: w.c, p: p, seed: seed}
		if a.variant(0, 1) == blunder && !a.happens("forget", "a", 1) && !slices.ContainsFunc(features[:], func(f string) bool {
			return a.happens("idle", f, 1) || a.happens("crash", f, 1)
		}) {
			return seed
		}
	}
	t.Fatal("no seed has a blunder")
	return 0
}
