package present

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Board returns a board without its frame.
func (p *Quest) Board() views.Board {
	return views.Board{Strip: p.Strip(), Alerts: p.Alerts(), Over: p.q.Over(), Whole: p.Whole(), Columns: p.Columns(), Legend: p.legend()}
}

// Close closes the columns that the user chose.
func (p *Quest) Close(list []views.Column, chosen []string) {
	for i := range list {
		c := &list[i]
		c.Closed = slices.Contains(chosen, c.ID)
	}
	for i := range list {
		var closed []string // after a press on this column
		for j, c := range list {
			if c.Closed != (i == j) {
				closed = append(closed, c.ID)
			}
		}
		list[i].ToggleURL = p.Site.Closed(p.q.ID, closed)
	}
}

// Columns sorts the steps into columns. A column begins with steps that need the user,
// then failed, running and waiting ones. The column Done begins with the newest.
func (p *Quest) Columns() []views.Column {
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
			if j+1 < len(entries) {
				cards[j].Before = entries[j+1].step.ID
			}
		}
		result[i] = views.Column{ColumnText: column.text(), Cards: cards, Count: strconv.Itoa(len(cards))}
		if column.id == "done" {
			result[i].Count = doneCount(p.progress())
		}
	}
	return result
}

// doneCount is the number in the title of the column Done. The column also has the
// skipped steps, so they are counted apart.
func doneCount(p orchestration.Progress) string {
	if p.Skipped > 0 {
		return fmt.Sprintf("%d, %d skipped", p.Done, p.Skipped)
	}
	return strconv.Itoa(p.Done)
}

func urgency(s views.State) int {
	return slices.Index([]string{"ask", "bad", "running", "idle"}, s.Class)
}

// HeadTopic is the topic that the head of a quest's pages subscribes to.
func HeadTopic(quest string) string { return "head/" + quest }

// Page is a page of the quest: the tab that it is in, and how the quest leads to it.
func (p *Quest) Page(tab views.QuestTab, trail ...views.Link) *views.QuestPage {
	return &views.QuestPage{Head: p.Head(), Topic: HeadTopic(p.q.ID), Version: p.q.Version, Tab: tab, Trail: trail}
}

// Head is the head of every page of the quest.
func (p *Quest) Head() views.QuestHead {
	q := p.q
	slots := p.Slots
	if q.Slots > 0 {
		slots = min(slots, q.Slots)
	}
	h := views.QuestHead{ID: q.ID, Title: clean(q.Title), URL: p.Site.Quest(q.ID), State: p.State(),
		Busy: Busy(q), Slots: slots, Cost: p.cost(q.CostUSD, q.Used().Tokens), Spending: p.SpendingNow(), ReadOnly: p.guest(),
		Age: views.Since(q.CreatedAt, p.Now), Elapsed: views.Since(q.CreatedAt, p.Now)}
	if q.Over() {
		h.Elapsed = views.Lasted(q.CreatedAt, q.EndedAt)
	}
	if !p.guest() {
		h.Repo, h.Ward, h.Agent, h.RepoName = clean(q.Repo), clean(q.Ward), clean(q.Agent), clean(filepath.Base(q.Repo))
		h.Host = clean(q.Workplace.Host)
	}
	if !p.guest() && q.Workspace == orchestration.WorkspaceWorktree {
		branch, base := q.Branches()
		h.Branch, h.Base = clean(branch), clean(base)
	}
	h.Progress = views.Progress(p.progress())
	h.Why = Sentence(p.questWhy())
	if !q.Over() {
		h.Priority = priorityWords(q.Priority)
	}
	h.Size = p.size()
	if !p.guest() {
		h.Needs = NeedsWords(q.Needs(p.Holds))
		h.Asked, h.AskedURL, h.Attached = p.askedInShort(), paths.RequestText(q.ID), p.attached()
	}
	may := p.may()
	h.Pause, h.PauseNow, h.Resume = may(orchestration.ControlPause), may(orchestration.ControlPauseNow), may(orchestration.ControlResume)
	h.Abandon, h.Delete = may(orchestration.ControlAbandon), may(orchestration.ControlDelete)
	h.Change, h.FollowUp = may(orchestration.ControlChange), may(orchestration.ControlFollowUp)
	if q.Former != nil && !p.guest() {
		h.Follows = &views.Link{Words: OneLine(q.Former.Title, 80), URL: paths.Quest(q.Follows)}
	}
	if h.ResumeWords = "Try again"; q.Paused {
		h.ResumeWords = "Resume"
	}
	return h
}

// may returns a function that reports whether this visitor may use a control of the
// quest.
func (p *Quest) may() func(orchestration.Control) bool {
	if p.guest() {
		return offers(nil)
	}
	return offers(p.q.Controls(p.Now, p.Holds))
}

func (p *Quest) title(step string) string {
	if s := p.q.Step(step); s != nil {
		return StepTitle(s)
	}
	return clean(step)
}

// Row is the quest in the list of quests, with its menu.
func (p *Quest) Row() views.QuestHead {
	h := p.Head()
	h.Phase = phaseWords(p.q)
	h.Over = p.q.Over()
	if h.Over {
		h.Age = views.Since(p.q.EndedAt, p.Now)
	}
	return h
}

