package present

import (
	"fmt"
	"strings"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/views"
)

// resultSteps is how many steps the result lists at most.
const resultSteps = 100

// Result is what came of the quest, or what is there so far. commits are the commits on the
// quest's branch, by step.
func (p *Quest) Result(commits map[string]string) views.Result {
	q := p.q
	if q.Damaged() {
		return views.Result{Verdict: views.Outcome{Class: "bad", Words: Sentence(p.questWhy())}}
	}
	r := views.Result{Known: true, Verdict: p.verdict(), Over: q.Over(), Check: p.resultCheck(), Review: p.resultReview(commits),
		Figures:  p.figures(),
		FollowUp: p.may()(orchestration.ControlFollowUp)}
	p.addSteps(&r, commits)
	p.addTry(&r)
	return r
}

// verdict says how the quest ended or, if it has not, why it is where it is.
func (p *Quest) verdict() views.Outcome {
	if v := p.outcomeView(); v != nil {
		v.Parts = nil // they have a place of their own
		return *v
	}
	return views.Outcome{Class: "idle", Words: "The quest is not complete yet: " + clean(p.questWhy()) + "."}
}

// addSteps sorts the steps into those that are settled, with what was done, and those that
// are open. Replaced ones do not count.
func (p *Quest) addSteps(r *views.Result, commits map[string]string) {
	var settled []*orchestration.Step
	var open []string
	for _, s := range p.q.Steps.All() {
		switch {
		case s.Stage == orchestration.StageSuperseded:
		case s.Stage.Settled():
			settled = append(settled, s)
		case p.q.Over():
			open = append(open, StepTitle(s))
		default:
			state, _ := p.state(s)
			open = append(open, StepTitle(s)+": "+state.Words)
		}
	}
	if n := len(settled) - resultSteps; n > 0 {
		settled, r.MoreSteps = settled[:resultSteps], "And "+views.Count(n, "more step", "more steps")+", on the board."
	}
	reports := p.q.Reports(settled...)
	for i, s := range settled {
		r.Steps = append(r.Steps, p.resultStep(s, reports[i], commits[s.ID]))
	}
	if n := len(open) - resultSteps; n > 0 {
		open = append(open[:resultSteps], "and "+views.Count(n, "more step", "more steps"))
	}
	if len(open) > 0 {
		r.Missing = append(r.Missing, views.OutcomePart{Title: "Still open", Lines: open})
	}
	if v := p.outcomeView(); v != nil {
		r.Missing = append(r.Missing, v.Parts...)
	}
}

func (p *Quest) resultStep(s *orchestration.Step, report orchestration.Report, commit string) views.ResultStep {
	state, _ := p.state(s)
	v := views.ResultStep{ID: s.ID, Step: p.Link(s.ID), State: state}
	if s.Stage == orchestration.StageSkipped {
		v.Lines = []string{p.skippedWhy(s) + "."}
		return v
	}
	if len(s.Changed) > 0 { // otherwise the commit is another step's
		v.Commit = short(commit)
	}
	v.Lines = p.accounts(report)
	return v
}

// accounts are what those who changed a step say about it.
func (p *Quest) accounts(report orchestration.Report) []string {
	var lines []string
	for _, t := range report.Touched {
		if t.By == orchestration.ByPerson {
			lines = append(lines, "A person changed it by hand.")
			continue
		}
		lines = append(lines, t.Name()+": "+p.oneLine(t.Summary, 400))
	}
	return lines
}

// resultCheck says how the check of the final work ended.
func (p *Quest) resultCheck() views.ResultCheck {
	q, o := p.q, p.outcome()
	c := views.ResultCheck{Command: clean(q.Ward), Words: o.CheckWords(q.Over())}
	switch {
	case c.Words == "" && q.Ward == "":
		c.Words = "There is no check command"
	case c.Words == "" && q.Over():
		c.Words = "No step was done, so there was nothing to check"
	case c.Words == "":
		c.Words = "No step is done yet, so there is nothing to check"
	}
	c.Words += "."
	last := q.Step(orchestration.StepReview)
	if o.Errand {
		last = q.Step(orchestration.StepErrand)
	}
	if q.Phase != orchestration.PhaseComplete || last == nil {
		return c
	}
	if got := q.Checked(last); got == orchestration.CheckedPassed || got == orchestration.CheckedAsBase {
		if r := q.Run(last.Run); r != nil && r.Role == orchestration.Ward && !r.EndedAt.IsZero() {
			c.At, c.Took = r.EndedAt, views.Lasted(r.StartedAt, r.EndedAt).Words
		}
	}
	return c
}

