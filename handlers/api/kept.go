package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// keptJSON is work that Questboard keeps although no branch has it any more.
type keptJSON struct {
	Ref     string     `json:"ref"`
	Step    string     `json:"line"`
	Label   string     `json:"label"`
	Commit  string     `json:"commit"`
	Subject string     `json:"subject"`
	At      *time.Time `json:"at"`
}

func (h handlers) listKept(c echo.Context) error {
	q, err := h.quest(c)
	if err != nil {
		return err
	}
	return h.writeKept(c, q)
}

func (h handlers) writeKept(c echo.Context, q *orchestration.Quest) error {
	all, err := h.Trees.Kept(c.Request().Context(), q)
	if err != nil {
		return h.beside(c, err, q)
	}
	out := make([]keptJSON, len(all))
	for i, k := range all {
		out[i] = keptJSON{k.Ref, k.Step, k.Label, k.Commit, k.Subject, instant(k.At)}
	}
	return c.JSON(http.StatusOK, map[string]any{"kept": out})
}

// restoreKept makes a new branch from kept work, and still keeps the work.
func (h handlers) restoreKept(c echo.Context) error {
	var in struct {
		Ref    string `json:"ref"`
		Branch string `json:"branch"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	var wrong checks
	ref := wrong.needed("ref", in.Ref)
	branch := wrong.needed("branch", wrong.line("branch", in.Branch, titleLimit))
	if err := wrong.err(); err != nil {
		return err
	}
	q, err := h.quest(c)
	if err != nil {
		return err
	}
	if err := h.Trees.Restore(c.Request().Context(), q, ref, branch); err != nil {
		return h.beside(c, err, q)
	}
	return h.writeKept(c, q)
}
