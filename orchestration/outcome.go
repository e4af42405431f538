package orchestration

import "slices"

// Progress counts the steps of a plan. Replaced steps do not count at all, and skipped
// steps do not count as done.
type Progress struct {
	Done    int `json:"done"`
	Skipped int `json:"skipped"`
	Total   int `json:"total"`
}

// Left returns how many steps are neither done nor skipped.
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
		default: // not settled
		}
		p.Total++
	}
	return p
}

// QuestOutcome is the state of a quest's work so far, as data. outcome_words.go puts it
// into words.
type QuestOutcome struct {
	Progress
	// Known: the fields below are filled. The index of an older version has only the
	// progress, and nothing is known of a damaged quest.
	Known        bool          `json:"known"`
	SkippedSteps []SkippedStep `json:"skippedSteps,omitempty"`
	Checks       []StepCheck   `json:"checks,omitempty"`    // done steps whose check did not simply pass
	ByHand       []StepByHand  `json:"byHand,omitempty"`    // done steps that a person did, without Siegemaster
	NoSiege      []StepNoSiege `json:"noSiege,omitempty"`   // done steps that Siegemaster has not tested, by themselves or with the whole
	Besieged     bool          `json:"besieged,omitempty"`  // the complete work had a siege
	Errand       bool          `json:"errand,omitempty"`    // an errand that nobody reviewed
	Unchanged    bool          `json:"unchanged,omitempty"` // an errand that changed no file
	Whole        Checked       `json:"whole"`               // the check after the review of the whole
	Reviewed     bool          `json:"reviewed"`            // the review of the whole ended with a look that changed nothing
	Remarks      []Remark      `json:"remarks,omitempty"`
	Asked        int           `json:"asked"` // observables of the requirements
	NotCovered   []Covered     `json:"notCovered,omitempty"`
	Unproven     []NotProven   `json:"unproven,omitempty"`
	// RepoFiles are the files of RepoFolder that the quest changed. They count from the
	// next quest on, after the user has trusted them.
	RepoFiles []string `json:"repoFiles,omitempty"`
}

// SkippedStep is a step that the user skipped.
type SkippedStep struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	By     string `json:"by"`     // the user: nobody else can skip a step
	Reason string `json:"reason"` // empty: no reason was given
}

// StepByHand is a step that a person did, so that Siegemaster has not tested it.
type StepByHand struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	By    string `json:"by"` // who marked it done
}

// StepNoSiege is a step that is done and that no siege has tested, as the quest has it.
type StepNoSiege struct {
	ID    string  `json:"id"`
	Title string  `json:"title"`
	Why   NoSiege `json:"why"`
}

// NotProven is an observable that the verdict on a step did not prove.
type NotProven struct {
	Observable string     `json:"observable"`
	Step       string     `json:"step"`
	State      ProofState `json:"state"`         // unproven or later
	Why        string     `json:"why,omitempty"` // in the words of the role that judged
}

// StepCheck is a step that is done although its check did not plainly pass.
type StepCheck struct {
	ID      string  `json:"id"`
	Title   string  `json:"title"`
	Checked Checked `json:"checked"`
}

// Green reports whether every step is done, the check passed on each step and on the
// whole, the whole was reviewed unless the quest is an errand, and done steps cover every observable and prove it.
func (o QuestOutcome) Green() bool {
	return o.Known && o.Total > 0 && o.Done == o.Total && len(o.Checks) == 0 && len(o.ByHand) == 0 &&
		(o.Whole == CheckedPassed && o.Reviewed || o.Errand) && len(o.Remarks) == 0 && len(o.NotCovered) == 0 && len(o.Unproven) == 0 &&
		len(o.RepoFiles) == 0
}

// Outcome returns the state of the quest's work so far.
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
			if s.ByHand != "" {
				o.ByHand = append(o.ByHand, StepByHand{ID: s.ID, Title: s.name(), By: s.ByHand})
			}
			if why := q.NoSiege(s); why != "" && why != NoSiegeWhole {
				o.NoSiege = append(o.NoSiege, StepNoSiege{ID: s.ID, Title: s.name(), Why: why})
			}
			if c := q.Checked(s); c != CheckedPassed {
				o.Checks = append(o.Checks, StepCheck{ID: s.ID, Title: s.name(), Checked: c})
			}
		default: // replaced, or not settled
		}
	}
	if review := q.Step(StepReview); review != nil && q.Phase == PhaseComplete && review.Stage == StageDone {
		o.Remarks, o.Besieged = review.remarks(), review.Besieged != ""
		o.Whole, o.Reviewed = q.Checked(review), q.judged(review) &&
			!slices.ContainsFunc(o.Remarks, func(r Remark) bool { return r.Kind == remarkUnseen })
	}
	o.Errand, o.Unchanged = q.Phase == PhaseComplete && q.unreviewed(), q.Unchanged()
	for _, c := range q.Coverage() {
		if c.State == CoverageLost {
			continue
		}
		o.Asked++
		if c.State == CoverageSkipped || c.State == CoverageNone {
			o.NotCovered = append(o.NotCovered, c)
		}
	}
	o.RepoFiles = q.RepoFilesChanged()
	for _, p := range q.unproven() {
		o.Unproven = append(o.Unproven, NotProven{Observable: p.Observable.ID, Step: p.Step, State: p.State, Why: p.How})
	}
	return o
}

// Remark is something that the review ended with.
type Remark struct {
	Kind  RemarkKind `json:"kind"`
	N     int        `json:"n"`
	Names []string   `json:"names,omitempty"` // the findings; fewer than N if some changes have no name
}

// RemarkKind says what kind of remark it is.
type RemarkKind string

