package api

import (
	"context"
	"errors"
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
	d.clear(ctx, orchestration.DeletionOf(q), false)
	return nil
}

// FinishDeletions removes what deletions have left that were cut short, or
// failed. What stays once more is tried again after the next start.
func (d Deps) FinishDeletions(ctx context.Context) {
	left, err := d.Quests.Deletions(ctx)
	if err != nil {
		d.Log.LogAttrs(ctx, slog.LevelWarn, "what is left of some deleted quests is not known, and stays", slog.String("error", err.Error()))
	}
	for _, deletion := range left {
		if ctx.Err() != nil {
			return
		}
		d.clear(ctx, deletion, true)
	}
}

// clear comes after the quest is gone: a file that stays is a nuisance, a quest
// without its output would be a loss, and a repository which is gone keeps no
// quest from being deleted. late: other things may have happened since.
func (d Deps) clear(ctx context.Context, deletion orchestration.Deletion, late bool) {
	var stays []error
	for _, run := range deletion.Runs {
		stays = append(stays, d.Output.Remove(run))
	}
	err := errors.Join(append(stays, d.Trees.Forget(ctx, deletion, late))...)
	if err == nil {
		err = d.Quests.Deleted(ctx, deletion.Quest)
	}
	if err != nil {
		d.Log.LogAttrs(ctx, slog.LevelWarn, "something of a deleted quest stays; the next start of the server tries again",
			slog.String("quest", deletion.Quest), slog.String("repo", deletion.Repo), slog.String("error", err.Error()))
		return
	}
	if late {
		d.Log.LogAttrs(ctx, slog.LevelInfo, "finished the deletion of a quest", slog.String("quest", deletion.Quest), slog.String("repo", deletion.Repo))
	}
}
