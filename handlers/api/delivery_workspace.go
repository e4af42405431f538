package api

import (
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// workspaceJSON says where the steps of a quest work.
type workspaceJSON struct {
	Root      string      `json:"root"`
	Branch    string      `json:"branch"`
	Base      string      `json:"base"`
	Steps     []placeJSON `json:"lines"`
	DiskBytes int64       `json:"diskBytes"`
	Kept      int         `json:"kept"`
}

type placeJSON struct {
	Step   string `json:"line"`
	Dir    string `json:"dir"`
	Exists bool   `json:"exists"`
}

// getWorkspace may be slow, because it measures how much disk the worktrees use.
func (h handlers) getWorkspace(c echo.Context) error {
	q, err := h.quest(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	out := workspaceJSON{Root: h.Trees.Root(q), Steps: []placeJSON{}}
	out.Branch, out.Base = q.Branches()
	for _, step := range steps(q) {
		if place := h.Trees.Place(q, step); place.Dir != "" {
			out.Steps = append(out.Steps, placeJSON{step, place.Dir, place.Exists})
		}
	}
	if out.DiskBytes, err = h.Trees.Disk(ctx, q); err != nil {
		return fmt.Errorf("measure quest %s: %w", q.ID, err)
	}
	kept, err := h.Trees.Kept(ctx, q)
	if err != nil {
		return h.beside(err, q)
	}
	out.Kept = len(kept)
	return c.JSON(http.StatusOK, out)
}

// steps returns the steps that have started, the quest-wide ones first.
func steps(q *orchestration.Quest) []string {
	var ids []string
	for _, s := range q.Whole {
		if s.Started {
			ids = append(ids, s.ID)
		}
	}
	for _, s := range q.Steps.All() {
		if s.Started {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
