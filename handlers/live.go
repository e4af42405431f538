package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/live"
)

// Live renders what changed for open pages. It is the renderer and the log
// reader of web/live.
type Live struct {
	pages *Pages
	guest *guest // nil: the owner
}

// NewLive returns the live side of the owner's pages.
func NewLive(p *Pages) Live { return Live{pages: p} }

// Stale reports whether a page was rendered from an older version than the current one.
// A topic about several quests has no version, so it is always rendered again: nobody
// knows what changed before the page subscribed.
func (l Live) Stale(ctx context.Context, topic string, version int64) bool {
	kind, quest, _ := cutTopic(topic)
	if version == 0 {
		return quest == "" && slices.Contains(ofManyQuests, kind) || kind == "gantt" || kind == "gantt-of"
	}
	q, err := l.pages.Quests.Quest(ctx, quest)
	return err == nil && q.Version != version // ignore a page of a deleted quest
}

// cutTopic splits kind/quest/rest.
func cutTopic(topic string) (kind, quest, rest string) {
	kind, rest, _ = strings.Cut(topic, "/")
	quest, rest, _ = strings.Cut(rest, "/")
	return kind, quest, rest
}

// Render renders the elements of the topics.
func (l Live) Render(ctx context.Context, topics []string) (string, error) {
	r := &renderer{ctx: ctx, pages: l.pages, guest: l.guest}
	var list listChanges
	slots := false
	boards, graphs := map[string]*changes{}, map[string]*changes{}
	for _, topic := range topics {
		kind, quest, rest := cutTopic(strings.TrimSuffix(topic, live.All))
		if rest, is := strings.CutSuffix("/"+rest, ofSpending); is {
			r.spending(kind, quest, strings.TrimPrefix(rest, "/"))
			continue
		}
		switch {
		case kind == topicNav:
			r.nav()
		case kind == topicInbox:
			r.inbox()
		case topic == topicQuests+live.All:
			list.all = true
		case kind == topicQuests && quest != "":
			list.quests = append(list.quests, quest)
		case kind == "head":
			r.head(quest)
		case kind == "board" && quest != "":
			note(boards, quest, rest, topic)
		case kind == "graph" && quest != "":
			note(graphs, quest, rest, topic)
		case kind == topicSlots:
			slots = true
		case kind == "cost":
			r.costs(quest)
		case kind == "evidence":
			r.evidence(quest)
		case kind == "gantt", kind == "gantt-of":
			r.gantt(quest, rest)
		case kind == "step" && rest != "":
			r.step(quest, rest)
		case kind == "history" && quest != "":
			r.history(quest)
		case kind == "timeline" && rest != "":
			r.timeline(quest, rest)
		case kind == "gate" && rest != "":
			r.gate(quest, rest)
		}
	}
	if slots {
		r.slotsNow()
	}
	if list.all || len(list.quests) > 0 {
		r.list(list)
	}
	for quest, changed := range boards {
		r.board(quest, changed)
	}
	for quest, changed := range graphs {
		r.graph(quest, changed)
	}
	if r.err != nil || l.guest == nil {
		return r.out.String(), r.err
	}
	safe, err := l.pages.redactorFor(l.guest).HTML(r.out.Bytes())
	return string(safe), err
}

// changes lists what to render of one quest's board, or of its graph.
type changes struct {
	quest bool            // what belongs to no card
	all   bool            // every card
	steps map[string]bool // these cards, and cards that mention them
	tails map[string]bool // only these cards
}

// note records what a topic says about a quest.
func note(of map[string]*changes, quest, rest, topic string) {
	if of[quest] == nil {
		of[quest] = &changes{steps: map[string]bool{}, tails: map[string]bool{}}
	}
	of[quest].add(rest, strings.HasSuffix(topic, live.All))
}

