package harness_test

import (
	"errors"
	"slices"
	"strings"
)

// agent is a scripted agent at work in a folder. All that it does follows from the chances, the seed, the pair, what
// it works on and which attempt that is. So in every arm it makes the same mistakes.
type agent struct {
	c    chances
	p    *pair
	seed uint64
	dir  string
	// memory is the file in which a session keeps what it saw or wrote last, as a conversation does; "": it has none.
	memory string
}

// errCrash is an agent whose process ends in the middle of an edit.
var errCrash = errors.New("the agent crashed")

func (a agent) happens(chance, what string, n int) bool {
	return draw(a.seed, a.p.name, chance, what, n) < a.c[chance].Value
}

// variant is how good the agent's patch of a feature is.
func (a agent) variant(f, n int) int {
	switch x := draw(a.seed, a.p.name, "patch", features[f], n); {
	case x < a.c["slip"].Value:
		return slip
	case x < a.c["slip"].Value+a.c["blunder"].Value:
		return blunder
	default:
		return right
	}
}

// work does features one after the other, and calls after each what the caller wants. What is there already stays.
func (a agent) work(list []int, n int, after func(f int) error) error {
	for _, f := range list {
		s := a.see()
		if s.v[f] != absent || a.happens("idle", features[f], n) {
			continue
		}
		s = a.with(s, f, n)
		if a.happens("crash", features[f], n) {
			return errors.Join(errCrash, a.half(s))
		}
		if err := a.put(s); err != nil {
			return err
		}
		if after != nil {
			if err := after(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// with is what the tree becomes when the agent adds a feature to it.
func (a agent) with(s state, f, n int) state {
	s.v[f] = a.variant(f, n)
	s.tested[f] = s.tested[f] || !a.happens("forget", features[f], n)
	if s.join = true; s.both() {
		s.join = a.happens("join.seen", "both", n)
	}
	return s
}

// mend acts on names of failing tests, or of what a reviewer found: "join", "test-a". job is the work that they
// belong to.
func (a agent) mend(named []string, job string, n int) error {
	if a.happens("idle", "mend-"+job, n) {
		return nil
	}
	s := a.see()
	if a.happens("crash", "mend-"+job, n) {
		return errors.Join(errCrash, a.half(s))
	}
	if a.marked() { // an agent that sees the markers brings both sides together
		s.join = a.happens("join.merge", "both", n)
	} else if a.happens("mend", job, n) {
		s = mended(s, named)
	}
	return a.put(s)
}

// mended is a state in which what has these names is right.
func mended(s state, named []string) state {
	for _, name := range named {
		f := max(slices.Index(features[:], strings.TrimPrefix(name, "test-")), 0)
		switch name {
		case "a", "b":
			if s.v[f] != right {
				s.v[f] = right
			} else {
				s.join = true
			}
		case "test-a", "test-b":
			s.tested[f] = true
		case "join":
			s.join = true
		default: // the whole does not build, or fails as it never did
			if !slices.Contains(s.v[:], blunder) {
				s.join = true
			}
			for i := range s.v {
				if s.v[i] == blunder {
					s.v[i] = right
				}
			}
		}
	}
	return s
}

// faults lists what somebody could find in the tree: what does not work, and tests that are missing.
func (a agent) faults(list []int) []string {
	s := a.see()
	var all []string
	for _, f := range list {
		if s.v[f] != right {
			all = append(all, features[f])
		}
		if !s.tested[f] {
			all = append(all, "test-"+features[f])
		}
	}
	if s.both() && !s.join {
		all = append(all, "join")
	}
	return all
}
