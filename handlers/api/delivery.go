package api

import (
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// deliver merges a complete quest's work into its base branch.
func (h handlers) deliver(c echo.Context) error {
	var in struct {
		How     string `json:"how"`
		Message string `json:"message"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	var wrong checks
	switch in.How {
	case "fast-forward", "merge", "squash":
	default:
		wrong.add("how", "is %q; must be fast-forward, merge or squash", in.How)
	}
	message := wrong.text("message", in.Message)
	if err := wrong.err(); err != nil {
		return err
	}
	q, err := h.quest(c)
	if err != nil {
		return err
	}
	fresh, err := h.Trees.Deliver(c.Request().Context(), q, user, in.How, message)
	if err != nil {
		return h.beside(c, err, fresh)
	}
	return h.writeQuest(c, http.StatusOK, fresh)
}

// leave records that the work of a complete quest stays on its branch for now.
func (h handlers) leave(c echo.Context) error {
	if err := decode(c, &struct{}{}); err != nil {
		return err
	}
	return h.control(c, orchestration.WorkLeft{})
}

// push pushes the quest's branch and opens a pull request.
func (h handlers) push(c echo.Context) error {
	if err := decode(c, &struct{}{}); err != nil {
		return err
	}
	q, err := h.quest(c)
	if err != nil {
		return err
	}
	done, err := h.Trees.Push(c.Request().Context(), q)
	if err != nil {
		return h.beside(c, err, q)
	}
	return c.JSON(http.StatusOK, pushedJSON{done.Branch, done.Remote, orNull(done.PullRequest), done.Command, done.Note})
}

type pushedJSON struct {
	Branch      string  `json:"branch"`
	Remote      string  `json:"remote"`
	PullRequest *string `json:"pullRequest"`
	Command     string  `json:"command"`
	Note        string  `json:"note"`
}

// patch answers with the quest's change as a file for "git apply".
func (h handlers) patch(c echo.Context) error {
	q, err := h.quest(c)
	if err != nil {
		return err
	}
	patch, err := h.Trees.Patch(c.Request().Context(), q)
	if err != nil {
		return h.beside(c, err, q)
	}
	header := c.Response().Header()
	header.Set(echo.HeaderContentDisposition, `attachment; filename="quest-`+q.ID+`.patch"`)
	header.Set(echo.HeaderXContentTypeOptions, "nosniff")
	return c.Blob(http.StatusOK, "text/x-diff", patch)
}

// quest loads the quest that the URL names.
func (h handlers) quest(c echo.Context) (*orchestration.Quest, error) {
	return h.Quests.Quest(c.Request().Context(), c.Param("quest"))
}

// beside adds the current quest to err if err is a conflict.
func (h handlers) beside(c echo.Context, err error, q *orchestration.Quest) error {
	if f := FaultOf(err); f.Status == http.StatusConflict && q != nil {
		return f.with("quest", h.wholeQuest(c.Request().Context(), q))
	}
	return err
}

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
		return h.beside(c, err, q)
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
