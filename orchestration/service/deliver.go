package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"questboard/agents/workspace"
	"questboard/failpoint"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// Time limits for git while a person waits. Git continues even if the person leaves:
// closing the browser must not leave a half-finished delivery.
const (
	deliverTime = 5 * time.Minute
	pushTime    = 2 * time.Minute
)

// Deliver merges the work into its base branch and records that. Git comes first: after
// a crash in between, a repeat finds that the work has arrived.
func (w Worktrees) Deliver(ctx context.Context, q *orchestration.Quest, actor, how, message string) (*orchestration.Quest, error) {
	if err := q.May(orchestration.QuestDelivered{}); err != nil {
		return q, err
	}
	if q.Delivered != nil {
		return q, nil
	}
	if strings.TrimSpace(message) == "" {
		message = q.Title
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deliverTime)
	defer cancel()
	commit, err := w.Trees.Deliver(ctx, refOf(q), workspace.How(how), message)
	if err != nil {
		return q, refusedByGit(q, err)
	}
	if err := failpoint.At(failpoint.Delivered); err != nil {
		return q, err
	}
	now, err := w.Submit(ctx, q.ID, actor, orchestration.QuestDelivered{How: how, Branch: q.Branch, Commit: commit})
	if orchestration.CodeOf(err) == orchestration.CodeConflict {
		err = conflict("The work is now in %s (%.12s), but comments reopened the quest: merge the rest once the quest is complete", q.Branch,
			commit)
	}
	return now, err
}

// Push pushes the quest's branch and opens a pull request. If that fails, it says what
// a person can run instead.
func (w Worktrees) Push(ctx context.Context, q *orchestration.Quest) (record.Pushed, error) {
	if err := q.May(orchestration.QuestDelivered{}); err != nil {
		return record.Pushed{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pushTime)
	defer cancel()
	var done record.Pushed
	var err error
	if done.Branch, done.Remote, err = w.Trees.Push(ctx, refOf(q)); err != nil {
		return done, w.notPushed(ctx, q, err)
	}
	if done.PullRequest, err = w.Trees.PullRequest(ctx, refOf(q), q.Title, q.PullText()); err == nil {
		return done, nil
	}
	done.Note = wordsOf(err)
	if done.Command, err = w.Trees.PullCommand(ctx, refOf(q), q.Title); errors.Is(err, workspace.ErrNoBranch) {
		done.Note = "the quest started from a commit, not a branch, so a pull request has no branch to go into"
	}
	return done, nil
}

func (w Worktrees) notPushed(ctx context.Context, q *orchestration.Quest, err error) error {
	command, none := w.Trees.PushCommand(ctx, refOf(q))
	if none != nil {
		return refusedByGit(q, err)
	}
	return conflict("%s. By hand: %s", wordsOf(err), command)
}

// Patch returns the quest's change, for "git apply".
func (w Worktrees) Patch(ctx context.Context, q *orchestration.Quest) ([]byte, error) {
	if err := mustHaveTrees(q); err != nil {
		return nil, err
	}
	patch, err := w.Trees.Patch(ctx, refOf(q))
	if err != nil {
		return nil, refusedByGit(q, err)
	}
	return patch, nil
}

func refuse(code orchestration.Code, format string, args ...any) error {
	return &orchestration.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func conflict(format string, args ...any) error {
	return refuse(orchestration.CodeConflict, format, args...)
}

func mustHaveTrees(q *orchestration.Quest) error {
	if inTrees(q) {
		return nil
	}
	return conflict("the agents of this quest worked in the repository itself: their work is in %s, for you to commit", q.Repo)
}

// refusedByGit turns a refusal of package workspace into a message for people, with the
// remedy.
func refusedByGit(q *orchestration.Quest, err error) error {
	var files *workspace.ConflictError
	switch {
	case errors.Is(err, workspace.ErrGone), errors.Is(err, workspace.ErrNotGit):
		return conflict("the git repository at %s is gone: put it back and try again", q.Repo)
	case errors.Is(err, workspace.ErrNotBegun):
		return conflict("no agent has worked on this quest yet, so it has no branch")
	case errors.Is(err, workspace.ErrDiverged):
		return conflict("%s has new commits since the quest started, so a fast-forward is not possible: choose Merge commit or Squash", q.Branch)
	case errors.As(err, &files):
		return conflict("conflict with the base branch in %s. Merge quest/%s into %s by hand and resolve the conflict there. Then merge here "+
			"again: that only records it",
			files.Files, q.ID, q.Branch)
	case errors.Is(err, workspace.ErrNoBranch) && !q.FromCommit():
		return conflict("the branch %s, from which this quest started, is gone: make it again, or merge the branch quest/%s by hand", q.Branch,
			q.ID)
	case errors.Is(err, workspace.ErrNoBranch):
		return conflict("the quest started from a commit, not a branch, so there is no branch to merge into: merge the branch quest/%s by "+
			"hand, or download the patch", q.ID)
	default: // ErrDirty already says what to do; for any other error git's own words are the best
		return conflict("%s", wordsOf(err))
	}
}

// wordsOf returns the text of an error on one line, without the quest that it is about.
func wordsOf(err error) string {
	if of := (*workspace.QuestError)(nil); errors.As(err, &of) {
		err = of.Err
	}
	return OneLine(err.Error())
}

// OneLine turns a text into one line.
func OneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.ReplaceAll(strings.Join(lines, "; "), ":; ", ": ")
}
