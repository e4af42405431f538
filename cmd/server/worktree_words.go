package main

import (
	"errors"
	"fmt"
	"strings"

	"questboard/agents/workspace"
	"questboard/orchestration"
)

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

func mustBeComplete(q *orchestration.Quest) error {
	switch {
	case !inTrees(q):
		return mustHaveTrees(q)
	case q.Abandoned:
		return conflict("this quest was abandoned: what was merged is on its branch quest/%s, from which you can merge by hand", q.ID)
	case q.Phase != orchestration.PhaseComplete:
		return conflict("this quest is not complete yet; once it is, its branch quest/%s can be delivered", q.ID)
	default:
		return nil
	}
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
	words := oneLine(err.Error())
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
