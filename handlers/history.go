package handlers

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

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

// History is what happened in a quest, newest first.
func (p *Pages) History(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	frame, err := p.frame(ctx, "History · "+q.Title, views.SectionQuests)
	if err != nil {
		return err
	}
	frame.Topic, frame.Version = historyTopic(q.ID), q.Version
	f := readHistoryFilter(c.QueryParams())
	f.after = 0
	list, older, newest, err := p.historyList(ctx, q, f)
	if err != nil {
		return err
	}
	url := paths.History(q.ID)
	page := views.History{Frame: frame, Head: p.present(q).head(), URL: url, List: list, Chosen: f.chosen(), Later: f.before > 0,
		Types: historyTypes(f.kind), Actors: historyActors(f.actor), Step: clean(f.step), Steps: p.present(q).historySteps(),
		NewestURL: url + f.query(), CSVURL: paths.HistoryCSV(q.ID) + f.query(), JSONURL: paths.HistoryJSON(q.ID) + f.query(),
		Seq: q.Seq, NewsURL: paths.HistoryNews(q.ID) + f.query("after", strconv.FormatInt(max(newest, q.Seq), 10))}
	if older > 0 {
		page.OlderURL = url + f.query("before", strconv.FormatInt(older, 10))
	}
	return render(c, http.StatusOK, views.HistoryPage(page))
}

// historyList is one page of the history of a quest, or of one of its lines.
// older is what the page after it comes before (0: there is none), newest the
// newest entry.
func (p *Pages) historyList(ctx context.Context, q *orchestration.Quest, f historyFilter) (list views.HistoryList, older, newest int64, err error) {
	events, err := p.Quests.Events(ctx, q.ID, f.events(historyPage+1))
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
	return p.present(q).history(events), older, newest, nil
}

// HistoryNews is the link to what has happened since ?after=SEQ: the list
// itself does not shift below its reader.
func (p *Pages) HistoryNews(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	f := readHistoryFilter(c.QueryParams())
	f.before = 0
	events, err := p.Quests.Events(c.Request().Context(), q.ID, f.events(historyNews+1))
	if err != nil {
		return fmt.Errorf("read the history: %w", err)
	}
	news := views.HistoryNews{URL: paths.HistoryNews(q.ID) + f.query("after", strconv.FormatInt(f.after, 10))}
	if len(events) > 0 {
		news.Words, news.NewestURL = newsWords(len(events), historyNews), paths.History(q.ID)+f.query()
	}
	return render(c, http.StatusOK, views.HistoryNewsView(news))
}

// history renders what of the page changes by itself.
func (r *renderer) history(quest string) {
	q, p := r.quest(quest)
	if q == nil {
		return
	}
	r.add(views.QuestPageHead(p.head(), views.TabHistory))
	r.add(views.HistoryTick(q.Seq))
}
