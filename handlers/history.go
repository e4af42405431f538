package handlers

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

const (
	// historyPage is how many entries a page has.
	historyPage = 100
	// historyNews is how many new entries are counted.
	historyNews = 99
)

func historyTopic(quest string) string { return "history/" + quest }

// History shows what happened in a quest, newest first.
func (p *Pages) History(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	frame := p.questFrame(nil, q, "History · "+q.Title, views.TabHistory)
	frame.Topic, frame.Version = historyTopic(q.ID), q.Version
	f := readHistoryFilter(c.QueryParams())
	f.after, f.technical = 0, technicalOf(c)
	if look := views.LookOf(looking(c)); look.Technical != f.technical { // the person chose it on this page
		look.Technical = f.technical
		keepLook(c, look)
	}
	list, older, newest, err := p.historyList(ctx, q, f)
	if err != nil {
		return err
	}
	url := paths.History(q.ID)
	page := views.History{Frame: frame, URL: url, List: list, Chosen: f.chosen(), Later: f.before > 0,
		Types: historyTypes(f.kind), Actors: historyActors(f.actor), Step: views.Visible(f.step), Steps: p.present(q).HistorySteps(),
		NewestURL: url + f.query(), CSVURL: paths.HistoryCSV(q.ID) + f.query(), JSONURL: paths.HistoryJSON(q.ID) + f.query(),
		Seq: q.Seq, NewsURL: paths.HistoryNews(q.ID) + f.query("after", strconv.FormatInt(max(newest, q.Seq), 10))}
	if f.kind == "" {
		page.Technical = f.technical
		page.TechnicalURL = url + f.query("technical", map[bool]string{false: "on", true: "off"}[f.technical])
	}
	if older > 0 {
		page.OlderURL = url + f.query("before", strconv.FormatInt(older, 10))
	}
	return render(c, http.StatusOK, views.HistoryPage(page))
}

// historyList returns one page of the history of a quest or of one of its steps. older
// is the entry that the next page ends before (0: there is none), newest the newest
// entry.
func (p *Pages) historyList(ctx context.Context, q *orchestration.Quest,
	f historyFilter) (list views.HistoryList, older, newest int64, err error) {
	events, err := p.Quests.Events(ctx, q.ID, f.shown(historyPage+1))
	if err != nil {
		return list, 0, 0, fmt.Errorf("read the history: %w", err)
	}
	if len(events) > historyPage {
		events = events[:historyPage]
		older = events[historyPage-1].Seq
	}
	if len(events) > 0 {
		newest = events[0].Seq
	}
	part := present.HistoryPart{ByRun: f.kind == "" && f.actor == "", Technical: f.technical || f.kind != "", Older: older > 0,
		Newer: f.before > 0}
	return p.present(q).History(events, part), older, newest, nil
}

// technicalOf reports whether technical events are shown: ?technical= says so, or else what
// this browser kept.
func technicalOf(c echo.Context) bool {
	if chosen := c.QueryParam("technical"); chosen != "" {
		return chosen == "on"
	}
	return views.LookOf(looking(c)).Technical
}

// HistoryNews returns a link to what has happened since ?after=SEQ, so that the list
// does not move while a person reads it. It also says what came of the runs ?live=.
func (p *Pages) HistoryNews(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	f := readHistoryFilter(c.QueryParams())
	f.before, f.technical = 0, technicalOf(c)
	events, err := p.Quests.Events(c.Request().Context(), q.ID, f.shown(historyNews+1))
	if err != nil {
		return fmt.Errorf("read the history: %w", err)
	}
	news := views.HistoryNews{URL: paths.HistoryNews(q.ID) + f.query("after", strconv.FormatInt(f.after, 10))}
	if len(events) > 0 {
		news.Words, news.NewestURL = newsWords(len(events), historyNews), paths.History(q.ID)+f.query()
	}
	show, live := p.present(q), c.QueryParams()["live"]
	work := show.WorkOf(events)
	for _, id := range live[:min(len(live), historyPage)] {
		if r := q.Run(id); r != nil {
			news.Runs = append(news.Runs, show.RunHead(r, work[id]))
		}
	}
	return render(c, http.StatusOK, views.HistoryNewsView(news))
}

// history renders the parts of the page that change.
func (r *renderer) history(quest string) {
	if q, _ := r.quest(quest); q != nil {
		r.add(views.HistoryTick(q.Seq))
	}
}

// historyGroup is a group of entry types that a person may look for.
type historyGroup struct {
	name, words string
	types       []orchestration.EventType
}