func (c *changes) add(rest string, all bool) {
	step, isTail := strings.CutSuffix(rest, tail)
	c.quest = c.quest || step == ""
	switch {
	case all:
		c.all = true
	case step == "":
	case isTail:
		c.tails[step] = true
	default:
		c.steps[step] = true
	}
}

func (c *changes) touch(s *orchestration.Step) bool {
	return c.all || c.steps[s.ID] || c.tails[s.ID] ||
		s.Stage == orchestration.StageWaiting && slices.ContainsFunc(s.DependsOn, func(d string) bool { return c.steps[d] })
}

// speaks reports whether a card that is not touched may say something else now: what prevents
// a step from starting can be any other step.
func (c *changes) speaks(s *orchestration.Step) bool {
	return len(c.steps) > 0 && s.Stage == orchestration.StageReady
}

// renderer gathers the elements of one frame.
type renderer struct {
	ctx   context.Context
	pages *Pages
	guest *guest
	out   bytes.Buffer
	err   error
}

func (r *renderer) add(view templ.Component) {
	if r.err == nil {
		r.err = view.Render(r.ctx, &r.out)
	}
}

// quest returns nil for a deleted quest; the page notices at its next load.
func (r *renderer) quest(id string) (*orchestration.Quest, *present.Quest) {
	q, err := r.pages.Quests.Quest(r.ctx, id)
	switch {
	case orchestration.CodeOf(err) == orchestration.CodeNotFound:
		return nil, nil
	case err != nil:
		r.err = err
		return nil, nil
	}
	return q, r.pages.presentTo(r.guest, q)
}

func (r *renderer) nav() {
	active := r.pages.Quests.Active()
	r.add(views.NeedsCount(r.pages.navNeeds(active)))
	r.add(views.SlotMeter(busyOf(active), r.pages.Quests.Slots()))
	r.add(views.ReadOnlyBar(r.pages.ReadOnlyNotice()))
}

func (r *renderer) inbox() {
	page := r.pages.inbox("")
	r.add(views.NeedsTotal(page.Total))
	r.add(views.InboxList(page))
}

// listChanges lists what to render of the list of quests.
type listChanges struct {
	all    bool     // whatever may have changed since the list was read
	quests []string // these quests
}

// rowsOver is how many of the quests that ended last are rendered together with the
// active ones.
const rowsOver = 10

// list renders the rows of the list of quests that changed, each with its place. It goes
// through the list from the end, so that the row that comes after another one is there first.
func (r *renderer) list(changed listChanges) {
	active := r.pages.active(questList{})
	over, err := r.pages.Quests.Ended(r.ctx, orchestration.EndedFilter{N: rowsOver + 1})
	if err != nil {
		r.err = err
		return
	}
	done := map[string]bool{}
	place := &views.ListPlace{}
	for i, e := range slices.Backward(over) {
		switch {
		case slices.ContainsFunc(active, func(q *orchestration.Quest) bool { return q.ID == e.ID }):
			continue // it has just ended
		case i == rowsOver: // one more than is rendered: it is the place of the one before it
		case changed.all, slices.Contains(changed.quests, e.ID):
			r.add(views.QuestRow(r.pages.endedRow(e), place))
			done[e.ID] = true
		}
		place = &views.ListPlace{Before: e.ID}
	}
	for _, q := range slices.Backward(active) {
		if changed.all || slices.Contains(changed.quests, q.ID) {
			r.add(views.QuestRow(r.pages.present(q).Row(), place))
			done[q.ID] = true
		}
		place = &views.ListPlace{Before: q.ID}
	}
	for _, quest := range changed.quests { // these are further down, or gone
		if done[quest] {
			continue
		}
		if _, p := r.quest(quest); p != nil {
			r.add(views.QuestRow(p.Row(), nil))
		} else {
			r.add(views.QuestGone(quest))
		}
		done[quest] = true
	}
	if r.guest == nil {
		r.filters()
	}
}

// filters renders how many quests each filter of the list shows.
func (r *renderer) filters() {
	for _, c := range r.pages.filterCounts() {
		r.add(views.TabCountView(c))
	}
}

