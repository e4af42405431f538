package present

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Question is a question with its answer or with the form for an answer.
func (p *Quest) Question(question *orchestration.Question) views.Question {
	session := ""
	if r := p.q.Run(question.Run); r != nil && r.Opened && !p.guest() {
		session = clean(r.SessionID)
	}
	text, context, answer := p.prose(p.asked(question)), question.Context, question.Answer
	if question.AsksPermission() && p.guest() {
		context, answer = "", "" // they tell the call
	}
	return views.Question{Options: options(text), Session: session, ID: question.ID, URL: p.Site.Question(question.ID), ReadOnly: p.guest(),
		AnswerURL: p.answerURL(question),
		PostURL:   paths.AnswerQuestion(question.ID),
		Quest:     clean(p.q.Title), QuestURL: p.Site.Quest(p.q.ID),
		Step: p.title(question.Step), StepURL: p.Site.Step(p.q.ID, question.Step),
		Role: RoleName(question.Role), Text: text, Context: p.prose(context), Wall: wallWords(question.Wall),
		Waiting: views.Since(question.AskedAt, p.Now), Open: p.q.May(orchestration.AnswerGiven{Question: question.ID}) == nil,
		Answer: clean(answer), AnsweredBy: p.answeredBy(question), Closed: closed(p.q, question),
		Calls: p.calls(question), Reason: clean(question.Reason), OverdueAt: p.overdueAt(question), FreeSlots: p.freeSlots(), Slots: p.Slots}
}

// answeredBy names who answered: the owner, or a guest by the name that was given.
func (p *Quest) answeredBy(question *orchestration.Question) string {
	if question.AnsweredBy == "user" {
		return p.owner()
	}
	return clean(question.AnsweredBy)
}

// asked is what the question asks. Guests do not learn which call waits.
func (p *Quest) asked(question *orchestration.Question) string {
	if question.AsksPermission() && p.guest() {
		return "May I make this call?"
	}
	return question.Says()
}

// calls are the calls that wait, or waited, for permission; none for guests.
func (p *Quest) calls(question *orchestration.Question) []views.Call {
	if p.guest() {
		return nil
	}
	var list []views.Call
	for _, c := range question.Calls {
		list = append(list, views.Call{Tool: clean(c.Tool), Text: clean(c.Text), Rules: clean(strings.Join(c.Rules, ", ")),
			Decision: decisionWords(c)})
	}
	return list
}

func (p *Quest) overdueAt(question *orchestration.Question) string {
	if at := p.q.OverdueAt(question); !at.IsZero() {
		return "If nobody answers until " + at.UTC().Format("2006-01-02 15:04") + " UTC, the agent goes on without it."
	}
	return ""
}

// decisionWords say what a person decided about a call; "" while it waits.
func decisionWords(c orchestration.Call) string {
	if c.Overdue {
		return "Not allowed: nobody answered in time"
	}
	switch c.Decision {
	case orchestration.AllowOnce:
		return "Allowed once"
	case orchestration.AllowStep:
		return "Allowed for this step"
	case orchestration.AllowQuest:
		return "Allowed for this quest"
	case orchestration.DenyCall:
		return "Denied"
	default:
		return ""
	}
}

// freeSlots is how many slots of the server are free; -1 for guests, who do not know of
// other quests.
func (p *Quest) freeSlots() int {
	if p.Active == nil {
		return -1
	}
	free := p.Slots
	for _, q := range p.Active() {
		free -= Busy(q)
	}
	return max(0, free)
}

// wallWords says what of the environment stops the agent that asks.
func wallWords(w orchestration.Wall) string {
	switch w {
	case orchestration.WallNetwork:
		return "The network stops the agent"
	case orchestration.WallTool:
		return "A missing tool stops the agent"
	case orchestration.WallPort:
		return "A taken port stops the agent"
	case orchestration.WallCredential:
		return "A missing login or key stops the agent"
	case orchestration.WallOther:
		return "Something outside of the repository stops the agent"
	default:
		return ""
	}
}

// answerURL is where the form sends an answer. It is "" if the visitor may not answer.
func (p *Quest) answerURL(question *orchestration.Question) string {
	if p.guest() && (!p.Share.Answer || question.AsksPermission()) {
		return ""
	}
	return p.Site.Question(question.ID)
}

func closed(q *orchestration.Quest, question *orchestration.Question) string {
	if question.Overdue() {
		return "Nobody answered in time, and the agent went on without it."
	}
	if question.Closed == "" && question.Open() && q.Over() {
		return "The quest has ended; no agent waits for the answer any more."
	}
	return clean(question.Closed)
}