// historyGroups returns the groups. Each type is in one of them.
func historyGroups() []historyGroup {
	return []historyGroup{
		{"signal", "Signals", []orchestration.EventType{orchestration.EventSignalAccepted, orchestration.EventSignalRefused}},
		{"question", "Questions and answers", []orchestration.EventType{orchestration.EventQuestionAsked, orchestration.EventQuestionAnswered,
			orchestration.EventQuestionClosed, orchestration.EventCallAllowed, orchestration.EventRuleAllowed}},
		{"gate", "Approvals", []orchestration.EventType{orchestration.EventGateOpened, orchestration.EventGateApproved,
			orchestration.EventGateSentBack}},
		{"plan", "Requirements and plan", []orchestration.EventType{orchestration.EventRequirementsStored, orchestration.EventRequirementsLocked,
			orchestration.EventChangeRequested,
			orchestration.EventPlanStored, orchestration.EventPlanInForce}},
		{"run", "Agent runs", []orchestration.EventType{orchestration.EventRunQueued, orchestration.EventRunGranted,
			orchestration.EventRunStarted,
			orchestration.EventRunEnded, orchestration.EventRunMessaged, orchestration.EventRunFallback}},
		{"ward", "Checks", []orchestration.EventType{orchestration.EventWardPassed, orchestration.EventWardFailed,
			orchestration.EventBaselinePassed, orchestration.EventBaselineFailed, orchestration.EventBaselineAccepted}},
		{"step", "Steps", []orchestration.EventType{orchestration.EventStepReady, orchestration.EventStepStage, orchestration.EventStepDone,
			orchestration.EventStepBlocked,
			orchestration.EventStepSkipped, orchestration.EventSkipUndone, orchestration.EventStepYours, orchestration.EventStepByHand,
			orchestration.EventStepSuperseded, orchestration.EventStepEdited, orchestration.EventStepRetried, orchestration.EventReviewRound}},
		{"merge", "Files and merges", []orchestration.EventType{orchestration.EventFilesChanged, orchestration.EventMergeQueued,
			orchestration.EventMerged,
			orchestration.EventMergeUpdated, orchestration.EventBeforeMergePassed, orchestration.EventBeforeMergeFailed,
			orchestration.EventMergeConflict, orchestration.EventMarkersLeft, orchestration.EventCommentsSent}},
		{"quest", "Quest", []orchestration.EventType{orchestration.EventQuestCreated, orchestration.EventQuestEdited,
			orchestration.EventQuestPaused,
			orchestration.EventQuestResumed, orchestration.EventQuestWaits, orchestration.EventQuestWarned, orchestration.EventQuestAbandoned,
			orchestration.EventQuestCompleted, orchestration.EventSizeSet, orchestration.EventQuestGrew, orchestration.EventQuestDelivered,
			orchestration.EventQuestLeft, orchestration.EventQuestReopened, orchestration.EventQuestMoved, orchestration.EventPhaseEntered,
			orchestration.EventUnreadable}},
	}
}

// historyFilter is the filter in the address: ?type= a group or one type, ?step=,
// ?actor=, ?before=SEQ. An invalid position begins at the top.
type historyFilter struct {
	kind, step, actor string
	before, after     int64
	technical         bool
}

func readHistoryFilter(v url.Values) historyFilter {
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(v.Get(name), 10, 64)
		return max(0, n)
	}
	return historyFilter{kind: strings.TrimSpace(v.Get("type")), step: strings.TrimSpace(v.Get("step")),
		actor:  strings.TrimSpace(v.Get("actor")),
		before: number("before"), after: number("after")}
}

func (f historyFilter) chosen() bool { return f.kind != "" || f.step != "" || f.actor != "" }

func (f historyFilter) events(n int) orchestration.EventFilter {
	out := orchestration.EventFilter{After: f.after, Before: f.before, Step: f.step, Actor: f.actor, Newest: true, N: n}
	if f.kind == "" {
		return out
	}
	out.Types = []orchestration.EventType{orchestration.EventType(f.kind)}
	for _, group := range historyGroups() {
		if group.name == f.kind {
			out.Types = group.types
		}
	}
	return out
}

// shown is like events, without those that the page does not show.
func (f historyFilter) shown(n int) orchestration.EventFilter {
	out := f.events(n)
	if f.kind == "" && !f.technical {
		out.Without = present.TechnicalEvents
		if f.actor != "" { // the entry of no run says it
			out.Without = append(slices.Clone(out.Without), orchestration.EventRunStarted)
		}
	}
	return out
}

// query returns the filter for an address, followed by further pairs of name and value;
// empty if nothing is chosen.
func (f historyFilter) query(more ...string) string {
	v := url.Values{}
	if f.technical {
		v.Set("technical", "on")
	}
	pairs := append([]string{"type", f.kind, "step", f.step, "actor", f.actor}, more...)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	if len(v) == 0 {
		return ""
	}
	return "?" + v.Encode()
}

func historyTypes(chosen string) []views.Choice {
	list := []views.Choice{{Words: "Everything", Chosen: chosen == ""}}
	for _, group := range historyGroups() {
		list = append(list, views.Choice{Value: group.name, Words: group.words, Chosen: group.name == chosen})
	}
	return withChosen(list, chosen)
}

func historyActors(chosen string) []views.Choice {
	list := []views.Choice{{Words: "Everyone", Chosen: chosen == ""}, {Value: user, Words: "You", Chosen: chosen == user}}
	for _, role := range orchestration.Roles {
		list = append(list, views.Choice{Value: string(role), Words: present.RoleName(role), Chosen: chosen == string(role)})
	}
	list = append(list, views.Choice{Value: "server", Words: "The server", Chosen: chosen == "server"})
	return withChosen(list, chosen)
}

// withChosen adds a choice that is not in the list: one type, or the name of a
// teammate.
func withChosen(list []views.Choice, chosen string) []views.Choice {
	if !slices.ContainsFunc(list, func(c views.Choice) bool { return c.Chosen }) {
		list = append(list, views.Choice{Value: views.Visible(chosen), Words: views.Visible(chosen), Chosen: true})
	}
	return list
}

// newsWords counts what is newer than the page, up to most.
func newsWords(n, most int) string {
	switch {
	case n > most:
		return fmt.Sprintf("More than %d new events", most)
	case n == 1:
		return "1 new event"
	default:
		return fmt.Sprintf("%d new events", n)
	}
}
