package handlers

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Retry starts the run that a block prevented; with fresh=true in a new session. What
// the user wrote beside it goes along.
func (p *Pages) Retry(c echo.Context) error {
	f := orchestration.RetryPressed{Step: c.Param("step"), Fresh: c.FormValue("fresh") == "true",
		Instructions: strings.TrimSpace(typed(c.FormValue("instructions")))}
	keep := func(v *views.Step) { v.Instructions.Value = f.Instructions }
	err := p.decide(c, f, keep)
	var refused *orchestration.Error
	if !errors.As(err, &refused) || refused.Fields["instructions"] == "" {
		return err
	}
	q, s, err := p.stepOf(c)
	if err != nil {
		return err
	}
	v := p.present(q).Step(s, "")
	keep(&v)
	v.Instructions.Error = present.Sentence(refused.Fields["instructions"]) + "."
	return p.step(c, http.StatusUnprocessableEntity, q, v)
}

// Skip ends a step without its work. The history records the reason.
func (p *Pages) Skip(c echo.Context) error {
	reason := strings.TrimSpace(typed(c.FormValue("reason")))
	if reason != "" {
		return p.decide(c, orchestration.SkipPressed{Step: c.Param("step"), Reason: reason},
			func(v *views.Step) { v.SkipReason = views.Field{Value: reason, Focus: true} })
	}
	q, s, err := p.stepOf(c)
	if err != nil {
		return err
	}
	v := p.present(q).Step(s, "")
	v.SkipReason.Error = "Give a reason: the history shows it, and so do the steps that depend on this one."
	return p.step(c, http.StatusUnprocessableEntity, q, v)
}

// UndoSkip makes a skipped step ready again, until somebody has built on the skip.
func (p *Pages) UndoSkip(c echo.Context) error {
	return p.decide(c, orchestration.SkipUndone{Step: c.Param("step")}, nil)
}

// TakeOver gives the step to the person who presses.
func (p *Pages) TakeOver(c echo.Context) error {
	return p.decide(c, orchestration.TakeOverPressed{Step: c.Param("step")}, nil)
}

// FallBack has another agent go on for a session that waits.
func (p *Pages) FallBack(c echo.Context) error {
	return p.decide(c, orchestration.FallbackPressed{Step: c.Param("step")}, nil)
}

// MarkDone says that a person has done the step.
func (p *Pages) MarkDone(c echo.Context) error {
	return p.decide(c, orchestration.MarkDonePressed{Step: c.Param("step")}, nil)
}

// StepPriority changes the priority of a step that has not started.
func (p *Pages) StepPriority(c echo.Context) error {
	if _, _, err := p.stepOf(c); err != nil {
		return err
	}
	priority, ok := orchestration.PriorityNamed(c.FormValue("priority"))
	if !ok {
		return &orchestration.Error{Code: orchestration.CodeInvalid, Message: "The priority must be " + orchestration.PriorityWords + ".",
			Fields: map[string]string{"priority": orchestration.PriorityWords}}
	}
	return p.decide(c, orchestration.StepEdited{Step: c.Param("step"), Priority: &priority}, nil)
}

// readPriority returns the priority that a form names, or marks the field. A form
// without the field means normal.
func readPriority(f *views.Field) orchestration.Priority {
	if f.Value == "" {
		return orchestration.PriorityNormal
	}
	p, ok := orchestration.PriorityNamed(f.Value)
	if !ok {
		f.Error = "Choose " + orchestration.PriorityWords + "."
	}
	return p
}

// decide submits a decision about the step of the address.
func (p *Pages) decide(c echo.Context, input orchestration.InputKind, keep func(*views.Step)) error {
	return p.decideAsSeen(c, c.Param("quest"), c.Param("step"), input, keep)
}

// decideAsSeen submits a decision about a step, as the step was when the form was made. If
// it is in another state now, the panel comes back as it is now, and keep, if there is
// one, puts into it what was typed. A request without the field counts in any state.
func (p *Pages) decideAsSeen(c echo.Context, quest, step string, decision orchestration.InputKind, keep func(*views.Step)) error {
	ctx := c.Request().Context()
	q, err := p.Quests.Submit(ctx, quest, user,
		orchestration.AsSeen{Step: step, State: c.FormValue("state"), Decision: decision})
	var refused *orchestration.Error
	switch {
	case err == nil:
		return see(c, paths.Step(quest, step))
	case !errors.As(err, &refused) || refused.Fields["state"] == "" || q == nil:
		return p.withLately(ctx, q, step, err)
	}
	v := p.present(q).Step(q.Step(step), "")
	if v.Changed = present.Sentence(refused.Message) + "." + p.lately(ctx, q, step); keep != nil {
		keep(&v)
	}
	return p.step(c, http.StatusConflict, q, v)
}

