package service

import (
	"context"
	"errors"
	"log/slog"

	"questboard/orchestration"
)

// Delete deletes a quest that is over, with its history, the output of its runs, its
// worktrees and its branch. Only work that was never merged is kept.
func (s Service) Delete(ctx context.Context, id string) error {
	q, err := s.Quests.Quest(ctx, id)
	if err != nil {
		return err
	}
	shares, err := s.Shares.Shares(ctx, id)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // a deletion cannot be requested twice, and what is asked of the engine is carried out
	if err := s.Quests.Delete(ctx, id); err != nil {
		return err
	}
	s.Shares.Gone(shares)
	s.clear(ctx, orchestration.DeletionOf(q), false)
	return nil
}

// FinishDeletions removes what incomplete or failed deletions left. What still cannot
// be removed is tried again at the next start.
func (s Service) FinishDeletions(ctx context.Context) {
	left, err := s.Quests.Deletions(ctx)
	if err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "what is left of some deleted quests is not known, and stays", slog.String("error", err.Error()))
	}
	for _, deletion := range left {
		if ctx.Err() != nil {
			return
		}
		s.clear(ctx, deletion, true)
	}
}

// clear removes the files of a quest that is already deleted from the store. The other
// order could leave a quest without its output, which is worse than a file that stays. A
// missing repository must not prevent a deletion. late means that the deletion was some
// time ago, so other things may have happened since.
func (s Service) clear(ctx context.Context, deletion orchestration.Deletion, late bool) {
	var stays []error
	for _, run := range deletion.Runs {
		stays = append(stays, s.Output.Remove(run))
	}
	if s.Attachments != nil {
		stays = append(stays, s.Attachments.Remove(deletion.Quest))
	}
	err := errors.Join(append(stays, s.Trees.Forget(ctx, deletion, late))...)
	if err == nil {
		err = s.Quests.Deleted(ctx, deletion.Quest)
	}
	if err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "something of a deleted quest stays; the next start of the server tries again",
			slog.String("quest", deletion.Quest), slog.String("repo", deletion.Repo), slog.String("error", err.Error()))
		return
	}
	if late {
		s.Log.LogAttrs(ctx, slog.LevelInfo, "finished the deletion of a quest", slog.String("quest", deletion.Quest),
			slog.String("repo", deletion.Repo))
	}
}