// Need is an entry in the list of what needs the user, with its remedy.
func (p *Quest) Need(n orchestration.Need) views.Need {
	item := views.Need{ID: "need-" + strings.Join([]string{n.Quest, string(n.Kind), cmp.Or(n.Question, n.Step)}, "-"), Kind: string(n.Kind),
		Icon:  "?",
		Quest: clean(p.q.Title), QuestURL: p.Site.Quest(p.q.ID), Text: Sentence(n.Reason), Waiting: views.Since(n.Since, p.Now)}
	settings := paths.QuestSettings(p.q.ID)
	switch n.Kind {
	case orchestration.NeedAnswer, orchestration.NeedPermission:
		p.askedNeed(&item, p.q.Question(n.Question))
	case orchestration.NeedApproval:
		item.Title, item.Label, item.URL = p.gateWords(n.Step), "Read and approve", paths.Gate(p.q.ID, n.Step)
		item.Text = "" // the title has the reason
	case orchestration.NeedDecision:
		s := p.q.Step(n.Step)
		state, _ := p.state(s)
		item.Icon, item.Title, item.Step = state.Icon, state.Words, StepTitle(s)
		item.Label, item.URL = "Decide", p.Site.Step(p.q.ID, s.ID)
		if p.Decisions(s).Retry {
			item.Label, item.URL = "Retry with instructions", paths.AskRetry(p.q.ID, s.ID)
		}
		if s.Block.Kind == orchestration.BlockStopped { // the title already says it
			item.Text = ""
		}
	case orchestration.NeedYours:
		s := p.q.Step(n.Step)
		item.Icon, item.Title, item.Step = stateYours.Icon, "You took the step over", StepTitle(s)
		item.Label, item.URL = "Done, or give back", p.Site.Step(p.q.ID, s.ID)
	case orchestration.NeedBudget:
		item.Title, item.Label, item.URL = "The budget is spent", "Raise the budget", settings
	case orchestration.NeedRuns:
		item.Title, item.Label, item.URL = "The run limit is reached", "Raise the limit", settings
	case orchestration.NeedStart:
		item.Icon, item.Title, item.Post, item.PostURL = "✕", "The agent cannot start", "Try again", paths.ResumeQuest(p.q.ID)
	case orchestration.NeedFallback:
		s := p.q.Step(n.Step)
		item.Icon, item.Title, item.Step = "↻", RoleName(p.q.Run(s.Run).Role)+" waits for its account", StepTitle(s)
		item.Post, item.PostURL = "Go on with "+p.oneLine(n.Agent, 60)+" now", paths.Fallback(p.q.ID, s.ID)
	case orchestration.NeedDelivery:
		branch, base := p.q.Branches()
		item.Icon, item.Title, item.Label, item.URL = "⎇", "Ready to merge", "See the result", paths.Delivery(p.q.ID)
		item.Text = fmt.Sprintf("It is on the branch %s and not in %s yet.", branch, clean(base))
	case orchestration.NeedRepair:
		item.Icon, item.Title, item.Label, item.URL = "✕", "The quest is damaged", "See the quest", p.Site.Quest(p.q.ID)
	case orchestration.NeedLogin: // is of the server
	}
	return item
}

// NeedsWords says what of a quest waits for the user, in a few words; empty: nothing.
func NeedsWords(list []orchestration.Need) string {
	var kinds []orchestration.NeedKind
	count := map[orchestration.NeedKind]int{}
	for _, n := range list {
		if count[n.Kind]++; count[n.Kind] == 1 {
			kinds = append(kinds, n.Kind)
		}
	}
	var words []string
	for _, kind := range kinds {
		words = append(words, needsOfKind(kind, count[kind]))
	}
	return strings.Join(words, ", ")
}

// needsOfKind says that n things of a kind wait. Of the kinds without a number a quest has one.
func needsOfKind(kind orchestration.NeedKind, n int) string {
	switch kind {
	case orchestration.NeedAnswer:
		return views.Count(n, "question", "questions")
	case orchestration.NeedPermission:
		return views.Count(n, "permission", "permissions")
	case orchestration.NeedApproval:
		return views.Count(n, "approval", "approvals")
	case orchestration.NeedDecision:
		return views.Count(n, "blocked step", "blocked steps")
	case orchestration.NeedYours:
		return views.Count(n, "step of yours", "steps of yours")
	case orchestration.NeedBudget:
		return "budget spent"
	case orchestration.NeedRuns:
		return "run limit reached"
	case orchestration.NeedStart:
		return "agent cannot start"
	case orchestration.NeedLogin:
		return "login missing"
	case orchestration.NeedFallback:
		return views.Count(n, "session held", "sessions held")
	case orchestration.NeedDelivery:
		return "ready to merge"
	case orchestration.NeedRepair:
		return "damaged"
	}
	return ""
}

