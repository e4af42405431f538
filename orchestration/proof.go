package orchestration

import "slices"

// Proof says whose verdict proved the observables of a step, and of which commit that
// is true. The run's signal has the evidence.
type Proof struct {
	Run string `json:"run"`
	// Commit is the state that was proven. Empty: it is not committed yet, or nothing is
	// committed (shared tree).
	Commit string `json:"commit,omitempty"`
	// Changed: a later commit has changed files of the step. ChangedIn is the first one,
	// if it is known.
	Changed   bool   `json:"changed,omitempty"`
	ChangedIn string `json:"changedIn,omitempty"`
}

// change records a later commit. The first such commit stays.
func (p *Proof) change(commit string) {
	if !p.Changed {
		p.Changed, p.ChangedIn = true, commit
	}
}

// forgetVerdict forgets that the step was found good, and what proved it: a later run judges
// it.
func (s *Step) forgetVerdict() { s.Verdict, s.Proof = false, nil }

// forgetSiege forgets the siege of the whole work, and what it proved: the review begins again.
func (s *Step) forgetSiege() { s.Besieged, s.SiegeProof = "", nil }

// reprove changes what proves the step: a copy, for a stored one is shared.
func (e *edit) reprove(step string, change func(*Proof)) {
	if s := e.q.Step(step); s.Proof == nil && s.SiegeProof == nil {
		return
	}
	s := e.step(step)
	for _, p := range []**Proof{&s.Proof, &s.SiegeProof} {
		if *p != nil {
			own := **p
			change(&own)
			*p = &own
		}
	}
}

// noteProof records the commit of a run's work: the commit of the verdict, or a later
// one that changed what was proven.
func (e *edit) noteProof(r *Run, x Exit) {
	e.reprove(r.Step, func(p *Proof) {
		switch {
		case p.Run == r.ID && x.Tip != "":
			p.Commit = x.Tip
		case p.Run != r.ID && len(x.Changed) > 0 && (x.Tip == "" || x.Tip != p.Commit):
			p.change(x.Tip)
		}
	})
}

// noteMerged records for the steps that were merged before that another step's merge
// has changed files of theirs. The review is about all files.
func (e *edit) noteMerged(step, commit string) {
	changed := e.q.Step(step).Changed
	if len(changed) == 0 {
		return
	}
	for _, s := range e.q.Steps.All() {
		if s.ID != step && s.Stage == StageDone && s.touched(changed) {
			e.reprove(s.ID, func(p *Proof) { p.change(commit) })
		}
	}
	if step != StepReview {
		e.reprove(StepReview, func(p *Proof) { p.change(commit) })
	}
}

// noteFolded names the commit of the quest's branch where a proof or a finding names one
// that was folded into it: people find only that one in their repository. A proof stays
// where it was if files of its step have changed since.
func (e *edit) noteFolded(f MergeEnded) {
	if len(f.Folded) == 0 {
		return
	}
	e.reprove(f.Step, func(p *Proof) {
		if !p.Changed && slices.Contains(f.Folded, p.Commit) {
			p.Commit = f.Commit
		}
		if slices.Contains(f.Folded, p.ChangedIn) {
			p.ChangedIn = f.Commit
		}
	})
	review := e.q.Step(StepReview)
	if review == nil || !slices.ContainsFunc(review.Findings, func(found Finding) bool { return slices.Contains(f.Folded, found.Commit) }) {
		return
	}
	list := slices.Clone(review.Findings)
	for i, found := range list {
		if slices.Contains(f.Folded, found.Commit) {
			list[i].Commit = f.Commit
		}
	}
	e.step(StepReview).Findings = list
}

// noteUpdated records that the quest's branch was merged into the step's, with changes
// of these files.
func (e *edit) noteUpdated(step string, files []string, commit string) {
	s := e.q.Step(step)
	if len(files) > 0 && (s.Whole() || s.touched(files)) {
		e.reprove(step, func(p *Proof) { p.change(commit) })
	}
}

// touched reports whether one of the files is the step's: declared, or changed by it.
func (s *Step) touched(files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool { return slices.Contains(s.Files, f) || slices.Contains(s.Changed, f) })
}

// ProofState says how far an observable is proven at one of its steps.
type ProofState string

const (
	ProofGiven    ProofState = "proven"
	ProofUnproven ProofState = "unproven" // the verdict says that it is not, and why

	// The states below are gaps: there is no evidence.
	ProofOpen    ProofState = "open"    // there is no verdict yet
	ProofByHand  ProofState = "by-hand" // a person marked the step done: nobody tested it
	ProofSkipped ProofState = "skipped" // the step was skipped
	ProofLeft    ProofState = "left"    // the review ended with a hand-over, not with a verdict
	ProofBefore  ProofState = "before"  // unknown: the verdict is from before evidence was asked
	ProofLater   ProofState = "later"   // the step was given the observable after its verdict
	ProofNowhere ProofState = "nowhere" // no step has it
)

