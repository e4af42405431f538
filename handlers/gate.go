package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Gate shows the page on which the user approves the requirements or the plan or sends
// them back.
func (p *Pages) Gate(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	return p.gate(c, http.StatusOK, q, c.Param("gate"), "", views.Field{})
}

// gate shows the current state of a gate; conflict says why nothing was decided.
func (p *Pages) gate(c echo.Context, status int, q *orchestration.Quest, name, conflict string, feedback views.Field) error {
	ctx := c.Request().Context()
	page, err := p.gateView(ctx, q, name)
	if err != nil {
		return err
	}
	if page == nil {
		return notFound("There is no gate %q. The gates are requirements and plan.", views.Visible(name))
	}
	title := "Requirements"
	if name == orchestration.StepPlan {
		title = "Plan"
	}
	if page.Errand != nil {
		title = "Errand"
	}
	frame := p.questFrame(nil, q, title+" · "+q.Title, views.TabNone, views.Link{Words: title})
	frame.Topic, frame.Version = gateTopic(q.ID, name), q.Version
	page.Frame, page.Title, page.Feedback, page.Conflict, page.Asked = frame, title, feedback, conflict, p.present(q).Asked()
	return render(c, status, views.GatePage(*page))
}

// gateView returns a gate without its frame, or nil if there is no such gate.
func (p *Pages) gateView(ctx context.Context, q *orchestration.Quest, name string) (*views.Gate, error) {
	view := p.present(q).Gate(name)
	if view == nil || view.Errand != nil || q.GateOf(name) == orchestration.GateApproved {
		return view, nil
	}
	var err error
	view.Changes, err = p.sinceSentBack(ctx, q, name)
	return view, err
}

// ApproveGate approves the document.
func (p *Pages) ApproveGate(c echo.Context) error {
	return p.decideGate(c, orchestration.GateDecided{Gate: c.Param("gate"), Approve: true})
}

// SendBack resumes the session that wrote the document with the feedback.
func (p *Pages) SendBack(c echo.Context) error {
	feedback := typed(c.FormValue("feedback"))
	if strings.TrimSpace(feedback) == "" {
		q, err := p.quest(c)
		if err != nil {
			return err
		}
		return p.gate(c, http.StatusUnprocessableEntity, q, c.Param("gate"), "",
			views.Field{Value: feedback, Error: "Say what should change: the agent resumes with exactly this text."})
	}
	return p.decideGate(c, orchestration.GateDecided{Gate: c.Param("gate"), Feedback: feedback})
}

// decideGate decides about the version that the form shows. If that is not the newest,
// or the gate was decided elsewhere, it shows the current page with what was typed.
func (p *Pages) decideGate(c echo.Context, input orchestration.GateDecided) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	if version := c.FormValue("document"); version != "" && version != present.GateMark(q, input.Gate) {
		return p.gate(c, http.StatusConflict, q, input.Gate,
			"It was rewritten after you read it, so nothing was decided. This is the newest version."+p.lately(c.Request().Context(), q, input.Gate),
			views.Field{Value: input.Feedback})
	}
	ctx := c.Request().Context()
	now, err := p.Quests.Submit(ctx, q.ID, user, orchestration.AsRead{Version: q.Version, Decision: input})
	if reread(err) {
		return p.decideGate(c, input)
	}
	if orchestration.CodeOf(err) == orchestration.CodeConflict {
		if now == nil {
			now = q
		}
		return p.gate(c, http.StatusConflict, now, input.Gate, present.Sentence(err.Error())+"."+p.lately(ctx, now, input.Gate),
			views.Field{Value: input.Feedback})
	}
	if err != nil {
		return err
	}
	return see(c, paths.Quest(q.ID))
}

// sinceSentBack returns what changed since the document was last sent back, and the
// feedback then; nil if it never was.
func (p *Pages) sinceSentBack(ctx context.Context, q *orchestration.Quest, gate string) (*views.GateChanges, error) {
	events, err := p.Quests.Events(ctx, q.ID, orchestration.EventFilter{Types: []orchestration.EventType{orchestration.EventGateSentBack},
		Step: gate, Newest: true, N: 1})
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	var old orchestration.Written
	if len(events) == 0 || events[0].Data["document"] == "" || json.Unmarshal([]byte(events[0].Data["document"]), &old) != nil {
		return nil, nil
	}
	return &views.GateChanges{Feedback: views.Visible(events[0].Data["feedback"]), Changes: present.DocumentChanges(old, q.Written(gate))}, nil
}
