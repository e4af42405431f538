package handlers

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/views"
	"questboard/web/paths"
)

// AllowRun allows from now on what was denied to a run. A rule that cannot be stored comes
// back with its fault.
func (p *Pages) AllowRun(c echo.Context) error {
	q, r, err := p.run(c)
	if err != nil {
		return err
	}
	f := orchestration.RuleAllowed{Run: r.ID, Rule: strings.TrimSpace(typed(c.FormValue("rule"))),
		For: orchestration.CallDecision(c.FormValue("for"))}
	c.Set(record.AuditNote, "for the "+string(f.For)+": "+f.Rule)
	_, err = p.Quests.Submit(c.Request().Context(), q.ID, user, f)
	var refused *orchestration.Error
	switch {
	case err == nil:
		return see(c, paths.Step(q.ID, r.Step))
	case !errors.As(err, &refused) || refused.Fields["rule"] == "":
		return err
	}
	v := p.present(q).Step(q.Step(r.Step), "")
	for i := range v.Denied {
		if v.Denied[i].Call == c.FormValue("call") {
			v.Denied[i].Rule = views.Field{Value: f.Rule, Error: present.Sentence(views.Visible(refused.Fields["rule"])) + "."}
		}
	}
	return p.step(c, http.StatusUnprocessableEntity, q, v)
}