func phaseWords(q *orchestration.Quest) string {
	switch {
	case q.Over():
		return ""
	case q.Phase == orchestration.PhaseRequirements:
		return "Requirements"
	case q.Phase == orchestration.PhasePlan:
		return "Plan"
	case q.Phase == orchestration.PhaseReview:
		return "Review"
	default:
		return "Build"
	}
}

// Strip is the row of phases and gates at the top of the board.
func (p *Quest) Strip() views.Strip {
	outcome := p.outcome()
	build := "Build"
	if outcome.Total > 0 {
		build = fmt.Sprintf("Build %d/%d", outcome.Done, outcome.Total)
	}
	stops := []views.Stop{p.stop(orchestration.PhaseRequirements, "Requirements", orchestration.StepRequirements)}
	stops = append(stops, p.gateStop(orchestration.StepRequirements)...)
	stops = append(stops, p.stop(orchestration.PhasePlan, "Plan", orchestration.StepPlan))
	stops = append(stops, p.gateStop(orchestration.StepPlan)...)
	stops = append(stops,
		tickOnlyIf(outcome.Done == outcome.Total, p.stop(orchestration.PhaseSteps, build, "")),
		tickOnlyIf(outcome.Reviewed, p.stop(orchestration.PhaseReview, "Review", orchestration.StepReview)),
		tickOnlyIf(outcome.Green(), p.stop(orchestration.PhaseComplete, "Complete", "")))
	return views.Strip{Stops: stops}
}

// tickOnlyIf replaces the tick of a phase that has passed but left work undone.
func tickOnlyIf(all bool, s views.Stop) views.Stop {
	if s.Class == "passed" && !all {
		s.Class, s.Icon, s.Says = "partly", "!", "over, something is left"
	}
	return s
}

func (p *Quest) stop(phase orchestration.Phase, words, step string) views.Stop {
	at, now := slices.Index(orchestration.Phases, phase), slices.Index(orchestration.Phases, p.q.Phase)
	s := views.Stop{Words: words, Icon: "○", Says: "not begun"}
	if step != "" && at <= now {
		s.URL = p.Site.Step(p.q.ID, step)
	}
	switch {
	case step != "" && p.q.Step(step).Run == "" && (at < now || at > now && p.q.Errand()):
		s.Icon, s.Says = "–", "left out" // a quest with a plan of the user's own begins with its steps, an errand with its one
	case at < now || phase == orchestration.PhaseComplete && at == now:
		s.Class, s.Icon, s.Says = "passed", "✓", "over"
	case at > now:
	case p.q.Abandoned:
		s.Says = "abandoned"
	case step != "" && (p.q.Step(step).Hold != orchestration.HoldNone || p.q.GateOf(step) == orchestration.GateOpen):
		s.Class, s.Icon, s.Says = "attention", "?", "waits for a decision"
	default: // the quest may be paused, or wait
		s.Class, s.Icon, s.Says = "now", "▶", midSentence(p.State().Words)
	}
	return s
}

func (p *Quest) gateStop(step string) []views.Stop {
	url := paths.Gate(p.q.ID, step)
	if p.guest() {
		url = ""
	}
	switch p.q.GateOf(step) {
	case orchestration.GateOpen:
		return []views.Stop{{Words: "Approve", URL: url, Class: "attention", Icon: "?", Says: "waits for a decision"}}
	case orchestration.GateApproved:
		return []views.Stop{{Words: "Approved", URL: url, Class: "passed", Icon: "✓"}}
	case orchestration.GatePending:
		if p.q.Errand() {
			return nil
		}
		return []views.Stop{{Words: "Approve", Icon: "○", Says: "comes later"}}
	default:
		return nil
	}
}

// Whole has the cards of the quest-wide steps in progress. While requirements or a plan are
// written, it also has what there is of them, and the live output.
func (p *Quest) Whole() views.Whole {
	w := views.Whole{Cards: p.WholeCards()}
	for _, s := range p.wholeAtWork() {
		if s.ID == orchestration.StepReview {
			w.Title = "Review of the whole"
		}
		if !p.writing() {
			continue
		}
		if run := p.shownRun(s); run != nil && p.showsOutput() && (w.Log == nil || s.ID != orchestration.StepBaseline) {
			w.Log = p.log(run, "whole-log")
		}
		if s.ID != orchestration.StepBaseline && !p.q.Errand() {
			w.Document = p.stepDocument(s)
		}
	}
	return w
}

// WholeCards are the cards of the quest-wide steps in progress.
func (p *Quest) WholeCards() []views.Card {
	var cards []views.Card
	for _, s := range p.wholeAtWork() {
		cards = append(cards, p.card(s))
	}
	return cards
}

func (p *Quest) wholeAtWork() []*orchestration.Step {
	var list []*orchestration.Step
	for _, s := range p.q.Whole {
		if !p.q.Over() && s.Run != "" && !s.Stage.Settled() {
			list = append(list, s)
		}
	}
	return list
}

// writing reports whether the requirements or the plan are being written, or the
// requirements are to be approved. A plan is approved on the board, which shows its steps.
func (p *Quest) writing() bool {
	return p.q.Phase == orchestration.PhaseRequirements || p.q.Phase == orchestration.PhasePlan &&
		p.q.GateOf(orchestration.StepPlan) != orchestration.GateOpen
}
