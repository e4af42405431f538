package api

import (
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// workspaceJSON is where a quest's lines work.
type workspaceJSON struct {
	Root      string      `json:"root"`
	Branch    string      `json:"branch"`
	Base      string      `json:"base"`
	Lines     []placeJSON `json:"lines"`
	DiskBytes int64       `json:"diskBytes"`
	Kept      int         `json:"kept"`
}

type placeJSON struct {
	Line   string `json:"line"`
	Dir    string `json:"dir"`
	Exists bool   `json:"exists"`
}

// getWorkspace may take its time: it measures what the worktrees take on disk.
func (h handlers) getWorkspace(c echo.Context) error {
	q, err := h.quest(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	out := workspaceJSON{Root: h.Trees.Root(q), Lines: []placeJSON{}}
	out.Branch, out.Base = q.Branches()
	for _, line := range lines(q) {
		if place := h.Trees.Place(q, line); place.Dir != "" {
			out.Lines = append(out.Lines, placeJSON{line, place.Dir, place.Exists})
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

// lines are those that have started, the quest's own first.
func lines(q *orchestration.Quest) []string {
	var ids []string
	for _, s := range q.Whole {
		if s.Run != "" {
			ids = append(ids, s.ID)
		}
	}
	for _, s := range q.Steps.All() {
		if s.Run != "" {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
