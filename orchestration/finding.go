package orchestration

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Found is one thing that Lawbringer reports with its signal.
type Found struct {
	What  string `json:"what"`
	Where string `json:"where,omitempty"` // a file and line, or another place; in Lawbringer's words
}

// Finding is one thing that a look of the review found, and what became of it.
type Finding struct {
	What  string       `json:"what,omitempty"` // "": Lawbringer did not name what was changed after its look
	Where string       `json:"where,omitempty"`
	Run   string       `json:"run,omitempty"` // whose look it was; "": the user's comment, or an older version kept only the text
	State FindingState `json:"state"`
	By    string       `json:"by,omitempty"` // the run that mended it; "": nobody did, or it is not known
	// the commit of that run, or the one that it was folded into; "": in a shared folder nothing is committed
	Commit string   `json:"commit,omitempty"`
	Steps  []string `json:"steps,omitempty"` // the steps that were planned for it
}

// FindingState says what became of a finding.
type FindingState string

const (
	FindingOpen      FindingState = "open"          // it is being mended
	FindingMended    FindingState = "mended"        // the tree changed, and Lawbringer looked again
	FindingUnchanged FindingState = "unchanged"     // nothing was changed for it, and Lawbringer looked again
	FindingUnseen    FindingState = "not-looked-at" // the tree changed in the last round, and nobody looked again
	FindingStands    FindingState = "not-mended"    // the review ended with it
)

// FindingStates lists every state of a finding.
var FindingStates = []FindingState{FindingOpen, FindingMended, FindingUnchanged, FindingUnseen, FindingStands}

// UnmarshalJSON also reads what an older version stored: the text alone, of findings for
// which steps were planned.
func (f *Finding) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		*f = Finding{State: FindingMended}
		return json.Unmarshal(raw, &f.What)
	}
	type plain Finding
	return json.Unmarshal(raw, (*plain)(f))
}

// The most that one signal may report.
const (
	findingsMost    = 50
	findingMost     = 2000 // characters of Found.What
	findingPlaceMax = 300  // characters of Found.Where
)

// checkFindings refuses findings of a run that is no look, and those that say nothing or
// too much.
func checkFindings(q *Quest, r *Run, found []Found) error {
	if len(found) == 0 {
		return nil
	}
	if !q.Looks(r) {
		return invalid("findings are for Lawbringer's own look at the whole work: leave findings out, and write what you found into summary " +
			"or context")
	}
	var faults []string
	if len(found) > findingsMost {
		faults = append(faults, fmt.Sprintf("at most %d are possible, and these are %d: put those that belong together into one", findingsMost,
			len(found)))
	}
	for i, f := range found[:min(len(found), findingsMost)] {
		if blank(f.What) {
			faults = append(faults, fmt.Sprintf("findings[%d].what is missing or empty", i))
		}
		if n := utf8.RuneCountInString(f.What); n > findingMost {
			faults = append(faults, fmt.Sprintf("findings[%d].what has %d characters, and %d are possible", i, n, findingMost))
		}
		if n := utf8.RuneCountInString(f.Where); n > findingPlaceMax {
			faults = append(faults, fmt.Sprintf("findings[%d].where has %d characters, and %d are possible", i, n, findingPlaceMax))
		}
	}
	if len(faults) > 0 {
		return invalid("the findings have %d fault(s): %s", len(faults), told(faults, "; "))
	}
	return nil
}

// findingsOf lists what a look found: what its signal names, else the reason of its
// hand-over.
func findingsOf(r *Run, s Signal, state FindingState) []Finding {
	found := s.Findings
	if len(found) == 0 && s.Kind == NeedsRoleFollowup {
		what := []rune(s.Reason + ": " + s.Context)
		found = []Found{{What: string(what[:min(len(what), findingMost)])}}
	}
	var list []Finding
	for _, f := range found {
		list = append(list, Finding{What: strings.TrimSpace(f.What), Where: strings.TrimSpace(f.Where), Run: r.ID, State: state})
	}
	return list
}

// nameless: nobody looked at a change of the last round, and nobody named it either.
func (f Finding) nameless() bool { return f.What == "" && f.State == FindingOpen }

// closeFindings moves findings to another state, and notes who mended them.
func (e *edit) closeFindings(to FindingState, from ...FindingState) {
	step := e.step(StepReview)
	list := slices.Clone(step.Findings)
	for i, f := range list {
		if !slices.Contains(from, f.State) {
			continue
		}
		if to == FindingMended && len(f.Steps) > 0 && !slices.ContainsFunc(f.Steps, e.q.built) {
			list[i].State = FindingUnchanged
			continue
		}
		if list[i].State = to; f.By == "" && len(f.Steps) == 0 && to != FindingUnchanged && to != FindingStands {
			list[i].By, list[i].Commit = e.q.mender(f)
		}
	}
	step.Findings = list
}

// closeUntouched closes findings for which no steps were planned, if nobody who could mend
// them has begun.
func (e *edit) closeUntouched(from FindingState) {
	step := e.step(StepReview)
	list := slices.Clone(step.Findings)
	for i, f := range list {
		if f.State == from && len(f.Steps) == 0 && len(e.q.menders(f)) == 0 {
			list[i].State = FindingUnchanged
		}
	}
	step.Findings = list
}

// built reports whether the step, or one that replaced it, is done.
func (q *Quest) built(step string) bool {
	s := q.Step(step)
	return s != nil && (s.Stage == StageDone || slices.ContainsFunc(s.ReplacedBy, q.built))
}

// menders returns the runs that worked on the review's tree after a finding. The look
// itself counts if it completed and left nothing: then it mended what it names.
func (q *Quest) menders(f Finding) []*Run {
	found := q.Run(f.Run)
	if found == nil {
		return nil
	}
	var list []*Run
	for n := found.N; n < q.Runs.Len(); n++ {
		r := q.Runs.At(n)
		worked := !r.StartedAt.IsZero()
		if n == found.N {
			worked = f.State != FindingStands && r.Signal != nil && r.Signal.Kind == Complete
		}
		if r.Step == StepReview && r.Role.Writes() && worked {
			list = append(list, r)
		}
	}
	return list
}

// mender returns the run that changed the review's tree first after a finding, and its
// commit.
func (q *Quest) mender(f Finding) (run, commit string) {
	first := ""
	for _, r := range q.menders(f) {
		if r.Commit != "" {
			return r.ID, r.Commit
		}
		if first == "" {
			first = r.ID
		}
	}
	if q.Workspace == WorkspaceShared { // nothing is committed there
		return first, ""
	}
	return "", ""
}

// listed joins findings as one text, for the history.
func listed(found []Found) string {
	lines := make([]string, len(found))
	for i, f := range found {
		if lines[i] = f.What; f.Where != "" {
			lines[i] = f.Where + ": " + f.What
		}
	}
	return strings.Join(lines, "\n")
}
