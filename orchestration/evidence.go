package orchestration

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Which evidence a verdict needs, and what is accepted as evidence
// (docs/state-machine.md#evidence). The server looks for tests and places in the step's
// tree; the rule stands here.

// Evidence says how an observable was proven, or why it was not.
type Evidence struct {
	Observable string       `json:"observable"`
	Kind       EvidenceKind `json:"kind"`
	How        string       `json:"how"`
}

// EvidenceKind says what How holds.
type EvidenceKind string

const (
	ByCommand EvidenceKind = "command"  // a command line with its exit code
	ByTest    EvidenceKind = "test"     // the name of a test that is in the tree
	ByPlace   EvidenceKind = "place"    // a file of the tree, and a line in it
	Unproven  EvidenceKind = "unproven" // it is not proven, and this is why
)

// EvidenceKinds lists every kind of evidence.
var EvidenceKinds = []EvidenceKind{ByCommand, ByTest, ByPlace, Unproven}

// EvidenceMost is the most characters that How may have.
const EvidenceMost = 1000

// Sought is what the server saw in the step's tree when it looked for a test or a place.
// The zero value says that nobody looked, so it counts as not found.
type Sought struct {
	Is  bool
	Why string // what is there instead; empty if it was found
}

// owesEvidence reports whether a signal of the run carries evidence: it is the complete of
// the role that judges the step, and no run waits for this one. In the review that is each
// look, for nobody knows yet which one is the last, and the siege of the whole work.
func (q *Quest) owesEvidence(r *Run, s Signal) bool {
	step := q.Step(r.Step)
	return step != nil && s.Kind == Complete && r.ReturnTo == "" && (r.Role.judges(step) || q.Besieges(r))
}

// ToProve returns the observables for which a run's complete must carry evidence: those
// of its step, if that signal is the verdict, and in the review those of steps that had no
// siege. One that a change of the requirements has
// removed is asked for, too: the next change may bring it back. An observable that no
// requirement ever had is not asked for.
func (q *Quest) ToProve(r *Run) []Observable {
	if !q.owesEvidence(r, Signal{Kind: Complete}) {
		return nil
	}
	texts := q.texts()
	var owed []Observable
	ids := q.toProve(r)
	for i, id := range ids {
		if text, asked := texts[id]; asked && !slices.Contains(ids[:i], id) {
			owed = append(owed, Observable{ID: id, Text: text})
		}
	}
	return owed
}

// texts returns the text of each observable that the requirements have or have had.
func (q *Quest) texts() map[string]string {
	texts := map[string]string{}
	for _, o := range q.NoLongerAsked() {
		texts[o.ID] = o.Text
	}
	for _, r := range q.Requirements {
		for _, o := range r.Observables {
			texts[o.ID] = o.Text
		}
	}
	return texts
}

// ToSeek returns what the server looks for in the step's tree before it answers a signal;
// nil if it need not look. It is the signal's evidence in its order, with the zero value
// for each piece that the tree does not decide: one of another kind, one with a fault, one
// that is not asked for, and the second one of an observable. So however much an agent
// sends, the server looks once for each observable that the run owes.
func (q *Quest) ToSeek(f SignalReceived) []Evidence {
	if q.readable() != nil {
		return nil
	}
	r := q.Run(f.Run)
	if r == nil || !r.Live() || r.Signal != nil {
		return nil
	}
	open := map[string]bool{}
	for _, o := range q.ToProve(r) {
		open[o.ID] = q.owesEvidence(r, f.Signal)
	}
	var seek []Evidence
	for i, e := range f.Signal.Evidence {
		if open[e.Observable] && e.inTree() {
			if seek == nil {
				seek = make([]Evidence, len(f.Signal.Evidence))
			}
			seek[i] = e
		}
		open[e.Observable] = false
	}
	return seek
}

// inTree reports whether the evidence names something that must be in the tree.
func (e Evidence) inTree() bool {
	return (e.Kind == ByTest || e.Kind == ByPlace) && e.fault() == ""
}

// checkEvidence refuses a complete whose evidence is not exactly what is asked for. One
// answer names all faults.
func checkEvidence(q *Quest, r *Run, f SignalReceived) error {
	faults := q.evidenceFaults(r, f)
	if len(faults) == 0 {
		return nil
	}
	err := invalid("the evidence has %d fault(s):\n- %s", len(faults), told(faults, "\n- "))
	if !q.owesEvidence(r, f.Signal) {
		err = invalid("%s", faults[0])
	}
	err.Told, err.Fields = true, map[string]string{"evidence": told(faults, "; ")}
	return err
}

func (q *Quest) evidenceFaults(r *Run, f SignalReceived) []string {
	given := f.Signal.Evidence
	if !q.owesEvidence(r, f.Signal) {
		if len(given) == 0 {
			return nil
		}
		return []string{"no evidence is asked of this run, because its complete is not the verdict on " + r.Step + ": leave evidence out"}
	}
	owed, texts, own := q.ToProve(r), q.texts(), q.toProve(r)
	var faults []string
	first := map[string]int{}
	for i, e := range given {
		before, twice := first[e.Observable]
		switch {
		case blank(e.Observable):
			faults = append(faults, fmt.Sprintf("evidence[%d]: observable is missing: send its id", i))
		case !slices.Contains(own, e.Observable):
			faults = append(faults, foreign(e.Observable, texts, r.Step))
		case twice:
			faults = append(faults, fmt.Sprintf("%s: it is there twice, in evidence[%d] and evidence[%d]: keep one", named(e.Observable, texts),
				before, i))
		default:
			first[e.Observable] = i
			if fault := e.faultIn(f.Found, i); fault != "" {
				faults = append(faults, named(e.Observable, texts)+": "+fault)
			}
		}
	}
	for _, o := range owed {
		if _, there := first[o.ID]; !there {
			faults = append(faults, named(o.ID, texts)+": its evidence is missing")
		}
	}
	return faults
}

