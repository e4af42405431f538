package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/views"
)

// Evidence shows what proves the requirements, and what the review found.
func (p *Pages) Evidence(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	frame := p.questFrame(nil, q, "Evidence · "+q.Title, views.TabEvidence)
	frame.Topic, frame.Version = evidenceTopic(q.ID), q.Version
	page := p.present(q).Evidence()
	page.Frame = frame
	return render(c, http.StatusOK, views.EvidencePage(page))
}

func (r *renderer) evidence(quest string) {
	if _, p := r.quest(quest); p != nil {
		page := p.Evidence()
		r.add(views.EvidenceView(page))
	}
}