// resultReview says what the review of the whole came to.
func (p *Quest) resultReview(commits map[string]string) views.ResultReview {
	q := p.q
	s := q.Step(orchestration.StepReview)
	if s == nil {
		return views.ResultReview{}
	}
	state, _ := p.state(s)
	v := views.ResultReview{Step: p.Link(s.ID), State: state}
	if q.Phase == orchestration.PhaseComplete {
		if v.Words = p.outcome().ReviewWords(); v.Words != "" {
			v.Words += "."
		}
	}
	if s.Rounds > 0 || len(s.Findings) > 0 {
		v.Rounds = Sentence(reviewWords(s)) + "."
	}
	v.Findings = p.findings(s)
	for _, r := range p.runsOf(s) {
		if q.Looks(r) && r.Signal != nil && r.Signal.Summary != "" {
			v.Account = RoleName(r.Role) + ": " + p.oneLine(r.Signal.Summary, 400)
			break
		}
	}
	if len(s.Changed) > 0 {
		v.Commit = short(commits[s.ID])
	}
	return v
}

// figures are what the quest took, beside what was expected.
func (p *Quest) figures() []views.Pair {
	q := p.q
	runs := 0
	for _, r := range q.Runs.All() {
		if r.Role.Agent() && !r.StartedAt.IsZero() {
			runs++
		}
	}
	price := priceWords(q.CostUSD)
	if tokens := q.Used().Tokens; q.CostUSD == 0 && tokens > 0 {
		price = orchestration.TokenWords(tokens) + " tokens, " + price
	}
	cost := fmt.Sprintf("%s in %s", Sentence(price), views.Count(runs, "agent run", "agent runs"))
	if budget := q.Budget(); budget != (orchestration.Amount{}) {
		cost += fmt.Sprintf(", of a budget of %s", budget.Words())
	}
	took := views.Span(p.Now.Sub(q.CreatedAt)) + " so far"
	if q.Over() {
		took = views.Span(q.EndedAt.Sub(q.CreatedAt)) + " from start to end, with all waiting"
	}
	list := []views.Pair{{Name: "Cost", Value: cost}, {Name: "Time", Value: took}}
	if p.Usual != nil {
		if u := p.Usual(q.Size); u.Known() {
			list = append(list, views.Pair{Name: "Size " + string(q.Size), Value: UsualWords(u)})
		}
	}
	if chain, minutes := orchestration.LongestChain(p.planSteps()); minutes > 0 {
		list = append(list, views.Pair{Name: "Estimate", Value: fmt.Sprintf("About %.0f minutes for the plan's longest chain (%s)", minutes,
			views.Count(len(chain), "step", "steps"))})
	}
	return list
}

// addTry adds the commands with which a user looks at the work. A command that would not be
// what is shown is left out.
func (p *Quest) addTry(r *views.Result) {
	q := p.q
	if !begun(q) {
		return
	}
	if !copies(q.Repo) {
		r.TryNot = "The repository's path has characters that cannot be copied safely, so there are no commands here."
		return
	}
	branch, _ := q.Branches()
	if q.Workspace == orchestration.WorkspaceWorktree {
		beside := quoted(strings.TrimRight(q.Repo, "/") + "-quest-" + q.ID)
		r.Try = []views.TryCommand{
			{ID: "try-switch", Words: "In your checkout:", Command: "cd " + quoted(q.Repo) + " && git switch " + branch},
			{ID: "try-beside", Words: "Or in a folder beside it, so that your checkout stays as it is:",
				Command: "git -C " + quoted(q.Repo) + " worktree add --detach " + beside + " " + branch + " && cd " + beside},
		}
	} else {
		r.Try = []views.TryCommand{{ID: "try-status", Words: "The work is in the repository itself:",
			Command: "cd " + quoted(q.Repo) + " && git status"}}
	}
	if strings.TrimSpace(q.Ward) != "" && copies(q.Ward) {
		r.Try = append(r.Try, views.TryCommand{ID: "try-check", Words: "Then run the check there:", Command: q.Ward})
	}
}

// copies reports whether a text that is copied from a page is the one that is shown there.
func copies(text string) bool { return clean(text) == text && !strings.ContainsAny(text, "\r\n\t") }

// ExtentWords says how much a quest changed.
func ExtentWords(e record.Extent) string {
	if e.Files == 0 {
		return "No file changed"
	}
	files, lines := views.Count(e.Files, "file changed", "files changed"), fmt.Sprintf("+%d −%d lines", e.Added, e.Removed)
	if e.More {
		files, lines = "More than "+files, "at least "+lines
	}
	words := files + ", " + lines
	if e.Uncounted > 0 {
		words += fmt.Sprintf(", without the lines of %d binary or large", e.Uncounted)
	}
	return words
}