const (
	remarkUnseen    RemarkKind = "not-looked-at" // changed in the last round, and not looked at again
	remarkNotMended RemarkKind = "not-mended"    // found by the last look, and left
)

// RemarkKinds lists every kind of remark.
var RemarkKinds = []RemarkKind{remarkUnseen, remarkNotMended}

// remarks sums up the findings that were still open when the review ended.
func (s *Step) remarks() []Remark {
	var list []Remark
	for _, kind := range RemarkKinds {
		r := Remark{Kind: kind}
		for _, f := range s.Findings {
			if string(f.State) != string(kind) {
				continue
			}
			if r.N++; f.What != "" {
				r.Names = append(r.Names, firstLine(f.What))
			}
		}
		if r.N > 0 {
			list = append(list, r)
		}
	}
	return list
}

// judged reports whether the newest run that judged the step signalled complete. A run
// that handed over to another role instead gave no verdict.
func (q *Quest) judged(s *Step) bool {
	for n := q.Runs.Len() - 1; n >= 0 && s.Verdict; n-- {
		if r := q.Runs.At(n); r.Step == s.ID && r.Role.judges(s) && r.ReturnTo == "" && r.Signal != nil {
			return r.Signal.Kind == Complete
		}
	}
	return false
}

// name returns the step's title, or its id if it has no title.
func (s *Step) name() string {
	if blank(s.Title) {
		return s.ID
	}
	return s.Title
}

// Checked is the result of the project's check for the final work of a step.
type Checked string

const (
	CheckedPassed  Checked = "passed"  // it ran, and passed
	CheckedAsBase  Checked = "as-base" // it fails, but only with the accepted faults of the base
	CheckedNot     Checked = "no"      // there is no check command: nothing ran
	CheckedUnknown Checked = "unknown" // no pass is recorded
	CheckedNotYet  Checked = "not-yet" // the step has not come to a check, or has nothing to check
)

// CheckedWords lists every value of Checked.
var CheckedWords = []Checked{CheckedPassed, CheckedAsBase, CheckedNot, CheckedUnknown, CheckedNotYet}

// Checked returns the result of the check for a step that is done or about to be
// merged. For any other step it is CheckedNotYet.
func (q *Quest) Checked(s *Step) Checked {
	r := q.Run(s.Run)
	switch {
	case s.Stage != StageDone && s.Stage != StageMerge, s.Whole() && s.ID != StepReview:
		return CheckedNotYet
	case s.Checked == CheckedNot, !s.passed() && blank(q.Ward):
		return CheckedNot
	case !s.passed() || r == nil || r.Role != Ward || r.Outcome != OutcomeSignalled:
		return CheckedUnknown
	case s.Checked != "":
		return s.Checked
	case r.ExitCode != 0: // an older version recorded only the tree
		return CheckedAsBase
	}
	return CheckedPassed
}

// Coverage says how far an observable of the requirements has been built.
type Coverage string

const (
	CoverageOpen    Coverage = "open"        // no step with it has begun
	CoverageWorking Coverage = "in-progress" // a step with it has begun, or one of several is done
	CoverageBuilt   Coverage = "built"       // a step with it is done, and no other is left
	CoverageSkipped Coverage = "skipped"     // only skipped steps have it
	CoverageNone    Coverage = "not-covered" // no step has it, or none will do it any more
	// CoverageLost: a change of the requirements has removed it, and steps that had begun
	// have it.
	CoverageLost Coverage = "no-longer-asked"
)

// Covered is an observable and its state.
type Covered struct {
	Requirement string   `json:"requirement"`
	Observable  string   `json:"observable"`
	State       Coverage `json:"state"`
	Steps       []string `json:"steps,omitempty"` // the steps that State is about
	// Checked is the weakest result of the steps behind CoverageBuilt.
	Checked Checked `json:"checked,omitempty"`
	// Beside are further steps with this observable that were skipped or never
	// finished.
	Beside []string `json:"beside,omitempty"`
	// Why is PathSeeker's reason, if the plan leaves the observable out.
	Why string `json:"why,omitempty"`
}

// Whole reports whether all steps of the observable are done and checked.
func (c Covered) Whole() bool {
	return c.State == CoverageBuilt && c.Checked == CheckedPassed && len(c.Beside) == 0
}

// Coverage returns the state of each observable of the requirements, in their order, and
// after them those that are no longer asked.
// The review has those that it owns as a step has its own.
func (q *Quest) Coverage() []Covered {
	if q.Errand() { // requirements that are stored are from before it was one
		return nil
	}
	carriers := q.carriers()
	why := map[string]string{}
	for _, u := range q.Uncovered {
		why[u.Observable] = u.Why
	}
	var list []Covered
	for _, r := range q.Requirements {
		for _, o := range r.Observables {
			c := q.covered(carriers[o.ID])
			if w, out := why[o.ID]; out && len(carriers[o.ID]) == 0 {
				c = Covered{State: CoverageNone, Why: w}
			}
			c.Requirement, c.Observable = r.ID, o.ID
			list = append(list, c)
		}
	}
	for _, o := range q.NoLongerAsked() {
		if had := carriers[o.ID]; len(had) > 0 {
			list = append(list, Covered{Requirement: o.Requirement, Observable: o.ID, State: CoverageLost, Steps: idsOf(had)})
		}
	}
	return list
}

func idsOf(steps []*Step) []string {
	ids := make([]string, len(steps))
	for i, s := range steps {
		ids[i] = s.ID
	}
	return ids
}

// covered returns the state of an observable that these steps have.
func (q *Quest) covered(carriers []*Step) Covered {
	var done, skipped, begun, open []string
	least := CheckedPassed
	for _, s := range carriers {
		switch {
		case s.Stage == StageDone && s.Whole() && !q.judged(s): // the review, without a verdict
			begun = append(begun, s.ID)
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
