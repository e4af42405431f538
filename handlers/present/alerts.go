package present

import (
	"fmt"
	"strings"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// alerts are what keeps the quest from going on, and what to do about it.
func (p *Quest) alerts() views.Alerts {
	var a views.Alerts
	add := func(item views.Alert) { a.Items = append(a.Items, p.alert(item)) }
	if p.q.Damaged() {
		add(views.Alert{Class: "bad", Icon: "✕", Text: Sentence(p.q.Wait.Reason)})
		return a
	}
	if p.q.Over() {
		add(p.outcomeAlert())
		if alert, is := p.deliveryAlert(); is {
			add(alert)
		}
		return a
	}
	may := p.may()
	for _, question := range OpenQuestions(p.q) {
		add(views.Alert{Class: "ask", Icon: "?", Answer: true, Label: "Answer", URL: p.answerURL(question),
			Text:    fmt.Sprintf("%s asks on %s: %s", RoleName(question.Role), p.title(question.Line), p.oneLine(question.Text, 200)),
			Waiting: views.Since(question.AskedAt, p.Now)})
	}
	for _, gate := range openGates(p.q) {
		add(views.Alert{Class: "ask", Icon: "?", Label: "Read and approve", URL: paths.Gate(p.q.ID, gate), Text: gateWords(gate)})
	}
	if alert, is := p.baselineAlert(may); is {
		add(alert)
	}
	if !p.guest() { // it leads to what only the owner decides
		if alert, is := p.trustAlert(); is {
			add(alert)
		}
	}
	if p.q.Wait != nil {
		add(views.Alert{Class: "bad", Icon: "✕", Text: Sentence(p.q.Wait.Reason)})
	}
	for _, h := range p.q.OwnHolds(p.Holds, p.Now) {
		item := views.Alert{Class: "bad", Icon: "↻", Text: Sentence(h.Reason), Until: h.Until}
		if may(orchestration.ControlResume) {
			item.Post, item.PostURL = "Try again", paths.ResumeQuest(p.q.ID)
		}
		if !h.Until.IsZero() {
			item.Text += "."
		}
		add(item)
	}
	for _, alert := range p.blockedAlerts() {
		add(alert)
	}
	return a
}

// alert takes from an alert what a guest cannot follow.
func (p *Quest) alert(item views.Alert) views.Alert {
	if p.guest() {
		item.Text = strings.Replace(item.Text, " for your approval", " for approval", 1)
		if !item.Answer {
			item.URL = ""
		}
		item.PostURL = ""
	}
	return item
}

// baselineAlert says on the board what the check said of the base; false: there
// is nothing to say.
func (p *Quest) baselineAlert(may func(orchestration.Control) bool) (views.Alert, bool) {
	q := p.q
	known := CleanAll(q.KnownFaults)
	alert := views.Alert{Class: "calm", Icon: "◌", Folded: known, Summary: views.Count(len(known), "known fault", "known faults")}
	if r := q.Run(q.BaselineRun); r != nil {
		alert.URL, alert.Label = p.Site.StepRun(q.ID, r.Line, r.ID), "Output"
	}
	switch q.Baseline {
	case orchestration.BaselinePending:
		alert.Text = "The check runs on the base before the first step: what fails there already is no step's fault."
	case orchestration.BaselineRed:
		alert.Class, alert.Icon = "bad", "✕"
		alert.Text = "The check fails on the base already, before any step. Whoever mends a step is told what was known."
		if may(orchestration.ControlAccept) {
			alert.Post, alert.PostURL = "Accept: do not blame steps for these", paths.AcceptBaseline(q.ID)
		} else if len(known) == 0 {
			alert.Text += " It does not say in lines what fails, so old faults cannot be told from new ones."
		}
	case orchestration.BaselineAccepted:
		alert.Icon, alert.Text = "!", "Faults of the base are accepted: where the check fails by nothing else, the work goes on."
	default:
		return views.Alert{}, false
	}
	return alert, true
}

// trustAlert says on a quest's board that something of its repository is off.
func (p *Quest) trustAlert() (views.Alert, bool) {
	wants, known, off := p.Untrusted(p.q)
	if !off {
		return views.Alert{}, false
	}
	alert := views.Alert{Class: "calm", Icon: "○", Label: "Look and trust", URL: paths.QuestTrust(p.q.ID),
		Text: "The repository's own Claude settings, hooks and MCP servers are off: " + countWants(wants) + "."}
	if known {
		alert.Text = "The repository's own Claude settings changed since you trusted them, so they are off: " + countWants(wants) + "."
	}
	return alert, true
}

// outcomeAlert says on the board of a quest that is over what it came to.
func (p *Quest) outcomeAlert() views.Alert {
	alert := views.Alert{Class: "calm", Icon: p.State().Icon, Text: Sentence(p.questWhy())}
	v := p.outcomeView()
	if v == nil {
		return alert
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

// blockedShown is how many blocked lines a board names one by one.
const blockedShown = 3

// blockedAlerts name what stands still until the user decides: their cards may
// be out of sight, on a phone or among a thousand others.
func (p *Quest) blockedAlerts() []views.Alert {
	var alerts []views.Alert
	lines := p.blockedLines()
	for _, s := range lines[:min(blockedShown, len(lines))] {
		state, _ := p.state(s)
		words := p.why(s)
		if words == "" {
			words = state.Words
		}
		alerts = append(alerts, views.Alert{Class: state.Class, Icon: state.Icon, Text: LineTitle(s) + ": " + words,
			URL: p.Site.Step(p.q.ID, s.ID), Label: "Decide"})
	}
	if more := len(lines) - len(alerts); more > 0 {
		alerts = append(alerts, views.Alert{Class: "bad", Icon: "✕", URL: p.Site.Quest(p.q.ID) + "?state=bad", Label: "Show",
			Text: fmt.Sprintf("And %s.", views.Count(more, "more step is blocked", "more steps are blocked"))})
	}
	return alerts
}

// blockedLines are those of the whole quest first.
func (p *Quest) blockedLines() []*orchestration.Step {
	var lines []*orchestration.Step
	for _, s := range p.q.Whole {
		if s.Hold == orchestration.HoldBlocked {
			lines = append(lines, s)
		}
	}
	for _, s := range p.q.Steps.All() {
		if s.Hold == orchestration.HoldBlocked {
			lines = append(lines, s)
		}
	}
	return lines
}
