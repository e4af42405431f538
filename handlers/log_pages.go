package handlers

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"questboard/agents/transcript"
	"questboard/orchestration"
	"questboard/views"
)

// logPage is how many lines a page of the log has.
const logPage = 200

// LogPage is a run's output in pages: the log for those who have no JavaScript.
func (p *Pages) LogPage(c echo.Context) error {
	q, r, err := p.run(c)
	if err != nil {
		return err
	}
	page, err := p.logPage(c, nil, q, r)
	if err != nil {
		return err
	}
	page.Frame, err = p.frame(c.Request().Context(), page.Words, views.SectionQuests)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.LogPageView(page))
}

func (p *Pages) logPage(c echo.Context, g *guest, q *orchestration.Quest, r *orchestration.Run) (views.LogPage, error) {
	from, err := number(c, "from", 0)
	if err != nil {
		return views.LogPage{}, err
	}
	from -= from % logPage
	list, total, err := p.turns(source{guest: g, run: r.ID}, from, logPage)
	if err != nil {
		return views.LogPage{}, err
	}
	if from > 0 && len(list) == 0 {
		return views.LogPage{}, notFound("The output has %d lines; there is no line %d.", total, from+1)
	}
	to := g.place()
	page := views.LogPage{Words: fmt.Sprintf("Output of %s, run %d", roleName(r.Role), r.N+1), StepURL: to.StepRun(q.ID, r.Line, r.ID),
		Step: p.presentTo(g, q).title(r.Line), TextURL: to.OutputText(r.ID), From: from + 1, To: from + len(list), Total: total}
	for i := range list {
		if t := &list[i]; t.Kind != transcript.KindQuiet && (t.call == nil || t.call.n < from) {
			page.Rows = append(page.Rows, t.row(to.OutputLines(r.ID)))
		}
	}
	at := func(line int) string { return to.OutputLog(r.ID) + "?from=" + strconv.Itoa(line) }
	if from > 0 {
		page.First, page.Previous = at(0), at(max(0, from-logPage))
	}
	if next := from + len(list); next < total { // a page of long lines ends early
		page.Next, page.Last = at(from+logPage), at((total-1)/logPage*logPage)
	}
	return page, nil
}

func (p *Pages) sharedLog(c echo.Context, g *guest, q *orchestration.Quest) error {
	r, err := p.guestRun(c, g, q)
	if err != nil {
		return err
	}
	page, err := p.logPage(c, g, q, r)
	if err != nil {
		return err
	}
	page.Frame = p.guestFrame(g, page.Words)
	return p.renderShared(c, g, http.StatusOK, views.LogPageView(page))
}
