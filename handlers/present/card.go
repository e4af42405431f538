package present

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"questboard/handlers/diffview"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// card is a step on the board.
func (p *Quest) card(s *orchestration.Step) views.Card {
	state, since := p.state(s)
	c := views.Card{Quest: p.q.ID, ID: s.ID, Title: StepTitle(s), URL: p.Site.Step(p.q.ID, s.ID),
		State: state, Since: since, Role: p.role(s), RoleAbout: p.roleAbout(s), Column: p.column(s),
		Chips: p.chips(s), Decisions: p.Decisions(s),
		Superseded: s.Stage == orchestration.StageSuperseded,
	}
	if why := p.standing(s); why.Kind != orchestration.WhyApproval && why.Block != orchestration.BlockStopped {
		c.Why = p.whyWords(s, why) // otherwise the badge says it
	}
	if question := p.q.OpenQuestion(s); question != nil {
		c.AnswerURL = p.answerURL(question)
	}
	if r := p.q.Run(s.Run); r != nil && r.Live() && p.showsOutput() {
		c.Tail = p.oneLine(p.LastLine(r.ID), 160)
	}
	c.Spending = p.StepSpending(s)
	if r := p.inHand(s); r != nil {
		c.RoleID = string(r.Role)
	}
	return c
}

// why says in words what the badge and the role do not say.
func (p *Quest) why(s *orchestration.Step) string { return p.whyWords(s, p.standing(s)) }

// standing returns why the step is in its stage. It looks nothing up for a finished step,
// because its badge is enough.
func (p *Quest) standing(s *orchestration.Step) orchestration.StepWhy {
	if s.Stage == orchestration.StageDone {
		return orchestration.StepWhy{Kind: orchestration.WhyDone}
	}
	among := orchestration.Pool{Now: p.Now, Checks: p.Checks, Holds: p.Holds, Turns: p.Turns}
	if s.Stage == orchestration.StageReady && p.Active != nil {
		among.Quests = p.Active()
	}
	return p.q.StepWhyAmong(s, among)
}

func (p *Quest) whyWords(s *orchestration.Step, why orchestration.StepWhy) string {
	why.Steps = slices.Clone(why.Steps)
	for i, step := range why.Steps {
		why.Steps[i] = p.title(step)
	}
	if why.Obstacle.Step != "" && p.q.Step(why.Obstacle.Step) != nil {
		why.Obstacle.Step = p.title(why.Obstacle.Step)
	}
	if question := p.q.OpenQuestion(s); question != nil {
		if wall := wallWords(question.Wall); wall != "" {
			return wall + ": " + p.oneLine(p.asked(question), 200)
		}
		return p.oneLine(p.asked(question), 200)
	}
	switch {
	case why.Kind == orchestration.WhyDone:
		return ""
	case why.Kind == orchestration.WhySkipped:
		return p.skippedWhy(s)
	case why.Kind == orchestration.WhyWorks && why.WardFailed == 0 && why.Then == "":
		return ""
	case p.guest():
		return guestWhy(why)
	}
	return Sentence(why.Words())
}

// inHand is the run that has the step in hand, or nil: a step that is ready again
// after its skip was undone has only old ones.
func (p *Quest) inHand(s *orchestration.Step) *orchestration.Run {
	if s.Stage.Settled() || s.Stage == orchestration.StageReady || s.Stage == orchestration.StageWaiting && !s.Whole() {
		return nil
	}
	return p.q.Run(s.Run)
}

// role says who has the step in hand, and in which slot.
func (p *Quest) role(s *orchestration.Step) string {
	r := p.inHand(s)
	if r == nil {
		return ""
	}
	words := RoleName(r.Role) + p.agentWords(r)
	if r.Live() && r.Slot > 0 {
		words += fmt.Sprintf(" · slot %d", r.Slot)
	}
	return words
}

// agentWords names the program of a run, if it is not the quest's, and for whom it works: until
// when, if the account of that one is held for a known time.
func (p *Quest) agentWords(r *orchestration.Run) string {
	switch {
	case r.InPlaceOf == "" && (r.Agent == "" || r.Agent == p.q.Agent):
		return ""
	case r.InPlaceOf == "":
		return " · " + p.oneLine(r.Agent, 60)
	}
	words := " · " + p.oneLine(r.Agent, 60) + " for " + p.oneLine(r.InPlaceOf, 60)
	for _, h := range p.Holds {
		if h.Agent == r.InPlaceOf && h.Until.After(p.Now) && r.State != orchestration.RunEnded {
			form := "15:04"
			if h.Until.Sub(p.Now) >= 24*time.Hour {
				form = "2 Jan 15:04"
			}
			return words + " until " + h.Until.UTC().Format(form) + " UTC"
		}
	}
	return words
}

// roleAbout says what the role that works on the step does.
func (p *Quest) roleAbout(s *orchestration.Step) string {
	if r := p.inHand(s); r != nil {
		return RoleDoes(r.Role)
	}
	return ""
}

