package orchestration

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// slug is the form of a step's or requirement's id.
var slug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// maxID is the longest id, in bytes: it becomes part of branch names and URLs.
const maxID = 64

// checkPlan returns every fault of a plan in the order of its steps. Cycles come last,
// each printed as its path (docs/state-machine.md#plans-and-re-splits). The steps in old
// keep their ids: a plan of an older version may have one that is reserved today.
func checkPlan(steps []PlanStep, old ...string) []string {
	var faults []string
	if len(steps) == 0 {
		return []string{"a plan needs at least one step"}
	}
	seen := map[string]bool{}
	for i, s := range steps {
		name := clip(s.ID)
		if !slices.Contains(old, s.ID) {
			faults = append(faults, checkID(s.ID, i)...)
		}
		if name == "" {
			name = fmt.Sprintf("step %d", i+1)
		}
		seen[s.ID] = true
		faults = append(faults, checkContent(name, s)...)
	}
	faults = append(faults, usedTwice(steps)...)
	for _, s := range steps {
		name := clip(s.ID)
		for i, d := range s.DependsOn {
			switch {
			case d == s.ID:
				faults = append(faults, fmt.Sprintf("%s: depends on itself", name))
			case !seen[d]:
				faults = append(faults, fmt.Sprintf("%s: depends on %q, which is no step", name, clip(d)))
			case slices.Contains(s.DependsOn[:i], d):
				faults = append(faults, fmt.Sprintf("%s: names the dependency %s twice", name, clip(d)))
			}
		}
	}
	for _, c := range cycles(steps) {
		faults = append(faults, "cycle: "+pathOf(c))
	}
	return faults
}

// reserved are the ids that no step of a plan may have.
var reserved = append(slices.Clone(QuestWideSteps), StepErrand)

// reservedOf returns the ids of steps that a plan could not have today.
func (q *Quest) reservedOf() (old []string) {
	for _, id := range reserved {
		if _, is := q.index.byID[id]; is {
			old = append(old, id)
		}
	}
	return old
}

// nothingToReplace is the fault of a step that replaces one in a plan that no other
// precedes.
const nothingToReplace = "there is no step to replace: this plan is no re-split; leave it out"

// checkFirstPlan returns every fault of a plan that no other precedes.
func checkFirstPlan(steps []PlanStep) []string {
	faults := checkPlan(steps)
	for i, s := range steps {
		if s.Replaces == "" {
			continue
		}
		name := clip(s.ID)
		if name == "" {
			name = fmt.Sprintf("step %d", i+1)
		}
		faults = append(faults, fmt.Sprintf("%s: replaces %q: %s", name, clip(s.Replaces), nothingToReplace))
	}
	return faults
}

// pathOf prints a cycle. Of a very long one it prints only the beginning and the end.
func pathOf(cycle []string) string {
	if cut := len(cycle) - mostFaults; cut > 0 {
		cycle = slices.Concat(cycle[:mostFaults-1], []string{fmt.Sprintf("(%d more)", cut)}, cycle[len(cycle)-1:])
	}
	words := make([]string, len(cycle))
	for i, id := range cycle {
		words[i] = clip(id)
	}
	return strings.Join(words, " -> ")
}

// usedTwice returns the ids that two steps of one list share.
func usedTwice(steps []PlanStep) []string {
	var faults []string
	seen := map[string]bool{}
	for _, s := range steps {
		if seen[s.ID] && s.ID != "" {
			faults = append(faults, clip(s.ID)+": the id is used twice")
		}
		seen[s.ID] = true
	}
	return faults
}

// mostFaults and mostCycles limit the length of the answer to a bad plan. Otherwise a
// hostile plan of 1 MiB could cause an answer of gigabytes.
const (
	mostFaults = 100
	mostCycles = 10
)

// clip shortens a text from an agent so that it fits into a sentence.
func clip(s string) string {
	if r := []rune(s); len(r) > 2*maxID {
		return string(r[:2*maxID-1]) + "…"
	}
	return s
}

