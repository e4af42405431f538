package present

import (
	"cmp"
	"fmt"
	"strings"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Alerts returns what keeps the quest from continuing, and what the user can do about it.
func (p *Quest) Alerts() views.Alerts {
	var a views.Alerts
	add := func(item views.Alert) { a.Items = append(a.Items, p.alert(item)) }
	if p.q.Damaged() {
		add(views.Alert{Class: "bad", Icon: "✕", Text: Sentence(p.q.Wait.Reason)})
		return a
	}
	if p.q.Over() {
		add(p.outcomeAlert())
		if alert, is := p.reviewAlert(); is {
			add(alert)
		}
		if alert, is := p.deliveryAlert(); is {
			add(alert)
		}
		return a
	}
	may := p.may()
	for _, question := range OpenQuestions(p.q) {
		add(views.Alert{Class: "ask", Icon: "?", Answer: p.title(question.Step), Label: "Answer", URL: p.answerURL(question),
			Text:    fmt.Sprintf("%s asks about %s: %s", RoleName(question.Role), p.title(question.Step), p.oneLine(p.asked(question), 200)),
			Waiting: views.Since(question.AskedAt, p.Now)})
	}
	for _, gate := range openGates(p.q) {
		alert := views.Alert{Class: "ask", Icon: "?", Label: "Read and approve", URL: paths.Gate(p.q.ID, gate), Text: p.gateWords(gate) + "."}
		// the board shows them
		if page := p.Gate(gate); gate == orchestration.StepRequirements && page != nil && page.Open && page.Errand == nil {
			alert.Post, alert.PostURL, alert.Mark = "Approve", paths.ApproveGate(p.q.ID, gate), page.Mark
		}
		add(alert)
	}
	if alert, is := p.baselineAlert(may); is {
		add(alert)
	}
	if strings.TrimSpace(p.q.Ward) == "" {
		add(views.Alert{Class: "calm", Icon: "!", Label: "Set a check", URL: paths.QuestSettings(p.q.ID),
			Text: "No check: this quest has no check command, so its steps go on without one."})
	}
	if !p.guest() { // only the owner can decide it
		if alert, is := p.trustAlert(); is {
			add(alert)
		}
	}
	if p.q.Wait != nil {
		add(views.Alert{Class: "bad", Icon: "✕", Text: Sentence(p.q.Wait.Reason)})
	}
	for _, h := range p.q.OwnHolds(p.Holds, p.Now) {
		item := views.Alert{Class: "bad", Icon: "↻", Text: Sentence(h.Reason), Until: h.Until}
		switch {
		case h.Kind == orchestration.HoldBudget:
			item.Icon, item.Label, item.URL = "✕", "Raise the budget", paths.Limits
		case h.Kind == orchestration.HoldHost:
			item.Icon, item.Label, item.URL = "✕", "Hosts", paths.Hosts
		case h.Kind == orchestration.HoldPromised:
			item.Class, item.Icon = "calm", "○"
		case may(orchestration.ControlResume):
			item.Post, item.PostURL = "Try again", paths.ResumeQuest(p.q.ID)
		}
		if !h.Until.IsZero() {
			item.Text += "."
		}
		add(item)
	}
	for _, shared := range p.SharedBudgets {
		if words := shared.Warning(); words != "" {
			add(views.Alert{Class: "ask", Icon: "!", Text: Sentence(words) + ".", Label: "Budgets", URL: paths.Limits})
		}
	}
	for _, alert := range p.blockedAlerts() {
		add(alert)
	}
	if alert, is := p.reviewAlert(); is {
		add(alert)
	}
	return a
}

// alert removes the links and buttons that a guest may not use.
func (p *Quest) alert(item views.Alert) views.Alert {
	if p.guest() {
		if item.Answer == "" {
			item.URL = ""
		}
		item.PostURL = ""
	}
	return item
}

// baselineAlert tells the result of the check on the base branch. It returns false if
// there is nothing to tell.
func (p *Quest) baselineAlert(may func(orchestration.Control) bool) (views.Alert, bool) {
	q := p.q
	known := CleanAll(q.KnownFaults)
	alert := views.Alert{Class: "calm", Icon: "◌", Folded: known, Summary: views.Count(len(known), "known failure", "known failures")}
	if r := q.Run(q.BaselineRun); r != nil {
		alert.URL, alert.Label = p.Site.StepRun(q.ID, r.Step, r.ID), "Output"
	}
	switch q.Baseline {
	case orchestration.BaselinePending:
		if q.Step(orchestration.StepBaseline).Hold == orchestration.HoldBlocked {
			return views.Alert{}, false // its block says why it does not run
		}
		alert.Text = "The check runs on the base before the first step, so that no step is blamed for what already fails."
	case orchestration.BaselineRed:
		alert.Class, alert.Icon = "bad", "✕"
		alert.Text = "The check already fails on the base, before any step. An agent that fixes a step is told what already failed."
		if may(orchestration.ControlAccept) {
			alert.Post, alert.PostURL = "Accept: do not blame steps for these", paths.AcceptBaseline(q.ID)
		} else if len(known) == 0 {
			alert.Text += " Its output does not list what fails, so old failures cannot be told from new ones."
		}
	case orchestration.BaselineAccepted:
		alert.Icon, alert.Text = "!", "Failures of the base are accepted: when the check fails only for those, work continues."
	default:
		return views.Alert{}, false
	}
	return alert, true
}

// trustAlert tells that settings of the quest's repository are switched off because the
// user has not trusted them.
func (p *Quest) trustAlert() (views.Alert, bool) {
	config, known, off := p.Untrusted(p.q)
	if !off {
		return views.Alert{}, false
	}
	alert := views.Alert{Class: "calm", Icon: "○", Label: "Review and trust", URL: paths.QuestTrust(p.q.ID),
		Text: "The repository's own Claude settings, hooks and MCP servers are off: " + countConfig(config) + "."}
	if known {
		alert.Text = "The repository's own Claude settings changed since you trusted them, so they are off: " + countConfig(config) + "."
	}
	return alert, true
}

// outcomeAlert tells the result of an ended quest.
func (p *Quest) outcomeAlert() views.Alert {
	alert := views.Alert{Class: "calm", Icon: p.State().Icon, Text: Sentence(p.questWhy())}
	if p.may()(orchestration.ControlReview) {
		alert.Post, alert.PostURL = "Review it", paths.ReviewQuest(p.q.ID)
	}
	v := p.outcomeView()
	if v == nil {
		return alert
	}
	if p.q.Workspace == orchestration.WorkspaceShared { // with worktrees, the alert about the branch leads there
		alert.URL, alert.Label = paths.Delivery(p.q.ID), "See the result"
	}
	if p.q.Phase == orchestration.PhaseComplete && v.Class != "good" {
		alert.Class = "ask"
	}
	for _, part := range v.Parts {
		for _, line := range part.Lines {
			alert.Folded = append(alert.Folded, part.Title+": "+line)
		}
	}
	alert.Summary = "What is missing"
	return alert
}

// reviewAlert lists what the review found, with who mended it.
func (p *Quest) reviewAlert() (views.Alert, bool) {
	s := p.q.Step(orchestration.StepReview)
	if s == nil || s.Rounds == 0 && len(s.Findings) == 0 {
		return views.Alert{}, false
	}
	alert := views.Alert{Class: "calm", Icon: "○", URL: p.Site.Step(p.q.ID, s.ID), Label: "Review", Summary: "Findings",
		FoldID: "review-findings",
		Text:   "Review: " + reviewWords(s) + "."}
	alert.Folded = p.findings(s)
	return alert, true
}

// findings are what the review found, and what became of it, each in a line.
func (p *Quest) findings(review *orchestration.Step) []string {
	var lines []string
	for _, f := range review.Findings {
		lines = append(lines, p.oneLine(p.q.FindingWords(f), 400))
	}
	return lines
}

// reviewWords counts the rounds and the findings of a review.
func reviewWords(s *orchestration.Step) string {
	return fmt.Sprintf("%d of %d rounds, %s", s.Rounds, orchestration.ReviewRounds, views.Count(len(s.Findings), "finding", "findings"))
}

// blockedShown is how many blocked steps a board lists.
const blockedShown = 3

// blockedAlerts lists the steps that wait for the user's decision, because their cards may be
// out of sight.
func (p *Quest) blockedAlerts() []views.Alert {
	steps := p.blockedSteps()
	if len(steps) == 0 {
		return nil
	}
	all := views.Alert{Class: "bad", Icon: "✕", Text: views.Count(len(steps), "step is blocked", "steps are blocked")}
	if p.may()(orchestration.ControlChange) {
		all.Label, all.URL = "Change requirements", paths.ChangeQuest(p.q.ID)
	}
	for _, s := range steps[:min(blockedShown, len(steps))] {
		state, _ := p.state(s)
		all.Blocked = append(all.Blocked, views.BlockedStep{Link: p.Link(s.ID), Quest: p.q.ID, ID: s.ID,
			Why: cmp.Or(p.why(s), state.Words), Tail: p.blockTail(s), Decisions: p.Decisions(s)})
	}
	alerts := []views.Alert{all}
	if more := len(steps) - blockedShown; more > 0 {
		alerts = append(alerts, views.Alert{Class: "bad", Icon: "✕", URL: p.Site.Quest(p.q.ID) + "?state=bad", Label: "Show",
			Text: fmt.Sprintf("And %s.", views.Count(more, "more step is blocked", "more steps are blocked"))})
	}
	return alerts
}

// tailLines is how many lines of a program's end an alert shows.
const tailLines = 6

// blockTail returns the last lines that the program wrote whose end blocked the step. Guests
// do not see them (see guest.go).
func (p *Quest) blockTail(s *orchestration.Step) string {
	brief := s.Block.Retry.Brief
	text := brief.Digest
	if brief.Cause != nil {
		text = brief.Cause.Stderr
	}
	if p.guest() {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return clean(strings.Join(lines[max(0, len(lines)-tailLines):], "\n"))
}

// blockedSteps returns the blocked steps, the quest-wide ones first.
func (p *Quest) blockedSteps() []*orchestration.Step {
	var steps []*orchestration.Step
	for _, s := range p.q.Whole {
		if s.Hold == orchestration.HoldBlocked {
			steps = append(steps, s)
		}
	}
	for _, s := range p.q.Steps.All() {
		if s.Hold == orchestration.HoldBlocked {
			steps = append(steps, s)
		}
	}
	return steps
}