// ProofStates lists every state.
var ProofStates = []ProofState{ProofGiven, ProofUnproven, ProofOpen, ProofByHand, ProofSkipped, ProofLeft, ProofBefore, ProofLater,
	ProofNowhere}

// Gap reports whether there is no evidence.
func (s ProofState) Gap() bool { return s != ProofGiven && s != ProofUnproven }

// Proven is an observable of the requirements, a step that has it, and the evidence
// there.
type Proven struct {
	Requirement string
	Observable  Observable
	Step        string // "": no step has it
	State       ProofState
	Kind        EvidenceKind // "" in a gap
	How         string
	Proof       Proof // of which commit it is true; zero in a gap
	// By is who proved it in the review, because the step had no siege; "": its own
	// verdict, or a gap.
	By Role
}

// Evidence returns for each observable of the requirements, in their order, what every
// step that has it proved. Replaced steps do not count.
func (q *Quest) Evidence() []Proven {
	if q.Errand() { // requirements that are stored are from before it was one
		return nil
	}
	carriers, atEnd := q.carriers(), q.provenAtEnd()
	var all []Proven
	for _, r := range q.Requirements {
		for _, o := range r.Observables {
			if len(carriers[o.ID]) == 0 {
				all = append(all, Proven{Requirement: r.ID, Observable: o, State: ProofNowhere})
			}
			for _, s := range carriers[o.ID] {
				p := q.proven(s, o.ID, atEnd)
				p.Requirement, p.Observable, p.Step = r.ID, o, s.ID
				all = append(all, p)
			}
		}
	}
	return all
}

// ProofCounts counts the observables of the requirements by what is proven of them. If
// several steps have one, the least counts.
type ProofCounts struct {
	All      int
	Proven   int // by every step that has it
	Changed  int // of those: files of a step have changed since
	Unproven int // a verdict says that it is not proven
	Missing  int // a step has no evidence of it
}

// ProofCounts counts what Evidence lists.
func (q *Quest) ProofCounts() ProofCounts {
	var c ProofCounts
	least := map[string]Proven{}
	rank := func(p Proven) int {
		switch {
		case p.State.Gap():
			return 0
		case p.State == ProofUnproven:
			return 1
		case p.Proof.Changed:
			return 2
		}
		return 3
	}
	for _, p := range q.Evidence() {
		if before, met := least[p.Observable.ID]; !met || rank(p) < rank(before) {
			least[p.Observable.ID] = p
		}
	}
	for _, p := range least {
		c.All++
		switch rank(p) {
		case 0:
			c.Missing++
		case 1:
			c.Unproven++
		case 2:
			c.Changed++
			fallthrough
		default:
			c.Proven++
		}
	}
	return c
}

// carriers returns the steps that have each observable: the review, and the steps of the
// plan that were not replaced.
func (q *Quest) carriers() map[string][]*Step {
	carriers := map[string][]*Step{}
	add := func(s *Step) {
		for _, o := range s.Observables {
			if !slices.Contains(carriers[o], s) {
				carriers[o] = append(carriers[o], s)
			}
		}
	}
	if review := q.Step(StepReview); review != nil {
		add(review)
	}
	for _, s := range q.Steps.All() {
		if s.Stage != StageSuperseded {
			add(s)
		}
	}
	return carriers
}

// proven returns what a step proved of an observable. For one that had no siege the review
// did.
func (q *Quest) proven(s *Step, observable string, atEnd map[string]Proven) Proven {
	judge := s
	if p, is := atEnd[observable]; s.unbesieged() && is {
		return p
	} else if s.unbesieged() {
		judge = q.Step(StepReview)
	}
	switch {
	case s.Stage == StageSkipped:
		return Proven{State: ProofSkipped}
	case s.ByHand != "":
		return Proven{State: ProofByHand}
	case judge == nil || !judge.Verdict:
		return Proven{State: ProofOpen}
	case judge.Proof == nil && q.judged(judge):
		return Proven{State: ProofBefore}
	case judge.Proof == nil:
		return Proven{State: ProofLeft}
	}
	r := q.Run(judge.Proof.Run)
	if r == nil || r.Signal == nil { // a quest that was made up
		return Proven{State: ProofBefore}
	}
	for _, e := range r.Signal.Evidence {
		if e.Observable == observable {
			return evident(e, *judge.Proof)
		}
	}
	return Proven{State: ProofLater}
}

// unproven returns the observables of done steps that the verdict did not prove. A gap
// that the outcome names by another word, such as a step that was done by hand, is not
// among them, and neither is what older versions did not ask for.
func (q *Quest) unproven() []Proven {
	var list []Proven
	for _, p := range q.Evidence() {
		if s := q.Step(p.Step); s != nil && s.Stage == StageDone && (p.State == ProofUnproven || p.State == ProofLater) {
			list = append(list, p)
		}
	}
	return list
}