// named names an observable with its text, if it is known.
func named(id string, texts map[string]string) string {
	if texts[id] == "" {
		return clip(id)
	}
	return fmt.Sprintf("%s (%s)", clip(id), firstLine(texts[id]))
}

func foreign(id string, texts map[string]string, step string) string {
	if _, asked := texts[id]; !asked {
		return fmt.Sprintf("%q: no requirement has this observable: leave it out", clip(id))
	}
	return fmt.Sprintf("%s: %s does not have this observable: leave it out", named(id, texts), step)
}

// faultIn returns what is wrong with the evidence at place i of a signal, or "".
func (e Evidence) faultIn(found []Sought, i int) string {
	if fault := e.fault(); fault != "" || !e.inTree() {
		return fault
	}
	saw := Sought{Why: "the server could not look into the step's tree"}
	if i < len(found) {
		saw = found[i]
	}
	switch {
	case saw.Is:
		return ""
	case e.Kind == ByTest:
		return fmt.Sprintf("the test %q is not in the tree: %s; %s", clip(e.How), saw.Why, howWords[ByTest])
	default:
		return fmt.Sprintf("the place %q is not in the tree: %s", clip(e.How), saw.Why)
	}
}

// howWords says what How must hold.
var howWords = map[EvidenceKind]string{
	ByCommand: `send the command with its exit code, such as "./greet --twice Ada: exit code 0"`,
	ByTest:    `send the name of the test alone, as it stands in the source, such as "TestTwice" or "tests/test_greet.py::test_twice"`,
	ByPlace:   `send a file and a line, such as "greet.go:12"`,
	Unproven:  "say why it is not proven",
}

// exitCode matches the exit code that the evidence of a command names.
var exitCode = regexp.MustCompile(`(?i)\bexit(ed)?( with)?( code| status)?[ :=]+\d{1,3}\b`)

// fault returns what is wrong with the form of the evidence, or "".
func (e Evidence) fault() string {
	if !slices.Contains(EvidenceKinds, e.Kind) {
		return fmt.Sprintf("the kind %q is not possible; allowed: %s", clip(string(e.Kind)), list(EvidenceKinds))
	}
	if n := utf8.RuneCountInString(e.How); n > EvidenceMost {
		return fmt.Sprintf("how has %d characters, and %d are possible: write what is longer into a file of the repository and send its place", n,
			EvidenceMost)
	}
	if blank(e.How) {
		return "how is empty: " + howWords[e.Kind]
	}
	ok := true
	switch e.Kind {
	case ByCommand:
		ok = exitCode.MatchString(e.How)
	case ByTest:
		_, _, ok = TestOf(e.How)
	case ByPlace:
		_, _, ok = PlaceOf(e.How)
	case Unproven:
	}
	if !ok {
		return fmt.Sprintf("how is %q: %s", clip(firstLine(e.How)), howWords[e.Kind])
	}
	return ""
}

// TestOf reads the evidence of a test: the file that the test is in, if How names it
// before "::", and the names under which the source may have it. Of a subtest
// ("TestTwice/of_two") the source has the name of its parent, of a nested one
// ("tests::greet::twice", "greet > twice") the last part.
func TestOf(how string) (file string, names []string, ok bool) {
	name := unquoted(how)
	if name == "" || strings.ContainsAny(name, "\n\r\x00") {
		return "", nil, false
	}
	if path, rest, named := strings.Cut(name, "::"); named && localPath(path) && strings.ContainsAny(path, "./") {
		file, name = path, strings.TrimSpace(rest)
	}
	names = []string{name}
	for _, between := range []string{"::", " > ", "#", " › "} {
		if at := strings.LastIndex(name, between); at >= 0 {
			names = append(names, strings.TrimSpace(name[at+len(between):]))
		}
	}
	last := names[len(names)-1]
	if at := strings.IndexByte(last, '['); at > 0 && strings.HasSuffix(last, "]") { // parameters of one case
		names = append(names, last[:at])
	}
	if parent, _, sub := strings.Cut(last, "/"); sub && goTest.MatchString(parent) {
		names = append(names, parent)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return len(n) < 3 })
	return file, names, len(names) > 0
}

// goTest matches a test of Go that may have subtests.
var goTest = regexp.MustCompile(`^(Test|Fuzz|Benchmark|Example)\w*$`)

// place matches FILE:LINE or FILE:LINE-LINE at the beginning of How. What follows is for
// readers.
var place = regexp.MustCompile(`^([^\n\r\x00]+?):([1-9]\d{0,8})([-:]\d+)?([\s,;:)].*)?$`)

// PlaceOf reads the evidence of a place.
func PlaceOf(how string) (file string, line int, ok bool) {
	first, _, _ := strings.Cut(unquoted(how), "\n")
	m := place.FindStringSubmatch(strings.TrimSpace(first))
	if m == nil {
		return "", 0, false
	}
	if _, err := fmt.Sscan(m[2], &line); err != nil {
		return "", 0, false
	}
	return strings.TrimPrefix(m[1], "./"), line, true
}

// unquoted removes the quotes that a model may put around a name.
func unquoted(how string) string {
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(how), "`\"'"))
}
