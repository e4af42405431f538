package orchestration

import "slices"

// Progress counts the steps of a plan. Steps that were replaced count nowhere,
// and a step that was skipped is not done.
type Progress struct {
	Done    int `json:"done"`
	Skipped int `json:"skipped"`
	Total   int `json:"total"`
}

// Left is how many steps are neither done nor skipped.
func (p Progress) Left() int { return p.Total - p.Done - p.Skipped }

// Progress counts the steps of the quest.
func (q *Quest) Progress() Progress {
	var p Progress
	for _, s := range q.Steps.All() {
		switch s.Stage {
		case StageSuperseded:
			continue
		case StageDone:
			p.Done++
		case StageSkipped:
			p.Skipped++
		}
		p.Total++
	}
	return p
}

// QuestOutcome is what became of a quest's work so far, as data. The words for it
// are in outcome_words.go.
type QuestOutcome struct {
	Progress
	// Known: the fields below are. The index of an older version has the
	// progress alone, and of a damaged quest nothing is known.
	Known        bool          `json:"known"`
	SkippedSteps []SkippedStep `json:"skippedSteps,omitempty"`
	Checks       []StepCheck   `json:"checks,omitempty"` // of steps that are done and did not simply pass
	Whole        Checked       `json:"whole"`            // the check of the whole, after the review
	Reviewed     bool          `json:"reviewed"`         // the review of the whole ended with Lawbringer's verdict
	Asked        int           `json:"asked"`            // observables of the requirements
	NotCovered   []Covered     `json:"notCovered,omitempty"`
}

// SkippedStep is a step that the user skipped.
type SkippedStep struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	By     string `json:"by"`     // only the user can skip a step
	Reason string `json:"reason"` // empty: none was given
}

// StepCheck is a step that is done without a plain pass of the check.
type StepCheck struct {
	ID      string  `json:"id"`
	Title   string  `json:"title"`
	Checked Checked `json:"checked"`
}

// Green reports whether every step is done, the check passed on each of them and
// on the whole, the whole was reviewed, and every observable is in a step that
// is done.
func (o QuestOutcome) Green() bool {
	return o.Known && o.Total > 0 && o.Done == o.Total && len(o.Checks) == 0 &&
		o.Whole == CheckedPassed && o.Reviewed && len(o.NotCovered) == 0
}

// Outcome says what became of the quest's work so far.
func (q *Quest) Outcome() QuestOutcome {
	o := QuestOutcome{Progress: q.Progress(), Known: !q.Damaged(), Whole: CheckedNotYet}
	if !o.Known {
		return o
	}
	for _, s := range q.Steps.All() {
		switch s.Stage {
		case StageSkipped:
			o.SkippedSteps = append(o.SkippedSteps, SkippedStep{ID: s.ID, Title: s.name(), By: "user", Reason: s.Reason})
		case StageDone:
			if c := q.Checked(s); c != CheckedPassed {
				o.Checks = append(o.Checks, StepCheck{ID: s.ID, Title: s.name(), Checked: c})
			}
		}
	}
	if review := q.Line(LineReview); review != nil && q.Phase == PhaseComplete && review.Stage == StageDone {
		o.Whole, o.Reviewed = q.Checked(review), q.judged(review, Lawbringer)
	}
	for _, c := range q.Coverage() {
		o.Asked++
		if c.State == CoverageSkipped || c.State == CoverageNone {
			o.NotCovered = append(o.NotCovered, c)
		}
	}
	return o
}

// judged reports whether the newest run of the role that answered for the line
// itself said complete: who hands over instead has given no verdict.
func (q *Quest) judged(s *Step, by Role) bool {
	for n := q.Runs.Len() - 1; n >= 0 && s.Verdict; n-- {
		if r := q.Runs.At(n); r.Line == s.ID && r.Role == by && r.ReturnTo == "" && r.Signal != nil {
			return r.Signal.Kind == Complete
		}
	}
	return false
}

// name is what a person calls the step.
func (s *Step) name() string {
	if blank(s.Title) {
		return s.ID
	}
	return s.Title
}

// Checked says what the project's check had to say of a line's work as it
// stands in the end.
type Checked string