// StopRun ends a run. Its step is blocked and keeps the session for a retry.
func (p *Pages) StopRun(c echo.Context) error {
	q, r, err := p.run(c)
	if err != nil {
		return err
	}
	if _, err := p.Quests.Submit(c.Request().Context(), q.ID, user, orchestration.StopPressed{Run: r.ID}); err != nil {
		return err
	}
	return see(c, paths.Step(q.ID, r.Step))
}

// MessageRun ends a run and resumes its session with the text.
func (p *Pages) MessageRun(c echo.Context) error {
	q, r, err := p.run(c)
	if err != nil {
		return err
	}
	text := strings.TrimSpace(typed(c.FormValue("text")))
	if text == "" {
		v := p.present(q).Step(q.Step(r.Step), "")
		v.Message = views.Field{Error: "Write the message: the agent resumes with exactly this text."}
		return p.step(c, http.StatusUnprocessableEntity, q, v)
	}
	return p.decideAsSeen(c, q.ID, r.Step, orchestration.MessageSent{Run: r.ID, Text: text},
		func(v *views.Step) { v.Message = views.Field{Value: text, Focus: true} })
}

// run loads the run that the URL names, and its quest.
func (p *Pages) run(c echo.Context) (*orchestration.Quest, *orchestration.Run, error) {
	id := c.Param("run")
	q, err := p.Quests.Quest(c.Request().Context(), orchestration.QuestOf(id))
	if err != nil {
		return nil, nil, err
	}
	r := q.Run(id)
	if r == nil {
		return nil, nil, notFound("There is no run %q.", views.Visible(id))
	}
	return q, r, nil
}

// EditStepPage shows the form for a step that has not started or is blocked.
func (p *Pages) EditStepPage(c echo.Context) error {
	q, s, err := p.stepOf(c)
	if err != nil {
		return err
	}
	if err := q.May(orchestration.StepEdited{Step: s.ID}); err != nil {
		return err
	}
	return p.editStep(c, http.StatusOK, q, s, s.PlanStep, "")
}

// EditStep changes a step; the resulting plan gets the same checks as PathSeeker's. A
// form that was made from an older version changes nothing: it comes back with what was
// typed, beside the current values.
func (p *Pages) EditStep(c echo.Context) error {
	q, s, err := p.stepOf(c)
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	typedIn := orchestration.PlanStep{ID: s.ID, Title: strings.TrimSpace(form.Get("title")), Description: typed(form.Get("description")),
		Files: nonEmptyLines(form.Get("files")), DependsOn: form["dependsOn"], Observables: form["observables"],
		Risk: orchestration.Risk(form.Get("risk")), RiskReason: strings.TrimSpace(typed(form.Get("riskReason")))}
	if form.Get("was") != planVersion(s.PlanStep) {
		return p.editStep(c, http.StatusConflict, q, s, typedIn,
			"The step was changed elsewhere. Your text is kept; the current version is below the form."+p.lately(c.Request().Context(), q, s.ID))
	}
	if typedIn.Title == "" {
		return p.editStep(c, http.StatusUnprocessableEntity, q, s, typedIn, "A step needs a title.")
	}
	_, err = p.Quests.Submit(c.Request().Context(), q.ID, user, orchestration.AsRead{Version: q.Version, Decision: editedFrom(s, typedIn)})
	if reread(err) {
		return p.EditStep(c)
	}
	switch code, words, _ := Refusal(err); orchestration.Code(code) {
	case "":
		if err != nil {
			return err
		}
		return see(c, paths.Step(q.ID, s.ID))
	case orchestration.CodeInvalid:
		return p.editStep(c, http.StatusUnprocessableEntity, q, s, typedIn, words)
	default:
		return p.editStep(c, http.StatusConflict, q, s, typedIn, words)
	}
}

