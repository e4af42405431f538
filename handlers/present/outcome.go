package present

import (
	"fmt"
	"strings"

	"questboard/orchestration"
	"questboard/views"
)

// outcome is the result of the quest so far.
func (p *Quest) outcome() orchestration.QuestOutcome {
	if p.ended != nil {
		return p.ended.Outcome
	}
	if p.known == nil {
		o := p.q.Outcome()
		p.known = &o
	}
	return *p.known
}

// progress counts the quest's steps.
func (p *Quest) progress() orchestration.Progress {
	if p.ended != nil {
		return p.ended.Outcome.Progress
	}
	return p.q.Progress()
}

// questWhy says why the quest is in its state.
func (p *Quest) questWhy() string {
	if p.ended != nil {
		return p.ended.Why()
	}
	return orchestration.JoinReasons(p.q.Reasons(p.Now, p.Holds), p.reasonWords)
}

// reasonWords words a reason for this visitor. Nothing waits for a guest.
func (p *Quest) reasonWords(r orchestration.QuestReason) string {
	if !p.guest() {
		return r.Words()
	}
	switch r.Kind {
	case orchestration.ReasonRequirements:
		return "the requirements wait for approval"
	case orchestration.ReasonPlan:
		return "the plan waits for approval"
	case orchestration.ReasonSize:
		return r.Text + ": this waits for approval"
	case orchestration.ReasonQuestions:
		return views.Count(r.N, "question waits", "questions wait") + " for an answer"
	case orchestration.ReasonBlocked:
		return views.Count(r.N, "blocked step waits", "blocked steps wait") + " for a decision"
	default:
		return r.Words()
	}
}

// completeState is the badge of a complete quest. It is green only if the whole outcome
// is.
func completeState(o orchestration.QuestOutcome) views.State {
	switch {
	case o.Green() && o.Errand:
		return views.State{Class: "good", Icon: "✓", Words: "Complete, not reviewed"}
	case o.Green():
		return views.State{Class: "good", Icon: "✓", Words: "Complete"}
	case !o.Known:
		return views.State{Class: "warn", Icon: "!", Words: "Complete, outcome not known"}
	case o.Skipped > 0:
		return views.State{Class: "warn", Icon: "!", Words: fmt.Sprintf("Complete, %d skipped", o.Skipped)}
	case len(o.Checks) > 0 || o.Whole != orchestration.CheckedPassed && !o.Errand:
		return views.State{Class: "warn", Icon: "!", Words: "Complete, not all checked"}
	case len(o.ByHand) > 0:
		return views.State{Class: "warn", Icon: "!", Words: fmt.Sprintf("Complete, %d by hand", len(o.ByHand))}
	case o.Reviewed && len(o.Remarks) > 0:
		return views.State{Class: "warn", Icon: "!", Words: "Complete, findings left"}
	case len(o.NotCovered) > 0:
		return views.State{Class: "warn", Icon: "!", Words: "Complete, not all covered"}
	case len(o.Unproven) > 0:
		return views.State{Class: "warn", Icon: "!", Words: "Complete, not all proven"}
	case o.Reviewed && len(o.RepoFiles) > 0:
		return views.State{Class: "warn", Icon: "!", Words: "Complete, its settings changed"}
	default:
		return views.State{Class: "warn", Icon: "!", Words: "Complete, not all reviewed"}
	}
}

// sizeShown is how much of the reason for a size heads of pages show, in characters.
const sizeShown = 160

// size is the quest's size, with its reason. What such quests took helps until it is over.
func (p *Quest) size() views.Size {
	q := p.q
	if q.Damaged() {
		return views.Size{}
	}
	s := views.Size{Name: string(q.Size)}
	if q.SizeReason != "" {
		s.Why = "because " + strings.TrimSuffix(p.oneLine(q.SizeReason, sizeShown), ".")
	}
	if p.Usual != nil && !q.Over() {
		if u := p.Usual(q.Size); u.Known() {
			s.Usual, s.Took = UsualWords(u), views.Span(u.Took)
			if plan := u.Planned(p.q.Steps.Len()); plan.Known() {
				s.Usual += fmt.Sprintf("; %s usually cost %s here, %s",
					views.Count(p.q.Steps.Len(), "step", "steps"), orchestration.DollarWords(plan.USD), mostWords(plan))
			}
		}
	}
	return s
}