const (
	CheckedPassed  Checked = "passed"  // it ran, and passed
	CheckedAsBase  Checked = "as-base" // it fails, over nothing but what was accepted of the base
	CheckedNot     Checked = "no"      // there is no check command: nothing ran
	CheckedUnknown Checked = "unknown" // no pass is recorded
	CheckedNotYet  Checked = "not-yet" // the line is not that far, or has nothing to check
)

// Checked says what the check had to say of a line that is done or about to be
// merged.
func (q *Quest) Checked(s *Step) Checked {
	r := q.Run(s.Run)
	switch {
	case s.Stage != StageDone && s.Stage != StageMerge, s.ID == LineRequirements, s.ID == LinePlan:
		return CheckedNotYet
	case s.Checked == CheckedNot, !s.passed() && blank(q.Ward):
		return CheckedNot
	case !s.passed() || r == nil || r.Role != Ward || r.Outcome != OutcomeSignalled:
		return CheckedUnknown
	case s.Checked != "":
		return s.Checked
	case r.ExitCode != 0: // an older version noted the tree alone
		return CheckedAsBase
	}
	return CheckedPassed
}

// Coverage says what becomes of an observable of the requirements.
type Coverage string

const (
	CoverageOpen    Coverage = "open"        // nobody has begun with it
	CoverageWorking Coverage = "in-progress" // a step that has begun has it, or one of several is done
	CoverageBuilt   Coverage = "built"       // a step that has it is done, and none is still to come
	CoverageSkipped Coverage = "skipped"     // only steps that were skipped have it
	CoverageNone    Coverage = "not-covered" // no step has it, or nobody will do it any more
)

// Covered is an observable and where it stands.
type Covered struct {
	Requirement string   `json:"requirement"`
	Observable  string   `json:"observable"`
	State       Coverage `json:"state"`
	Steps       []string `json:"steps,omitempty"` // those that State speaks of
	// Checked is the least that can be said of the steps of CoverageBuilt.
	Checked Checked `json:"checked,omitempty"`
	// Beside are steps that have it, too, and were skipped or came to no end.
	Beside []string `json:"beside,omitempty"`
}

// Coverage says where each observable of the requirements stands, in their
// order.
func (q *Quest) Coverage() []Covered {
	carriers := map[string][]*Step{}
	for _, s := range q.Steps.All() {
		if s.Stage == StageSuperseded {
			continue
		}
		for _, o := range s.Observables {
			if !slices.Contains(carriers[o], s) {
				carriers[o] = append(carriers[o], s)
			}
		}
	}
	var list []Covered
	for _, r := range q.Requirements {
		for _, o := range r.Observables {
			c := q.covered(carriers[o.ID])
			c.Requirement, c.Observable = r.ID, o.ID
			list = append(list, c)
		}
	}
	return list
}

// covered says where an observable stands that these steps have.
func (q *Quest) covered(carriers []*Step) Covered {
	var done, skipped, begun, open []string
	least := CheckedPassed
	for _, s := range carriers {
		switch {
		case s.Stage == StageDone:
			done = append(done, s.ID)
			if c := q.Checked(s); c != CheckedPassed {
				least = c
			}
		case s.Stage == StageSkipped:
			skipped = append(skipped, s.ID)
		case s.Started:
			begun = append(begun, s.ID)
		default:
			open = append(open, s.ID)
		}
	}
	inForce := q.Phase != PhaseRequirements && q.Phase != PhasePlan
	switch left := len(begun) + len(open); {
	case len(done) > 0 && (left == 0 || q.Over()):
		return Covered{State: CoverageBuilt, Steps: done, Checked: least, Beside: slices.Concat(skipped, begun, open)}
	case left > 0 && q.Over():
		return Covered{State: CoverageNone, Steps: slices.Concat(begun, open)}
	case left > 0 && len(done)+len(begun) > 0:
		return Covered{State: CoverageWorking, Steps: slices.Concat(begun, open)}
	case left > 0:
		return Covered{State: CoverageOpen, Steps: open}
	case len(skipped) > 0:
		return Covered{State: CoverageSkipped, Steps: skipped}
	case inForce || q.Over():
		return Covered{State: CoverageNone}
	}
	return Covered{State: CoverageOpen}
}
