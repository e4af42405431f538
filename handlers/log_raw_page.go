package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// StepRaw is the output of a line of work as it was written.
func (p *Pages) StepRaw(c echo.Context) error {
	q, s, err := p.line(c)
	if err != nil {
		return err
	}
	present := p.present(q)
	step := present.step(s, c.QueryParam("run"))
	page := views.RawPage{Step: step}
	if step.Log != nil {
		raw := present.rawLog(q.Run(step.Log.Run))
		p.measure(&raw)
		page.Log = &raw
	}
	page.Frame, err = p.frame(c.Request().Context(), "Raw output · "+step.Title, views.SectionQuests)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.RawPageView(page))
}

// rawLog is a run's output as it was written.
func (p *presenter) rawLog(r *orchestration.Run) views.Log {
	log := p.log(r, "raw-of-"+r.ID)
	log.Key, log.PageURL, log.FindURL, log.RawURL = r.ID+rawLog, log.PageURL+"?raw=1", "", ""
	log.HereURL = paths.StepRaw(p.q.ID, r.Line) + "?run=" + r.ID
	return *log
}
