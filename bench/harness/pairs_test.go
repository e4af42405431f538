package harness_test

import (
	"path/filepath"
	"testing"
)

func allPairs(t testing.TB) []*pair {
	t.Helper()
	all, err := pairs()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// mergedText merges two states of a pair as git does, from the base, and reports whether that is a conflict.
func mergedText(t *testing.T, p *pair, ours, theirs state) (map[string]string, bool) {
	t.Helper()
	dir, conflict, out := t.TempDir(), false, map[string]string{}
	for _, f := range p.files {
		sides := map[string]string{"base": render(f.text, state{}), "ours": render(f.text, ours), "theirs": render(f.text, theirs)}
		if err := writeFiles(dir, sides); err != nil {
			t.Fatal(err)
		}
		text, err := git(dir, "merge-file", "-p", filepath.Join(dir, "ours"), filepath.Join(dir, "base"), filepath.Join(dir, "theirs"))
		conflict, out[f.name] = conflict || err != nil, text
	}
	return out, conflict
}

// Every pair is what it says: both features together pass all tests, and git merges them or not. The rest, of which
// the results depend on it, is tried with -full only.
func TestEveryPairIsAsItSays(t *testing.T) {
	t.Parallel()
	j := newJudge(t.TempDir())
	for _, p := range allPairs(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			j.wants(t, p, "both with care", state{v: [2]int{right, right}, join: true, tested: [2]bool{true, true}}, verdict{true, true, true, true})
			if *full {
				j.wants(t, p, "the base", state{}, verdict{Visible: true})
				j.wants(t, p, "A alone", state{v: [2]int{right, absent}, tested: [2]bool{true, false}}, verdict{Visible: true, A: true})
				j.wants(t, p, "B alone", state{v: [2]int{absent, right}, tested: [2]bool{false, true}}, verdict{Visible: true, B: true})
				j.wants(t, p, "A without its test", state{v: [2]int{right, absent}}, verdict{Visible: true, A: true})
				if j.judged(t, p, state{v: [2]int{right, right}, tested: [2]bool{true, true}}).pass() {
					t.Error("both without care pass the hidden tests")
				}
				j.triesWrong(t, p)
			}
			text, conflict := mergedText(t, p, state{v: [2]int{right, absent}}, state{v: [2]int{absent, right}})
			if conflict != (p.kind == "conflict") {
				t.Errorf("git's merge ends in a conflict: %v, and the pair is %s", conflict, p.kind)
			}
			seen, known := p.look(func(name string) string { return text[name] })
			if !known || seen.v != [2]int{right, right} || !conflict && seen.join {
				t.Errorf("after git's merge an agent sees %+v (%v)", seen, known)
			}
		})
	}
}

func (j *judge) judged(t *testing.T, p *pair, s state) verdict {
	t.Helper()
	v, err := j.tree(p, p.tree(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (j *judge) wants(t *testing.T, p *pair, what string, s state, want verdict) {
	t.Helper()
	if v := j.judged(t, p, s); v != want {
		t.Errorf("%s: %+v, want %+v", what, v, want)
	}
}

// triesWrong tries each wrong variant of a feature, alone and beside the other feature: it fails hidden tests; the
// visible one sees the blunder, and alone it does not see the slip.
func (j *judge) triesWrong(t *testing.T, p *pair) {
	t.Helper()
	for f := range features {
		for v := slip; v <= blunder; v++ {
			var s state
			s.v[f], s.tested[f] = v, true
			got := j.judged(t, p, s)
			if hidden := [2]bool{got.A, got.B}[f]; hidden || got.Visible != (v == slip) {
				t.Errorf("%s, variant %d: hidden %v, visible %v", features[f], v, hidden, got.Visible)
			}
			s.v[1-f], s.tested, s.join = right, [2]bool{true, true}, true
			got = j.judged(t, p, s)
			if hidden := [2]bool{got.A, got.B}[f]; hidden && got.AB || got.Visible && v == blunder {
				t.Errorf("%s, variant %d beside the other: hidden %v, visible %v", features[f], v, hidden, got.Visible)
			}
			if len(p.ownLines(f, v)) == 0 {
				t.Errorf("%s, variant %d has no line of its own", features[f], v)
			}
		}
	}
}

// ownLines lists the lines by which a variant of a feature is known.
func (p *pair) ownLines(f, v int) (all []string) {
	for _, file := range p.files {
		all = append(all, p.own(file, f, v)...)
	}
	return all
}
