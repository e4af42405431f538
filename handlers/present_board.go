package handlers

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// board is all of a board but its frame; doneOpen: with the cards that are done.
func (p *presenter) board(doneOpen bool) views.Board {
	return views.Board{Head: p.head(), Strip: p.strip(), Alerts: p.alerts(), Whole: p.whole(), Columns: p.columns(doneOpen)}
}

// columns sorts every step into its column: what needs the user first, then
// what failed, what runs, what waits; Done has the newest first.
func (p *presenter) columns(doneOpen bool) []views.Column {
	type entry struct {
		card views.Card
		step *orchestration.Step
	}
	byColumn := map[string][]entry{}
	for _, s := range p.q.Steps.All() {
		c := p.card(s)
		byColumn[c.Column] = append(byColumn[c.Column], entry{c, s})
	}
	result := make([]views.Column, len(columns))
	for i, column := range columns {
		entries := byColumn[column.id]
		slices.SortStableFunc(entries, func(a, b entry) int {
			if column.id == "done" {
				return b.step.EndedAt.Compare(a.step.EndedAt)
			}
			return cmp.Compare(urgency(a.card.State), urgency(b.card.State))
		})
		cards := make([]views.Card, len(entries))
		for j, e := range entries {
			cards[j] = e.card
			cards[j].Phase = column.title
			if j+1 < len(entries) {
				cards[j].Before = entries[j+1].step.ID
			}
		}
		result[i] = views.Column{ID: column.id, Title: column.title, Cards: cards, Count: strconv.Itoa(len(cards))}
	}
	done := &result[len(result)-1]
	done.Count = doneCount(p.progress())
	done.Rail = !doneOpen
	done.ToggleURL = p.Site.Done(p.q.ID)
	if doneOpen {
		done.ToggleURL = p.Site.Quest(p.q.ID)
	}
	return result
}

// doneCount is the number of the column Done. Cards that were skipped stand
// there, too, and are not done.
func doneCount(p orchestration.Progress) string {
	if p.Skipped > 0 {
		return fmt.Sprintf("%d, %d skipped", p.Done, p.Skipped)
	}
	return strconv.Itoa(p.Done)
}

func urgency(s views.State) int {
	return slices.Index([]string{"ask", "bad", "running", "idle"}, s.Class)
}

func (p *presenter) head() views.QuestHead {
	q := p.q
	slots := p.Slots
	if q.Slots > 0 {
		slots = min(slots, q.Slots)
	}
	h := views.QuestHead{ID: q.ID, Title: clean(q.Title), URL: p.Site.Quest(q.ID), State: p.questState(),
		Busy: busy(q), Slots: slots, Cost: p.cost(q.CostUSD), ReadOnly: p.guest(),
		Age:  views.Since(q.CreatedAt, p.Now),
		Repo: clean(q.Repo), Ward: clean(q.Ward), Agent: clean(q.Agent)}
	if q.Workspace == orchestration.WorkspaceWorktree {
		branch, base := q.Branches()
		h.Branch, h.Base = clean(branch), clean(base)
	}
	h.Progress = views.Progress(p.progress())
	h.Why = sentence(p.questWhy())
	if !p.guest() {
		h.NeedsYou = len(q.Needs(p.Holds))
		h.Asked, h.AskedURL = p.askedInShort(), paths.RequestText(q.ID)
	}
	may := p.may()
	h.Pause, h.PauseNow, h.Resume = may(orchestration.ControlPause), may(orchestration.ControlPauseNow), may(orchestration.ControlResume)
	h.Abandon, h.Delete = may(orchestration.ControlAbandon), may(orchestration.ControlDelete)
	if h.ResumeWords = "Try again"; q.Paused {
		h.ResumeWords = "Resume"
	}
	return h
}

// may says which controls of the whole quest whoever looks may press.
func (p *presenter) may() func(orchestration.Control) bool {
	if p.guest() {
		return offers(nil)
	}
	return offers(p.q.Controls(p.Now, p.Holds))
}

// alerts are what keeps the quest from going on, and what to do about it.
func (p *presenter) alerts() views.Alerts {
	var a views.Alerts
	add := func(item views.Alert) { a.Items = append(a.Items, p.alert(item)) }
	if p.q.Damaged() {
		add(views.Alert{Class: "bad", Icon: "✕", Text: sentence(p.q.Wait.Reason)})
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
	for _, question := range questionsOf(p.q) {
		add(views.Alert{Class: "ask", Icon: "?", Answer: true, Label: "Answer", URL: p.answerURL(question),
			Text:    fmt.Sprintf("%s asks on %s: %s", roleName(question.Role), p.title(question.Line), p.oneLine(question.Text, 200)),
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
		add(views.Alert{Class: "bad", Icon: "✕", Text: sentence(p.q.Wait.Reason)})
	}
	for _, h := range p.q.OwnHolds(p.Holds, p.Now) {
		item := views.Alert{Class: "bad", Icon: "↻", Text: sentence(h.Reason), Until: h.Until}
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
func (p *presenter) alert(item views.Alert) views.Alert {
	if p.guest() {
		item.Text = strings.Replace(item.Text, " for your approval", " for approval", 1)
		if !item.Answer {
			item.URL = ""
		}
		item.PostURL = ""
	}
	return item
}

// answerURL is where a question is answered; "" where whoever looks may not.
func (p *presenter) answerURL(question *orchestration.Question) string {
	if p.guest() && !p.Share.Answer {
		return ""
	}
	return p.Site.Question(question.ID)
}

func (p *presenter) title(line string) string {
	if s := p.q.Line(line); s != nil {
		return lineTitle(s)
	}
	return clean(line)
}
