package handlers

import (
	"context"
	"net/http"
	"strconv"

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
	v := p.present(q).Step(s, c.QueryParam("run"))
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
		return nil, nil, notFound("The quest %q has no step %q. A re-split may have replaced it.", views.Visible(q.Title), views.Visible(c.Param("step")))
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
	return render(c, http.StatusOK, views.CardMenu(q.ID, s.ID, p.present(q).Decisions(s)))
}

// StepTimeline is what happened to a line.
func (p *Pages) StepTimeline(c echo.Context) error { return p.stepTab(c, views.TabTimeline) }

// StepSignals is what the agents of a line said, in full.
func (p *Pages) StepSignals(c echo.Context) error { return p.stepTab(c, views.TabSignals) }

// StepSessions is who worked on a line, and how each run ended.
func (p *Pages) StepSessions(c echo.Context) error { return p.stepTab(c, views.TabSessions) }

// StepCost is what each run of a line used.
func (p *Pages) StepCost(c echo.Context) error { return p.stepTab(c, views.TabStepCost) }

func (p *Pages) stepTab(c echo.Context, tab views.StepTab) error {
	q, s, err := p.line(c)
	if err != nil {
		return err
	}
	v := p.present(q).Step(s, c.QueryParam("run"))
	v.Tab = tab
	if tab == views.TabTimeline {
		if v.Timeline, err = p.timeline(c.Request().Context(), q, s.ID); err != nil {
			return err
		}
	}
	return p.step(c, http.StatusOK, q, v)
}

// timelineTopic is what the timeline of a line subscribes to.
func timelineTopic(quest, line string) string { return "timeline/" + quest + "/" + line }

// timeline is the newest page of what happened to a line.
func (p *Pages) timeline(ctx context.Context, q *orchestration.Quest, line string) (*views.StepTimeline, error) {
	list, older, _, err := p.historyList(ctx, q, historyFilter{step: line})
	if err != nil {
		return nil, err
	}
	list.OneLine = true
	t := &views.StepTimeline{Topic: timelineTopic(q.ID, line), Version: q.Version, List: list}
	if older > 0 {
		t.MoreURL = paths.History(q.ID) + historyFilter{step: line}.query("before", strconv.FormatInt(older, 10))
	}
	return t, nil
}

// timeline renders an open timeline.
func (r *renderer) timeline(quest, line string) {
	q, _ := r.quest(quest)
	if q == nil || q.Line(line) == nil {
		return
	}
	t, err := r.pages.timeline(r.ctx, q, line)
	if err != nil {
		r.err = err
		return
	}
	r.add(views.StepTimelineView(*t))
}
