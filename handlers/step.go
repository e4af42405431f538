package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Step is the page of a line of work: the board with the panel open, or for
// htmx the panel alone. With ?ask=skip the form that asks why is open.
func (p *Pages) Step(c echo.Context) error {
	q, s, err := p.line(c)
	if err != nil {
		return err
	}
	v := p.present(q).step(s, c.QueryParam("run"))
	v.SkipReason.Focus = c.QueryParam("ask") == "skip"
	return p.step(c, http.StatusOK, q, v)
}

func (p *Pages) step(c echo.Context, status int, q *orchestration.Quest, v views.Step) error {
	p.measure(v.Log)
	if partial(c) {
		return render(c, status, views.StepPanel(v))
	}
	if v.Question != nil {
		v.Question.Field.Focus = true
	}
	return p.board(c, status, q, &v)
}

// line loads the quest and the line that the URL names.
func (p *Pages) line(c echo.Context) (*orchestration.Quest, *orchestration.Step, error) {
	q, err := p.quest(c)
	if err != nil {
		return nil, nil, err
	}
	s := q.Line(c.Param("step"))
	if s == nil {
		return nil, nil, notFound("The quest %q has no step %q. A re-split may have replaced it.", clean(q.Title), clean(c.Param("step")))
	}
	return q, s, nil
}

// StepMenu is what can be decided for a line now, for the menu of its card; a
// browser that follows the link itself gets the step.
func (p *Pages) StepMenu(c echo.Context) error {
	q, s, err := p.line(c)
	if err != nil {
		return err
	}
	if !partial(c) {
		return see(c, paths.Step(q.ID, s.ID))
	}
	return render(c, http.StatusOK, views.CardMenu(q.ID, s.ID, p.present(q).decisions(s)))
}