func (p *Quest) askedNeed(item *views.Need, question *orchestration.Question) {
	view := p.Question(question)
	item.Title, item.Step, item.Role = view.Role+" asks", view.Step, view.Role
	if question.AsksPermission() {
		item.Title = view.Role + " asks for permission"
	}
	item.Text, item.Prose, item.Label, item.URL = view.Text, !question.AsksPermission(), "Answer", view.URL
}

// stepDocument is what a quest-wide step has written so far.
func (p *Quest) stepDocument(s *orchestration.Step) *views.Document {
	switch s.ID {
	case orchestration.StepRequirements:
		return &views.Document{Requirements: p.requirements()}
	case orchestration.StepPlan:
		d := &views.Document{Steps: p.plan()}
		p.lists(d)
		return d
	default:
		return nil
	}
}

// lists adds the observables that no step of the plan has: those of the review, and those
// that the plan leaves out.
func (p *Quest) lists(d *views.Document) {
	texts := p.observableTexts()
	review, uncovered := p.q.Step(orchestration.StepReview).Observables, p.q.Uncovered
	if p.q.Steps.Len() == 0 {
		written := p.q.Written(orchestration.StepPlan)
		review, uncovered = written.Review, written.Uncovered
	}
	for _, o := range review {
		d.OnWhole = append(d.OnWhole, views.Observable{ID: clean(o), Text: texts[o]})
	}
	for _, u := range uncovered {
		d.LeftOut = append(d.LeftOut, views.LeftOut{ID: clean(u.Observable), Text: texts[u.Observable], Why: clean(u.Why)})
	}
}

// planSteps are the steps of the plan in force.
func (p *Quest) planSteps() []orchestration.PlanStep {
	var steps []orchestration.PlanStep
	for _, s := range p.q.Steps.All() {
		if s.Stage != orchestration.StageSuperseded {
			steps = append(steps, s.PlanStep)
		}
	}
	return steps
}

// plan is the plan in force, or the draft that waits for approval.
func (p *Quest) plan() []views.PlannedStep {
	steps := p.planSteps()
	if r := p.q.Run(p.q.Step(orchestration.StepPlan).Run); len(steps) == 0 && r != nil && r.Draft != nil {
		steps = r.Draft.Steps
	}
	words := p.observableTexts()
	for _, s := range steps {
		words[s.ID] = StepTitle(&orchestration.Step{PlanStep: s})
	}
	inWords := func(ids []string) []string {
		list := make([]string, len(ids))
		for i, id := range ids {
			list[i] = cmp.Or(words[id], clean(id))
		}
		return list
	}
	list := make([]views.PlannedStep, len(steps))
	for i, s := range steps {
		list[i] = views.PlannedStep{ID: clean(s.ID), Title: clean(s.Title), Description: p.prose(s.Description), Files: CleanAll(s.Files),
			DependsOn: CleanAll(s.DependsOn), Observables: CleanAll(s.Observables), After: inWords(s.DependsOn), Satisfies: inWords(s.Observables),
			Risk: p.riskWords(s)}
		if s.Minutes > 0 {
			list[i].Minutes = fmt.Sprintf("about %.0f min", s.Minutes)
		}
	}
	return list
}

// observableTexts returns the texts of the observables by their ids.
func (p *Quest) observableTexts() map[string]string {
	texts := map[string]string{}
	for _, r := range p.q.Requirements {
		for _, o := range r.Observables {
			texts[o.ID] = clean(o.Text)
		}
	}
	return texts
}

// A request can have a megabyte, so pages show its beginning. askedShown is how many
// bytes of it a page shows, and askedHinted how many characters the facts of the board
// show.
const (
	askedShown  = 16 << 10
	askedHinted = 300
)

// Asked is the user's request. It is nil if it is not known any more, and for guests,
// because a share does not include it.
func (p *Quest) Asked() *views.Asked {
	if p.q.Request == "" || p.guest() {
		return nil
	}
	request := p.q.Request
	if wishes := p.q.Wishes(); len(wishes) > 0 { // the newest is what the document is compared with
		request = wishes[len(wishes)-1].Text + "\n\nBefore that:\n\n" + request
	}
	text, cut := beginning(request, askedShown)
	a := views.Asked{Text: clean(text), URL: paths.RequestText(p.q.ID), Files: p.attached()}
	if cut {
		a.More = Bytes(int64(len(request)))
	}
	return &a
}

// askedInShort is the beginning of the request on one line.
func (p *Quest) askedInShort() string {
	text, cut := beginning(p.q.Request, 4*askedHinted)
	r := []rune(strings.Join(strings.Fields(clean(text)), " "))
	if cut || len(r) > askedHinted {
		return string(r[:min(len(r), askedHinted)]) + " …"
	}
	return string(r)
}

// beginning returns at most n bytes of a text, cut between characters.
func beginning(s string, n int) (text string, cut bool) {
	if len(s) <= n {
		return s, false
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], true
}