func (p *Quest) chips(s *orchestration.Step) []views.Chip {
	chips := append(outsideChips(s), p.siegeChips(s)...)
	if s.Stage.Settled() {
		return chips
	}
	if words := priorityWords(s.Priority); words != "" && s.Queues() {
		chips = append(chips, views.Chip{Words: words})
	}
	if n := s.Counts.Partial; n > 0 {
		chips = append(chips, views.Chip{Words: fmt.Sprintf("part %d", n+1)})
	}
	if n := s.Counts.Ward; n > 0 {
		chips = append(chips, views.Chip{Words: fmt.Sprintf("check failed %d×", n), Warn: true})
	}
	if n := s.Counts.Crash; n > 0 {
		chips = append(chips, views.Chip{Words: fmt.Sprintf("crashed %d×", n), Warn: true})
	}
	r := p.q.Run(s.Run)
	if r == nil {
		return chips
	}
	if n := p.compactions(r); n > 0 {
		chips = append(chips, views.Chip{Words: fmt.Sprintf("compacted %d×", n),
			Title: "Its context was full, so the conversation was summarised. The second time, a fresh session continues."})
	}
	if waits := p.q.Run(r.ReturnTo); waits != nil {
		chips = append(chips, views.Chip{Words: "↳ then " + RoleName(waits.Role) + " resumes"})
	}
	for _, what := range p.deniedWords(r) {
		chips = append(chips, views.Chip{Words: what, Warn: true})
	}
	return chips
}

// compactions counts how many times the conversation of a run at work was summarised.
func (p *Quest) compactions(r *orchestration.Run) int {
	if !r.Live() {
		return 0
	}
	return p.Compactions(r.ID)
}

// Decisions are the controls of a step that the visitor may use now.
func (p *Quest) Decisions(s *orchestration.Step) views.Decisions {
	if p.guest() {
		return views.Decisions{}
	}
	may := offers(p.q.StepControls(s))
	d := views.Decisions{Retry: may(orchestration.ControlRetry), RetryFresh: may(orchestration.ControlRetryFresh),
		Skip: may(orchestration.ControlSkip), UndoSkip: may(orchestration.ControlUndoSkip),
		TakeOver: may(orchestration.ControlTakeOver), MarkDone: may(orchestration.ControlMarkDone), Yours: s.Hold == orchestration.HoldYours,
		Resplit: may(orchestration.ControlResplit), Edit: may(orchestration.ControlEdit)}
	switch {
	case may(orchestration.ControlApprove):
		d.Gate = paths.Gate(p.q.ID, s.ID)
	case may(orchestration.ControlFeedback):
		d.Feedback = paths.Gate(p.q.ID, s.ID)
	}
	if may(orchestration.ControlFallback) {
		d.GoOnWith = p.oneLine(p.q.FallbackFor(s.ID), 60)
	}
	if may(orchestration.ControlPriority) {
		d.Priority = s.Priority.Word()
	}
	if may(orchestration.ControlAnswer) {
		d.AnswerURL = p.answerURL(p.q.OpenQuestion(s))
	}
	if r := p.q.Run(s.Run); r != nil {
		may := offers(p.q.RunControls(r))
		if may(orchestration.ControlStop) {
			d.StopRun = r.ID
		}
		if may(orchestration.ControlMessage) {
			d.MessageRun = r.ID
		}
	}
	if d.Any() {
		d.State = s.State()
	}
	return d
}

// offers returns a function that reports whether list has a control.
func offers(list []orchestration.Control) func(orchestration.Control) bool {
	return func(c orchestration.Control) bool { return slices.Contains(list, c) }
}

// column returns the column of a step's card. If a run of the step waits to be resumed,
// the card stays in the column of that run, so that waiting does not look like another
// phase.
func (p *Quest) column(s *orchestration.Step) string {
	switch s.Stage {
	case orchestration.StageWaiting:
		return "waiting"
	case orchestration.StageReady:
		return "ready"
	case orchestration.StageDone, orchestration.StageSkipped, orchestration.StageSuperseded:
		return "done"
	case orchestration.StageMerge:
		return "review"
	default: // a role works
	}
	role := orchestration.Role(s.Stage)
	if bottom := p.bottom(s); bottom != nil {
		role = bottom.Role
	}
	return roles[role].column
}

// bottom is the run at the bottom of the step's stack of returns, or nil.
func (p *Quest) bottom(s *orchestration.Step) *orchestration.Run {
	r := p.q.Run(s.Run)
	if r == nil {
		return nil
	}
	var bottom *orchestration.Run
	for next := p.q.Run(r.ReturnTo); next != nil; next = p.q.Run(next.ReturnTo) {
		bottom = next
	}
	return bottom
}

// outsideChips name the changed files that the plan does not list.
func outsideChips(s *orchestration.Step) []views.Chip {
	files := s.Undeclared()
	if len(files) == 0 || s.Stage == orchestration.StageSuperseded {
		return nil
	}
	names := make([]string, 0, chipNames+1)
	for i, f := range files {
		if i == chipNames {
			names = append(names, "…")
			break
		}
		names = append(names, diffview.ShortPath(f))
	}
	return []views.Chip{{Words: views.Count(len(files), "file", "files") + " outside its plan", Title: strings.Join(names, "\n"), Warn: true}}
}

// chipNames is how many files a card names at most.
const chipNames = 20
