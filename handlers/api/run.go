package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

func (h handlers) getRun(c echo.Context) error {
	q, r, err := h.run(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, h.presentRun(q, r))
}

// stopRun ends a run. Its step becomes blocked, and a retry can resume the session.
func (h handlers) stopRun(c echo.Context) error {
	if err := decode(c, &struct{}{}); err != nil {
		return err
	}
	return h.decideRun(c, orchestration.StopPressed{Run: c.Param("run")})
}

// messageRun ends a run and resumes its session with the user's text.
func (h handlers) messageRun(c echo.Context) error {
	var in struct {
		Text  string `json:"text"`
		State string `json:"state"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	var wrong checks
	text := wrong.needed("text", in.Text)
	if err := wrong.err(); err != nil {
		return err
	}
	q, r, err := h.run(c)
	if err != nil {
		return err
	}
	q, err = h.submit(c, q.ID, orchestration.AsSeen{Step: r.Step, State: in.State, Decision: orchestration.MessageSent{Run: r.ID, Text: text}})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, h.presentRun(q, q.Run(r.ID)))
}

// allowRun adds a rule to what agents may do, after a call of the run was denied.
func (h handlers) allowRun(c echo.Context) error {
	var in struct {
		Rule string                     `json:"rule"`
		For  orchestration.CallDecision `json:"for"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	var wrong checks
	rule := wrong.needed("rule", in.Rule)
	if err := wrong.err(); err != nil {
		return err
	}
	c.Set(record.AuditNote, "for the "+string(in.For)+": "+rule)
	return h.decideRun(c, orchestration.RuleAllowed{Run: c.Param("run"), Rule: rule, For: in.For})
}

// decideRun applies a decision about the run of the path, and answers with the new state
// of the run. Its process may not have ended yet.
func (h handlers) decideRun(c echo.Context, input orchestration.InputKind) error {
	q, r, err := h.run(c)
	if err != nil {
		return err
	}
	q, err = h.submit(c, q.ID, input)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, h.presentRun(q, q.Run(r.ID)))
}

// run finds the run of the path. The id of a run contains the id of its quest.
func (h handlers) run(c echo.Context) (*orchestration.Quest, *orchestration.Run, error) {
	id := c.Param("run")
	quest := orchestration.QuestOf(id)
	if quest == "" {
		return nil, nil, notFound("there is no run %q", id)
	}
	q, err := h.Quests.Quest(c.Request().Context(), quest)
	if err != nil {
		return nil, nil, err
	}
	r := q.Run(id)
	if r == nil {
		return nil, nil, notFound("there is no run %q", id)
	}
	return q, r, nil
}