// UsualWords says what complete quests of a size took on this server.
func UsualWords(u orchestration.Usual) string {
	if !u.Known() {
		return "No history yet"
	}
	took, of, usd := views.Span(u.Took), views.Count(u.Quests, "quest", "quests"), orchestration.DollarWords(u.Cost.USD)
	switch {
	case !u.Cost.Known():
		return fmt.Sprintf("Usually %s here (median of %s), the cost is not known", took, of)
	case u.Cost.Quests < u.Quests:
		return fmt.Sprintf("Usually %s here (median of %s), and %s (of the %d with a known cost), %s",
			took, of, usd, u.Cost.Quests, mostWords(u.Cost))
	default:
		return fmt.Sprintf("Usually %s and %s here (median of %s), %s", took, usd, of, mostWords(u.Cost))
	}
}

// mostWords says what few of the quests exceed.
func mostWords(p orchestration.Price) string {
	if p.Few() {
		return "none more than " + orchestration.DollarWords(p.P90USD)
	}
	return "9 of 10 at most " + orchestration.DollarWords(p.P90USD)
}

// outcomeView is the full outcome of an ended quest. It is nil until the quest ends.
func (p *Quest) outcomeView() *views.Outcome {
	if !p.q.Over() || p.q.Damaged() {
		return nil
	}
	o := p.outcome()
	v := &views.Outcome{Class: "warn", Words: Sentence(p.questWhy()) + "."}
	if o.Green() {
		v.Class = "good"
	}
	for _, part := range []views.OutcomePart{
		{Title: "Skipped", Lines: o.SkippedLines(p.owner())},
		{Title: "Done, but the check did not pass", Lines: o.CheckLines()},
		{Title: "Done by hand", Lines: o.ByHandLines()},
		{Title: "Done without a siege", Lines: o.NoSiegeLines()},
		{Title: "Not covered", Lines: p.q.NotCoveredLines(o)},
		{Title: "Unproven", Lines: p.unproven(o)},
		{Title: "Changed for later quests, once you trust it", Lines: o.RepoFiles},
	} {
		if part.Lines = CleanAll(part.Lines); len(part.Lines) > 0 {
			v.Parts = append(v.Parts, part)
		}
	}
	return v
}

// approver is whose approval a gate waits for.
func (p *Quest) approver() string {
	if p.guest() {
		return "the owner's"
	}
	return "your"
}

// owner is what the page calls the owner: "you" on the owner's own pages.
func (p *Quest) owner() string {
	if p.guest() {
		return "the owner"
	}
	return "you"
}

// skippedWhy says who skipped a step, and why.
func (p *Quest) skippedWhy(s *orchestration.Step) string {
	return Sentence(orchestration.SkippedWords(p.owner(), s.Reason))
}

// requirements are the quest's requirements. Once there is a plan, each observable has its
// evidence, and the state of its steps where the evidence does not say it all.
func (p *Quest) requirements() []views.Requirement {
	var covered []orchestration.Covered
	if p.q.Steps.Len() > 0 || p.q.Over() {
		covered = p.q.Coverage()
	}
	proven, gaps := p.evidence(""), map[string]bool{}
	for _, e := range p.q.Evidence() {
		gaps[e.Observable.ID] = gaps[e.Observable.ID] || e.State.Gap()
	}
	list, n := make([]views.Requirement, len(p.q.Requirements)), 0
	for i, r := range p.q.Requirements {
		list[i] = views.Requirement{ID: clean(r.ID), Context: clean(r.Context), Trigger: clean(r.Trigger)}
		for _, o := range r.Observables {
			v := views.Observable{ID: clean(o.ID), Text: clean(o.Text)}
			if covered != nil {
				v.Evidence = proven[o.ID]
			}
			if covered != nil && (gaps[o.ID] || !covered[n].Whole()) {
				v.State = p.coverage(covered[n])
			}
			list[i].Observables, n = append(list[i].Observables, v), n+1
		}
	}
	return list
}

// coverage is the badge of an observable. No badge claims a proof: that a step is done
// says that something was built, not that it was tested.
func (p *Quest) coverage(c orchestration.Covered) *views.State {
	titles := func(ids []string) []string {
		list := make([]string, len(ids))
		for i, id := range ids {
			list[i] = p.title(id)
		}
		return list
	}
	state := views.State{Class: "idle", Icon: "○", Words: Sentence(c.Words(titles(c.Steps), titles(c.Beside)))}
	switch c.State {
	case orchestration.CoverageOpen:
	case orchestration.CoverageWorking:
		state.Class, state.Icon = "running", "◐"
	case orchestration.CoverageSkipped:
		state.Class, state.Icon = "warn", "»"
	case orchestration.CoverageNone:
		state.Class, state.Icon = "warn", "!"
	case orchestration.CoverageLost:
		state.Icon = "–"
	case orchestration.CoverageBuilt:
		state.Icon = "●"
		if !c.Whole() {
			state.Class = "warn"
		}
	}
	return &state
}
