package handlers

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Step shows the board with a step's panel open or, for htmx, only the panel. With ?ask=skip
// the form that asks for a reason is open, with ?ask=retry the instructions have the focus.
func (p *Pages) Step(c echo.Context) error {
	q, s, err := p.stepOf(c)
	if err != nil {
		return err
	}
	v := p.present(q).Step(s, c.QueryParam("run"))
	v.SkipReason.Focus, v.Instructions.Focus = c.QueryParam("ask") == "skip", c.QueryParam("ask") == "retry"
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

// stepOf loads the quest and the step that the URL names.
func (p *Pages) stepOf(c echo.Context) (*orchestration.Quest, *orchestration.Step, error) {
	q, err := p.quest(c)
	if err != nil {
		return nil, nil, err
	}
	s := q.Step(c.Param("step"))
	if s == nil {
		return nil, nil, notFound("The quest %q has no step %q. Other steps may have replaced it.", views.Visible(q.Title),
			views.Visible(c.Param("step")))
	}
	return q, s, nil
}

// StepMenu shows the possible decisions about a step, for its card's menu. A browser
// that follows the link itself gets the step.
func (p *Pages) StepMenu(c echo.Context) error {
	q, s, err := p.stepOf(c)
	if err != nil {
		return err
	}
	if !partial(c) {
		return see(c, paths.Step(q.ID, s.ID))
	}
	return render(c, http.StatusOK, views.CardMenu(q.ID, s.ID, p.present(q).Decisions(s)))
}

// StepTimeline shows what happened to a step.
func (p *Pages) StepTimeline(c echo.Context) error { return p.stepTab(c, views.TabTimeline) }

// StepSignals shows the complete signals of a step's agents.
func (p *Pages) StepSignals(c echo.Context) error { return p.stepTab(c, views.TabSignals) }

// StepSessions shows the runs of a step and how each ended.
func (p *Pages) StepSessions(c echo.Context) error { return p.stepTab(c, views.TabSessions) }

// StepCost shows what each run of a step used.
func (p *Pages) StepCost(c echo.Context) error { return p.stepTab(c, views.TabStepCost) }

// StepPrompt shows what an agent of a step was told. A share never has it.
func (p *Pages) StepPrompt(c echo.Context) error {
	q, s, err := p.stepOf(c)
	if err != nil {
		return err
	}
	show := p.present(q)
	v := show.Step(s, c.QueryParam("run"))
	v.Tab = views.TabPrompt
	v.Prompt = p.prompt(show, show.PromptRun(s, c.QueryParam("run")))
	return p.step(c, http.StatusOK, q, v)
}

func (p *Pages) prompt(show *present.Quest, r *orchestration.Run) *views.Prompt {
	if r == nil {
		return show.Prompt(nil, present.Told{}, "")
	}
	told, err := p.PromptOf(r)
	var refused *orchestration.Error
	switch {
	case errors.As(err, &refused):
		return show.Prompt(r, present.Told{}, present.Sentence(refused.Message)+".")
	case err != nil:
		p.Log.Error("show a prompt", "run", r.ID, "error", err)
		return show.Prompt(r, present.Told{}, "The file with this prompt is damaged, or cannot be read. The log of the server says why.")
	}
	return show.Prompt(r, present.Told(told), "")
}

func (p *Pages) stepTab(c echo.Context, tab views.StepTab) error {
	q, s, err := p.stepOf(c)
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

// timelineTopic is the topic of a step's timeline.
func timelineTopic(quest, step string) string { return "timeline/" + quest + "/" + step }

// timeline returns the newest page of a step's history.
func (p *Pages) timeline(ctx context.Context, q *orchestration.Quest, step string) (*views.StepTimeline, error) {
	list, older, _, err := p.historyList(ctx, q, historyFilter{step: step})
	if err != nil {
		return nil, err
	}
	list.OneLine = true
	t := &views.StepTimeline{Topic: timelineTopic(q.ID, step), Version: q.Version, List: list,
		AllURL: paths.History(q.ID) + historyFilter{step: step, technical: true}.query()}
	if older > 0 {
		t.MoreURL = paths.History(q.ID) + historyFilter{step: step}.query("before", strconv.FormatInt(older, 10))
	}
	return t, nil
}

// timeline renders an open timeline.
func (r *renderer) timeline(quest, step string) {
	q, _ := r.quest(quest)
	if q == nil || q.Step(step) == nil {
		return
	}
	t, err := r.pages.timeline(r.ctx, q, step)
	if err != nil {
		r.err = err
		return
	}
	r.add(views.StepTimelineView(*t))
}
