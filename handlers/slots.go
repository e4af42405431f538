package handlers

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// maxSlots is the largest number of agents that run at once.
const maxSlots = 64

// SlotsPage shows the current runs, and a timeline of earlier ones: ?span=1h|6h|24h|7d
// and ?until=TIME choose the time. With ?quest=QUEST it leads to the runs of that quest.
func (p *Pages) SlotsPage(c echo.Context) error {
	if query := c.QueryParams(); query.Get("quest") != "" {
		quest := query.Get("quest")
		query.Del("quest")
		return see(c, strings.TrimSuffix(paths.QuestRuns(quest)+"?"+query.Encode(), "?"))
	}
	notice := ""
	if c.QueryParam("saved") != "" {
		notice = "Changed: up to " + strconv.Itoa(p.Quests.Slots()) + " agents run in parallel."
	}
	return p.slots(c, http.StatusOK, notice, views.Field{Value: strconv.Itoa(p.Quests.Slots())})
}

func (p *Pages) slots(c echo.Context, status int, notice string, count views.Field) error {
	ctx := c.Request().Context()
	frame := p.frame("Slots", views.SectionSlots)
	frame.Topic = topicSlots
	window, err := p.window(ctx, c.QueryParam("span"), c.QueryParam("until"), "")
	if err != nil {
		return err
	}
	quests, err := p.questsBetween(ctx, window)
	if err != nil {
		return err
	}
	return render(c, status, views.SlotsPage(views.Slots{Frame: frame, Now: p.view().SlotsNow(p.Quests.Active()), Count: count, Notice: notice,
		Gantt: p.view().Gantt(window, quests)}))
}

// QuestRuns shows who worked on a quest when; ?span= and ?until= are those of SlotsPage.
func (p *Pages) QuestRuns(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	window := p.view().Window(c.QueryParam("span"), c.QueryParam("until"), q)
	return render(c, http.StatusOK, views.QuestRunsPage(views.QuestRuns{
		Frame: p.questFrame(nil, q, "Agent runs · "+q.Title, views.TabRuns), Gantt: p.view().Gantt(window, []*orchestration.Quest{q})}))
}

// SetSlots changes how many agents run at once. It ends no run.
func (p *Pages) SetSlots(c echo.Context) error {
	typed := strings.TrimSpace(c.FormValue("count"))
	n, err := strconv.Atoi(typed)
	if err != nil || n < 1 || n > maxSlots {
		return p.slots(c, http.StatusUnprocessableEntity, "",
			views.Field{Value: views.Visible(typed), Error: "Enter a whole number from 1 to 64."})
	}
	if err := p.Quests.SetSlots(c.Request().Context(), n); err != nil {
		return err
	}
	return see(c, paths.Slots+"?saved=slots")
}

// window reads the requested time and quest. Only an unknown quest is an error.
func (p *Pages) window(ctx context.Context, span, until, quest string) (w present.Window, err error) {
	var q *orchestration.Quest
	if quest != "" {
		if q, err = p.Quests.Quest(ctx, quest); err != nil {
			return w, err
		}
	}
	return p.view().Window(span, until, q), nil
}

// slotsNow renders the current runs.
func (r *renderer) slotsNow() {
	r.add(views.SlotsNowView(r.pages.view().SlotsNow(r.pages.Quests.Active())))
}

// gantt renders the runs of a time span up to now; span may name a quest.
func (r *renderer) gantt(span, quest string) {
	window, err := r.pages.window(r.ctx, span, "", quest)
	if err != nil {
		return // the quest is gone; the page notices at its next load
	}
	quests, err := r.pages.questsBetween(r.ctx, window)
	if err != nil {
		r.err = err
		return
	}
	r.add(views.GanttView(r.pages.view().Gantt(window, quests)))
}

// endedMost limits how many quests that are over are read.
const endedMost = 500

// questsBetween returns the quests that may have worked in a time span: the active
// ones, and those that ended after it began.
func (p *Pages) questsBetween(ctx context.Context, w present.Window) ([]*orchestration.Quest, error) {
	if w.Quest != nil {
		return []*orchestration.Quest{w.Quest}, nil
	}
	quests := p.Quests.Active()
	over, err := p.Quests.Ended(ctx, orchestration.EndedFilter{Since: w.From, N: endedMost})
	if err != nil {
		return nil, err
	}
	for _, e := range over {
		q, err := p.Quests.Quest(ctx, e.ID)
		if orchestration.CodeOf(err) == orchestration.CodeNotFound {
			continue // it has just been deleted
		}
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(quests, func(known *orchestration.Quest) bool { return known.ID == q.ID }) {
			quests = append(quests, q)
		}
	}
	// An earlier quest means that there is an earlier time to look at.
	earlier, err := p.Quests.Ended(ctx, orchestration.EndedFilter{Skip: len(over), N: 1})
	for _, e := range earlier {
		quests = append(quests, e.Quest)
	}
	return quests, err
}
