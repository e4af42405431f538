package harness_test

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed testdata/pairs/*.txt
var pairFiles embed.FS

// How good the patch of a feature is.
const (
	absent  = 0
	right   = 1
	slip    = 2 // its visible test passes, and a hidden one fails
	blunder = 3 // its visible test fails
)

// features are the names of both features of a pair.
var features = [2]string{"a", "b"}

// pair is a small repository and two features that overlap in it.
type pair struct {
	name, lang string
	kind       string // conflict: git cannot merge both; semantic: it merges them, and the result is wrong
	asks       [2]string
	files      []section
	tests      map[string]string // the bodies of tests by name: base, a, b, hidden-a, hidden-b, hidden-ab
}

type section struct{ name, text string }

// state is what a tree has of a pair.
type state struct {
	v      [2]int
	join   bool // both together are right; says nothing if one is absent
	tested [2]bool
}

func (s state) both() bool { return s.v[0] != absent && s.v[1] != absent }

var testNames = []string{"base", "a", "b", "hidden-a", "hidden-b", "hidden-ab"}

var header = regexp.MustCompile(`(?m)^-- ([\w./-]+) --\n`)

// parsePair reads a pair. Its first lines are "kind:", "a:" and "b:". Sections follow, each with its name:
// templates of files, and the bodies of tests.
func parsePair(name, text string) (*pair, error) {
	p := &pair{name: name, tests: map[string]string{}}
	p.lang, _, _ = strings.Cut(name, "-")
	at := header.FindAllStringSubmatchIndex(text, -1)
	if at == nil {
		return nil, fmt.Errorf("%s: no sections", name)
	}
	for line := range strings.Lines(text[:at[0][0]]) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "kind":
			p.kind = value
		case "a":
			p.asks[0] = value
		case "b":
			p.asks[1] = value
		default:
			return nil, fmt.Errorf("%s: %q is not known", name, line)
		}
	}
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		if s := (section{text[m[2]:m[3]], text[m[1]:end]}); slices.Contains(testNames, s.name) {
			p.tests[s.name] = s.text
		} else {
			p.files = append(p.files, s)
		}
	}
	whole := len(p.tests) == len(testNames) && len(p.files) > 0 && p.asks[0] != "" && p.asks[1] != ""
	if !whole || p.kind != "conflict" && p.kind != "semantic" {
		return nil, fmt.Errorf("%s: it has %d tests, %d files, kind %q and the features %q", name, len(p.tests), len(p.files), p.kind, p.asks)
	}
	return p, nil
}

// pairs reads all pairs, in the order of their names.
var pairs = sync.OnceValues(func() ([]*pair, error) {
	entries, err := pairFiles.ReadDir("testdata/pairs")
	if err != nil {
		return nil, err
	}
	var all []*pair
	for _, entry := range entries {
		text, err := pairFiles.ReadFile(path.Join("testdata/pairs", entry.Name()))
		if err != nil {
			return nil, err
		}
		p, err := parsePair(strings.TrimSuffix(entry.Name(), ".txt"), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
})

func pairNamed(name string) (*pair, error) {
	all, err := pairs()
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(p *pair) bool { return p.name == name }); i >= 0 {
		return all[i], nil
	}
	return nil, fmt.Errorf("there is no pair %q", name)
}

var (
	guarded = regexp.MustCompile(`^((?:[ABM][0-3]*)+(?:,(?:[ABM][0-3]*)+)*)\|(.*)$`)
	guard   = regexp.MustCompile(`([ABM])([0-3]*)`)
)

// holds reports whether a line with this guard is in a tree of that state. "A12B0,M1" means: A is right or slips
// and there is no B; or there are both, and they are right together. A letter without digits: it is there.
func holds(cond string, s state) bool {
	for alternative := range strings.SplitSeq(cond, ",") {
		all := true
		for _, g := range guard.FindAllStringSubmatch(alternative, -1) {
			has, digits := byte('0'), g[2]
			switch g[1] {
			case "A", "B":
				has += byte(s.v[g[1][0]-'A'])
				if digits == "" {
					digits = "123"
				}
			default:
				if has = '-'; s.both() && s.join {
					has = '1'
				} else if s.both() {
					has = '0'
				}
				if digits == "" {
					digits = "01"
				}
			}
			all = all && strings.IndexByte(digits, has) >= 0
		}
		if all {
			return true
		}
	}
	return false
}

// render makes the text of a template for a state.
func render(text string, s state) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if m := guarded.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m == nil {
			b.WriteString(line)
		} else if holds(m[1], s) {
			b.WriteString(m[2] + "\n")
		}
	}
	return b.String()
}

// tree returns all files of a tree in this state.
func (p *pair) tree(s state) map[string]string {
	files := p.frame()
	for _, f := range p.files {
		files[f.name] = render(f.text, s)
	}
	for f, name := range features {
		if s.tested[f] {
			file, text := p.test(name)
			files[file] = text
		}
	}
	return files
}

// states lists every state of the files without tests, those that are right first.
var states = sync.OnceValue(func() []state {
	var all []state
	for a := range 4 {
		for b := range 4 {
			all = append(all, state{v: [2]int{a, b}, join: true})
			if a != absent && b != absent {
				all = append(all, state{v: [2]int{a, b}})
			}
		}
	}
	return all
})

// names lists the files that the features change.
func (p *pair) names() (all []string) {
	for _, f := range p.files {
		all = append(all, f.name)
	}
	return all
}
