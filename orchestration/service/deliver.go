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

// How long git may take for what a person waits for. It goes on where the
// person does not: a browser that was closed must not leave half a delivery.
const (
	deliverTime = 5 * time.Minute
	pushTime    = 2 * time.Minute
)

// Deliver brings the work to its base branch and records that. Git comes
// first: after a crash in between, a repeat finds that the work has arrived.
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
		err = conflict("%s has the work now (%.12s), but comments opened the quest again meanwhile: deliver what follows once it is complete", q.Branch, commit)
	}
	return now, err
}

// Push pushes the quest's branch and opens a pull request. Where that cannot be
// done, it says what a person can run instead.
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
	if done.PullRequest, err = w.Trees.PullRequest(ctx, refOf(q), q.Title, q.Request+"\n\n---\n\n"+q.Report()); err == nil {
		return done, nil
	}
	done.Note = wordsOf(q, err)
	if done.Command, err = w.Trees.PullCommand(ctx, refOf(q), q.Title); errors.Is(err, workspace.ErrNoBranch) {
		done.Note = "the quest started from a commit, so there is no branch that a pull request could go into"
	}
	return done, nil
}

func (w Worktrees) notPushed(ctx context.Context, q *orchestration.Quest, err error) error {
	command, none := w.Trees.PushCommand(ctx, refOf(q))
	if none != nil {
		return refusedByGit(q, err)
	}
	return conflict("%s. By hand: %s", wordsOf(q, err), command)
}

// Patch is the quest's change, for "git apply".
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
	return conflict("the agents of this quest worked in the repository itself: what they did is in %s, for you to commit", q.Repo)
}

// refusedByGit is a refusal of package workspace in words for a person, with
// the remedy.
func refusedByGit(q *orchestration.Quest, err error) error {
	words := wordsOf(q, err)
	switch {
	case errors.Is(err, workspace.ErrGone), errors.Is(err, workspace.ErrNotGit):
		return conflict("there is no git repository at %s any more: put it back, and try again", q.Repo)
	case errors.Is(err, workspace.ErrNotBegun):
		return conflict("nobody has worked on this quest yet, so it has no branch")
	case errors.Is(err, workspace.ErrDiverged):
		return conflict("%s has moved on since the quest started, so it cannot simply move forward to the quest's work: deliver with a merge commit, or squashed", q.Branch)
	case errors.Is(err, workspace.ErrConflict):
		return conflict("%s. Merge quest/%s into %s by hand and settle it there; then deliver again, which only notes that the work has arrived",
			files(words), q.ID, q.Branch)
	case errors.Is(err, workspace.ErrNoBranch):
		return conflict("the quest started from a commit and not from a branch, so there is none to deliver to: merge the branch quest/%s by hand, or take the patch", q.ID)
	default: // ErrDirty says what to do by itself; of anything else git's words are the best there are
		return conflict("%s", words)
	}
}

// wordsOf is what an error says, without which quest it was about.
func wordsOf(q *orchestration.Quest, err error) string {
	words := OneLine(err.Error())
	if _, rest, ok := strings.Cut(words, "quest "+q.ID+": "); ok {
		return rest
	}
	return words
}

// files cuts the workspace's own advice off its list of conflicts.
func files(words string) string {
	words, _, _ = strings.Cut(words, ": bring the quest up to date")
	return words
}

// OneLine keeps what is printed as one line one line.
func OneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.ReplaceAll(strings.Join(lines, "; "), ":; ", ": ")
}
