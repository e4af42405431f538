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

// Stale reports whether a page was rendered from an older version than there
// is now. What is of many quests carries the version of none of them: it is
// rendered once more, for nobody knows what changed before the page was heard.
func (l Live) Stale(ctx context.Context, topic string, version int64) bool {
	kind, quest, _ := cutTopic(topic)
	if version == 0 {
		return quest == "" && slices.Contains(ofManyQuests, kind) || kind == "gantt" || kind == "gantt-of"
	}
	q, err := l.pages.Quests.Quest(ctx, quest)
	return err == nil && q.Version != version // a page of a quest that is gone is left alone
}

// cutTopic takes kind/quest/rest apart.
func cutTopic(topic string) (kind, quest, rest string) {
	kind, rest, _ = strings.Cut(topic, "/")
	quest, rest, _ = strings.Cut(rest, "/")
	return kind, quest, rest
}

// Render renders the elements of the topics.
func (l Live) Render(ctx context.Context, topics []string) (string, error) {
	r := &renderer{ctx: ctx, pages: l.pages, guest: l.guest}
	slots := false
	cards, graphs := map[string]*changes{}, map[string]*changes{}
	for _, topic := range topics {
		kind, quest, rest := cutTopic(strings.TrimSuffix(topic, live.All))
		switch {
		case kind == topicNav:
			r.nav()
		case kind == topicInbox:
			r.inbox()
		case topic == topicQuests+live.All:
			r.rows()
		case kind == topicQuests && quest != "":
			r.row(quest)
		case kind == "board" && quest != "":
			if rest == "" {
				r.board(quest)
			}
			note(cards, quest, rest, topic)
		case kind == "graph" && quest != "":
			note(graphs, quest, rest, topic)
		case kind == topicSlots:
			slots = true
		case kind == "cost":
			r.costs(quest)
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
	for quest, changed := range cards {
		r.cards(quest, changed)
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

// changes are the cards of one quest that are to be rendered.
type changes struct {
	all   bool
	lines map[string]bool // and whoever speaks of them
	tails map[string]bool // themselves alone
}

// note takes down what a topic says of a quest.
func note(of map[string]*changes, quest, rest, topic string) {
	if of[quest] == nil {
		of[quest] = &changes{lines: map[string]bool{}, tails: map[string]bool{}}
	}
	of[quest].add(rest, strings.HasSuffix(topic, live.All))
}

func (c *changes) add(rest string, all bool) {
	line, isTail := strings.CutSuffix(rest, tail)
	switch {
	case all:
		c.all = true
	case line == "":
	case isTail:
		c.tails[line] = true
	default:
		c.lines[line] = true
	}
}

func (c *changes) touch(s *orchestration.Step) bool {
	return c.all || c.lines[s.ID] || c.tails[s.ID] || len(c.lines) > 0 && speaksOf(s, c.lines)
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

// quest is nil where it is gone: the page finds out when it is read again.
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
	r.add(views.NeedsCount(len(r.pages.needs(active))))
	r.add(views.SlotMeter(busyOf(active), r.pages.Quests.Slots()))
	r.add(views.ReadOnlyBar(r.pages.Notice()))
}

func (r *renderer) inbox() {
	page := r.pages.inbox("")
	r.add(views.NeedsTotal(page.Total))
	r.add(views.InboxList(page))
}

func (r *renderer) row(quest string) {
	_, p := r.quest(quest)
	if p == nil {
		r.add(views.QuestGone(quest))
		return
	}
	r.add(views.QuestRow(p.Row()))
}

// rowsOver is how many quests that ended last are rendered with those that go on.
const rowsOver = 10

// rows renders what may have changed since a list was read.
func (r *renderer) rows() {
	over, err := r.pages.Quests.Ended(r.ctx, orchestration.EndedFilter{N: rowsOver})
	if err != nil {
		r.err = err
		return
	}
	for _, q := range r.pages.active(questList{}) {
		r.add(views.QuestRow(r.pages.present(q).Row()))
	}
	for _, e := range over {
		r.add(views.QuestRow(r.pages.endedRow(e)))
	}
}

// board renders what stands above and around the cards.
func (r *renderer) board(quest string) {
	_, p := r.quest(quest)
	if p == nil {
		return
	}
	board := p.Board(false)
	r.add(views.QuestHeadView(board.Head))
	r.add(views.StripView(board.Strip))
	r.add(views.AlertsView(board.Alerts))
	r.whole(board.Whole)
	for _, column := range board.Columns {
		r.add(views.ColumnCount(column))
	}
}

func (r *renderer) whole(w views.Whole) {
	r.pages.measure(w.Log)
	r.add(views.WholeView(w))
}

// cards renders what changed, each card with its place. A column goes from its
// end to its beginning, so that the card that another stands before is there
// first.
func (r *renderer) cards(quest string, changed *changes) {
	q, p := r.quest(quest)
	if q == nil {
		return
	}
	if slices.ContainsFunc(q.Whole[:], func(s *orchestration.Step) bool { return changed.lines[s.ID] || changed.tails[s.ID] }) {
		r.whole(p.Whole())
	}
	for _, column := range p.Columns(false) {
		for _, card := range slices.Backward(column.Cards) {
			if changed.touch(q.Line(card.ID)) {
				r.add(views.CardView(card, "li", true))
			}
		}
	}
}

// speaksOf reports whether a card names one of the lines as what it waits for.
func speaksOf(s *orchestration.Step, changed map[string]bool) bool {
	if s.Stage == orchestration.StageReady {
		return true // it says who is in its way
	}
	return s.Stage == orchestration.StageWaiting &&
		slices.ContainsFunc(s.DependsOn, func(d string) bool { return changed[d] })
}

// step renders the parts of an open panel. The log's rows are the browser's.
func (r *renderer) step(quest, line string) {
	q, p := r.quest(quest)
	if q == nil {
		return
	}
	s := q.Line(line)
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
		r.add(views.StepCostView(v))
	}
	r.add(views.StepOutside(v))
	r.add(views.StepSignals(v))
	r.add(views.StepRuns(v))
	r.add(views.StepPlace(v))
	r.add(views.StepDocument(v))
	r.add(views.StepLogPatch(v))
	for _, question := range q.Questions.All() {
		if question.Line == line && !question.Open() { // for its own page
			r.add(views.QuestionView(p.Question(question)))
		}
	}
}

func (r *renderer) gate(quest, line string) {
	q, _ := r.quest(quest)
	if q == nil {
		return
	}
	gate, err := r.pages.gateView(r.ctx, q, line)
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

// Watch rings when the run has new lines.
func (l Live) Watch(run string) (<-chan struct{}, func()) {
	return l.pages.Output.Watch(strings.TrimSuffix(run, rawLog))
}
