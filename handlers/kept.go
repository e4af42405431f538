package handlers

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
)

// Kept lists the work of a quest that is not on any branch.
func (p *Pages) Kept(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	return p.kept(c, http.StatusOK, q, func(*views.Kept) {})
}

// RestoreKept makes a new branch from kept work.
func (p *Pages) RestoreKept(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	ref, branch := c.FormValue("ref"), strings.TrimSpace(c.FormValue("branch"))
	err = p.Trees.Restore(c.Request().Context(), q, ref, branch)
	var refusal *orchestration.Error
	if errors.As(err, &refusal) && refusal.Code == orchestration.CodeInvalid {
		return p.kept(c, http.StatusUnprocessableEntity, q, func(k *views.Kept) { refuseName(k, ref, branch, refusal) })
	}
	if err != nil {
		return err
	}
	return p.kept(c, http.StatusOK, q, func(k *views.Kept) { k.Restored = views.Visible(branch) })
}

func refuseName(k *views.Kept, ref, branch string, refusal *orchestration.Error) {
	why := refusal.Fields["branch"]
	if why == "" {
		why = refusal.Message
	}
	for i := range k.Rows {
		if k.Rows[i].Ref == ref {
			k.Rows[i].Branch = views.Field{Value: branch, Error: present.Sentence(why) + "."}
		}
	}
}

func (p *Pages) kept(c echo.Context, status int, q *orchestration.Quest, change func(*views.Kept)) error {
	ctx := c.Request().Context()
	frame := p.questFrame(nil, q, "Kept work · "+q.Title, views.TabNone, views.Link{Words: "Kept work"})
	k := views.Kept{Frame: frame, ID: q.ID}
	all, err := p.Trees.Kept(ctx, q)
	if orchestration.CodeOf(err) == orchestration.CodeConflict {
		k.Error, err = present.Sentence(err.Error())+".", nil
	}
	if err != nil {
		return err
	}
	for i, work := range all {
		k.Rows = append(k.Rows, p.present(q).Kept(i, work))
	}
	change(&k)
	return render(c, status, views.KeptPage(k))
}