// head renders the head of every page of a quest.
func (r *renderer) head(quest string) {
	if _, p := r.quest(quest); p != nil {
		r.add(views.QuestHeadView(p.Head()))
	}
}

// board renders what changed, each card with its place. It goes through a column from
// the end, so that the card that comes after another one is there first.
func (r *renderer) board(quest string, changed *changes) {
	q, p := r.quest(quest)
	if q == nil {
		return
	}
	columns := p.Columns()
	if changed.quest {
		r.add(views.StripView(p.Strip()))
		r.add(views.AlertsView(p.Alerts()))
		for _, column := range columns {
			r.add(views.ColumnCount(column))
		}
	}
	r.whole(q, p, changed)
	for _, column := range columns {
		for _, card := range slices.Backward(column.Cards) {
			if changed.touch(q.Step(card.ID)) {
				r.add(views.CardView(card, "li", true))
			}
		}
	}
	for _, column := range columns { // hundreds of them may wait: after what has changed
		for _, card := range column.Cards {
			if step := q.Step(card.ID); changed.speaks(step) && !changed.touch(step) {
				r.add(views.CardWhy(card))
			}
		}
	}
}

// whole renders the quest-wide steps, with the document that is being written. A line of
// output changes only their cards.
func (r *renderer) whole(q *orchestration.Quest, p *present.Quest, changed *changes) {
	if changed.quest || slices.ContainsFunc(q.Whole[:], func(s *orchestration.Step) bool { return changed.steps[s.ID] }) {
		whole := p.Whole()
		r.pages.measure(whole.Log)
		r.add(views.WholeView(whole))
		return
	}
	if !slices.ContainsFunc(q.Whole[:], func(s *orchestration.Step) bool { return changed.tails[s.ID] }) {
		return
	}
	for _, card := range p.WholeCards() {
		if changed.tails[card.ID] {
			r.add(views.CardView(card, "div", true))
		}
	}
}

// step renders the parts of an open panel, except the log's rows, which the browser
// adds.
func (r *renderer) step(quest, step string) {
	q, p := r.quest(quest)
	if q == nil {
		return
	}
	s := q.Step(step)
	if s == nil {
		return
	}
	v := p.Step(s, "")
	r.pages.measure(v.Log)
	r.add(views.StepHead(v))
	r.add(views.StepQuestion(v))
	r.add(views.StepDecisions(v))
	if !v.ReadOnly {
		r.add(views.StepTabCounts(v))
		r.add(views.StepCostView(v.StepCost))
	}
	r.add(views.StepOutside(v))
	r.add(views.StepSignals(v))
	r.add(views.StepRuns(v))
	r.add(views.StepPlace(v))
	r.add(views.StepDocument(v))
	r.add(views.StepFacts(v))
	r.add(views.StepReported(v))
	r.add(views.StepPicker(v))
	r.add(views.StepLogPatch(v))
	for _, question := range q.Questions.All() {
		if question.Step == step && !question.Open() { // for its own page
			r.add(views.QuestionView(p.Question(question)))
		}
	}
}

func (r *renderer) gate(quest, step string) {
	q, _ := r.quest(quest)
	if q == nil {
		return
	}
	gate, err := r.pages.gateView(r.ctx, q, step)
	if err != nil {
		r.err = err
	}
	if gate != nil {
		r.add(views.GateSheet(*gate))
	}
}

// Lines reads readable lines of a run's output.
func (l Live) Lines(run string, from, n int) ([]json.RawMessage, int, error) {
	return l.pages.readableLines(l.guest, run, from, n)
}

// Watch implements live.Logs. The key is a run's id, with the suffix rawLog for its raw
// output.
func (l Live) Watch(key string) (<-chan struct{}, func()) {
	return l.pages.Output.Watch(strings.TrimSuffix(key, rawLog))
}