// told joins the first mostFaults faults to one text.
func told(faults []string, between string) string {
	if more := len(faults) - mostFaults; more > 0 {
		faults = append(slices.Clone(faults[:mostFaults]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(faults, between)
}

func checkID(id string, i int) []string {
	switch {
	case id == "":
		return []string{fmt.Sprintf("step %d: the id is missing", i+1)}
	case slices.Contains(reserved, id):
		return []string{fmt.Sprintf("%s: the id is reserved (%s)", id, strings.Join(reserved, ", "))}
	case len(id) > maxID || !slug.MatchString(id):
		return []string{fmt.Sprintf("%q: an id is lower-case letters, digits and single dashes, at most %d", clip(id), maxID)}
	}
	return nil
}

func checkContent(name string, s PlanStep) []string {
	var faults []string
	if blank(s.Title) {
		faults = append(faults, name+": the title is missing")
	}
	if s.Minutes < 0 {
		faults = append(faults, name+": minutes is negative")
	}
	switch {
	case s.Risk != "" && !slices.Contains(Risks, s.Risk):
		faults = append(faults, fmt.Sprintf("%s: the risk %q is not possible; allowed: %s", name, clip(string(s.Risk)), list(Risks)))
	case s.Risk != "" && s.Risk != RiskNormal && blank(s.RiskReason):
		faults = append(faults, fmt.Sprintf("%s: the risk is %s: say why in riskReason", name, s.Risk))
	}
	for _, f := range s.Files {
		if !localPath(f) {
			faults = append(faults, fmt.Sprintf("%s: the file %q is not a path inside the repository", name, clip(f)))
		}
	}
	return faults
}

// localPath reports whether f is a clean relative path that stays inside.
func localPath(f string) bool {
	return f != "" && f != "." && !strings.ContainsAny(f, "\x00\n\\") && !path.IsAbs(f) &&
		path.Clean(f) == strings.TrimSuffix(f, "/") && f != ".." && !strings.HasPrefix(f, "../")
}

// cycles returns one path for each cycle that a depth-first walk meets, at most
// mostCycles. Each path is closed: a, b, a. Self-dependencies are reported elsewhere.
func cycles(steps []PlanStep) [][]string {
	deps := map[string][]string{} // two steps with the same id share one entry
	for _, s := range steps {
		deps[s.ID] = append(deps[s.ID], s.DependsOn...)
	}
	const (
		fresh = iota
		open
		closed
	)
	var found [][]string
	state := map[string]int{}
	var trail []string
	var walk func(id string)
	walk = func(id string) {
		state[id] = open
		trail = append(trail, id)
		for _, d := range deps[id] {
			if _, ok := deps[d]; !ok || d == id {
				continue
			}
			switch state[d] {
			case fresh:
				walk(d)
			case open:
				if len(found) == mostCycles {
					continue
				}
				at := slices.Index(trail, d)
				found = append(found, append(slices.Clone(trail[at:]), d))
			}
		}
		trail = trail[:len(trail)-1]
		state[id] = closed
	}
	for _, s := range steps {
		if state[s.ID] == fresh {
			walk(s.ID)
		}
	}
	return found
}

// planFault returns the refusal of a plan, with all faults in one answer.
func planFault(faults []string) *Error {
	err := invalid("the plan has %d fault(s):\n- %s", len(faults), told(faults, "\n- "))
	err.Told, err.Fields = true, map[string]string{"steps": told(faults, "; ")}
	return err
}

// checkRequirements returns every fault of a list of requirements.
func checkRequirements(reqs []Requirement) []string {
	var faults []string
	if len(reqs) == 0 {
		return []string{"at least one requirement is needed"}
	}
	ids, observables := map[string]bool{}, map[string]bool{}
	for i, r := range reqs {
		name := clip(r.ID)
		if name == "" {
			name = fmt.Sprintf("requirement %d", i+1)
			faults = append(faults, name+": the id is missing")
		}
		if r.ID != "" && ids[r.ID] {
			faults = append(faults, name+": the id is used twice")
		}
		ids[r.ID] = true
		if blank(r.Context) {
			faults = append(faults, name+": the context is missing")
		}
		if len(r.Observables) == 0 {
			faults = append(faults, name+": at least one observable is needed")
		}
		for j, o := range r.Observables {
			if o.ID == "" || blank(o.Text) {
				faults = append(faults, fmt.Sprintf("%s: observable %d needs an id and a text", name, j+1))
			}
			if o.ID != "" && observables[o.ID] {
				faults = append(faults, fmt.Sprintf("%s: the observable %s is there twice", name, clip(o.ID)))
			}
			observables[o.ID] = true
		}
	}
	return faults
}
