package api

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// deleteQuest removes a quest that is over.
func (h handlers) deleteQuest(c echo.Context) error {
	id, ctx := c.Param("quest"), c.Request().Context()
	q, err := h.Quests.Quest(ctx, id)
	if err != nil {
		return err
	}
	if err := h.Remove(ctx, id); err != nil {
		if f := FaultOf(err); f.Status == http.StatusConflict {
			return f.with("quest", presentQuest(q, h.Clock(), h.Quests.Holds()))
		}
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// Remove deletes a quest that is over, with its history, all output of its runs
// and its worktrees and branch: what the user deletes is gone, but for work that
// was never merged anywhere.
func (d Deps) Remove(ctx context.Context, id string) error {
	q, err := d.Quests.Quest(ctx, id)
	if err != nil {
		return err
	}
	shares, err := d.Shares.Shares(ctx, id)
	if err != nil {
		return err
	}
	if err := d.Quests.Delete(ctx, id); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // nobody could ask again
	d.Shares.Gone(shares)
	d.removeOutput(ctx, q)
	d.forgetTrees(ctx, q)
	return nil
}

// removeOutput comes after the quest is gone: a file that stays is a nuisance,
// a quest without its output would be a loss.
func (d Deps) removeOutput(ctx context.Context, q *orchestration.Quest) {
	for _, r := range q.Runs.All() {
		if err := d.Output.Remove(r.ID); err != nil {
			d.Log.LogAttrs(ctx, slog.LevelWarn, "output of a deleted quest stays",
				slog.String("quest", q.ID), slog.String("run", r.ID), slog.String("error", err.Error()))
		}
	}
}

// forgetTrees comes last for the same reason, and so that a repository which is
// gone keeps no quest from being deleted. What stays behind is named in the log,
// and again at each start of the server.
func (d Deps) forgetTrees(ctx context.Context, q *orchestration.Quest) {
	if err := d.Trees.Forget(ctx, q); err != nil {
		d.Log.LogAttrs(ctx, slog.LevelWarn, "worktrees of a deleted quest stay",
			slog.String("quest", q.ID), slog.String("repo", q.Repo), slog.String("error", err.Error()))
	}
}