// editedFrom returns only what differs, so that it does not touch what a started step
// may no longer change.
func editedFrom(s *orchestration.Step, now orchestration.PlanStep) orchestration.StepEdited {
	f := orchestration.StepEdited{Step: s.ID}
	if s.Started {
		now.DependsOn = s.DependsOn // its boxes are disabled and therefore not sent
	}
	if now.Title != s.Title {
		f.Title = &now.Title
	}
	if now.Description != typed(s.Description) {
		f.Description = &now.Description
	}
	if now.Risk != s.RiskOf() {
		f.Risk = &now.Risk
	}
	if now.RiskReason != typed(s.RiskReason) {
		f.RiskReason = &now.RiskReason
	}
	for _, list := range []struct {
		was, now []string
		to       **[]string
	}{{s.Files, now.Files, &f.Files}, {s.DependsOn, now.DependsOn, &f.DependsOn}, {s.Observables, now.Observables, &f.Observables}} {
		if !slices.Equal(slices.Sorted(slices.Values(list.was)), slices.Sorted(slices.Values(list.now))) {
			*list.to = &list.now
		}
	}
	return f
}

func (p *Pages) editStep(c echo.Context, status int, q *orchestration.Quest, s *orchestration.Step, shown orchestration.PlanStep,
	fault string) error {
	frame := p.questFrame(nil, q, "Edit "+s.Title, views.TabNone, p.present(q).Link(s.ID), views.Link{Words: "Edit"})
	v := views.StepEdit{Frame: frame, Quest: q.ID, ID: s.ID, Was: planVersion(s.PlanStep), Error: fault,
		Title: shown.Title, Description: shown.Description, Files: strings.Join(shown.Files, "\n"), FixedAfter: s.Started,
		RiskReason: shown.RiskReason}
	for _, r := range orchestration.Risks {
		v.Risks = append(v.Risks, views.Choice{Value: string(r), Words: riskWords[r], Chosen: r == shown.RiskOf()})
	}
	for _, other := range q.Steps.All() {
		if other.ID != s.ID && other.Stage != orchestration.StageSuperseded {
			v.After = append(v.After, views.Choice{Value: other.ID, Words: present.StepTitle(other),
				Chosen: slices.Contains(shown.DependsOn, other.ID)})
		}
	}
	for _, r := range q.Requirements {
		for _, o := range r.Observables {
			v.Observables = append(v.Observables, views.Choice{Value: o.ID, Words: views.Visible(o.Text),
				Chosen: slices.Contains(shown.Observables, o.ID)})
		}
	}
	if status == http.StatusConflict {
		v.Now = &views.PlannedStep{ID: s.ID, Title: views.Visible(s.Title), Description: views.Visible(s.Description),
			Files: present.CleanAll(s.Files), DependsOn: present.CleanAll(s.DependsOn), Observables: present.CleanAll(s.Observables),
			Risk: strings.TrimSpace(string(s.RiskOf()) + " " + views.Visible(s.RiskReason))}
	}
	return render(c, status, views.StepEditPage(v))
}

// riskWords say what a risk means.
var riskWords = map[orchestration.Risk]string{
	orchestration.RiskLow:    "Low: text, names, mechanical changes",
	orchestration.RiskNormal: "Normal",
	orchestration.RiskHigh:   "High: security, data, concurrency, public interfaces",
}

// planVersion identifies a version of a step's text.
func planVersion(s orchestration.PlanStep) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []any{s.Title, s.Description, s.Files, s.DependsOn, s.Observables, s.RiskOf(), s.RiskReason}))
	return hex.EncodeToString(sum[:8])
}

func nonEmptyLines(text string) []string {
	var lines []string
	for line := range strings.Lines(typed(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// Resplit sends a step at work to PathSeeker, with the reason.
func (p *Pages) Resplit(c echo.Context) error {
	reason := strings.TrimSpace(typed(c.FormValue("reason")))
	if reason != "" {
		return p.decide(c, orchestration.ResplitPressed{Step: c.Param("step"), Reason: reason},
			func(v *views.Step) { v.ResplitReason = views.Field{Value: reason, Focus: true} })
	}
	q, s, err := p.stepOf(c)
	if err != nil {
		return err
	}
	v := p.present(q).Step(s, "")
	v.ResplitReason.Error = "Give a reason: PathSeeker gets exactly this text."
	return p.step(c, http.StatusUnprocessableEntity, q, v)
}
