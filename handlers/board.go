package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
)

// Board is the page of a quest.
func (p *Pages) Board(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	return p.board(c, http.StatusOK, q, nil)
}

// board renders the board with a step's panel open, or none.
func (p *Pages) board(c echo.Context, status int, q *orchestration.Quest, step *views.Step) error {
	title := q.Title
	if step != nil {
		title = step.Title + " · " + q.Title
	}
	frame, err := p.frame(c.Request().Context(), title, views.SectionQuests)
	if err != nil {
		return err
	}
	frame.Quest, frame.Topic, frame.Version = q.ID, boardTopic(q.ID), q.Version
	present := p.present(q)
	columns, list := present.columns(c.QueryParam("done") == "open"), c.QueryParam("view") == "list"
	filter := filterOf(c).narrow(q.ID, list, columns)
	if list {
		columns = oneColumn(columns)
	}
	return render(c, status, views.BoardPage(views.Board{Frame: frame, Head: present.head(), Strip: present.strip(),
		Alerts: present.alerts(), Whole: p.withTotal(present.whole()), Step: step, Columns: columns, Filter: &filter}))
}

func (p *Pages) withTotal(w views.Whole) views.Whole {
	p.measure(w.Log)
	return w
}

// measure says how many lines a log has by now.
func (p *Pages) measure(l *views.Log) {
	if l == nil {
		return
	}
	if _, total, err := p.Output.Page(l.Run, 0, 0); err == nil {
		l.Total = total
	}
}
