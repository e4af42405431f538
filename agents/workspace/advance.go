package workspace

import (
	"context"
	"errors"
	"fmt"

	"questboard/failpoint"
)

// Advanced is what became of a line's work.
type Advanced struct {
	Commit string // the quest's branch
	// Unpublished says why the branch in the user's repository stays where it
	// is: the user moved it, or is on it. Empty: it has moved, too.
	Unpublished string
}

// Advance moves the quest's branch forward to the line's tip; the quest's
// worktree follows, and the branch of that name in the user's repository.
// ErrDiverged: the quest's branch has moved on, Bring first. Only what is
// committed moves.
func (t *Trees) Advance(ctx context.Context, ref Ref, line string) (Advanced, error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return Advanced{}, fmt.Errorf("advance quest %s to %s: %w", ref.Quest, line, err)
	}
	defer done()
	if err := checkName("line", line); err != nil {
		return Advanced{}, fmt.Errorf("advance quest %s: %w", ref.Quest, err)
	}
	var a Advanced
	if a.Commit, err = r.advance(ctx, line); err == nil {
		a.Unpublished, err = r.publish(ctx)
	}
	if err != nil {
		return Advanced{}, fmt.Errorf("advance quest %s to %s: %w", ref.Quest, line, err)
	}
	return a, nil
}

func (r *repository) advance(ctx context.Context, line string) (string, error) {
	known, err := r.refs(ctx, r.questBranch(), r.tipRef(own), r.tipRef(line), r.mergedRef(line))
	if err != nil {
		return "", err
	}
	quest, tip := known[r.tipRef(own)], known[r.tipRef(line)]
	if quest == "" || tip == "" {
		return "", ErrNotBegun
	}
	if tip != quest {
		if held, err := r.contains(ctx, tip, quest); err != nil {
			return "", err
		} else if !held {
			merged, err := r.contains(ctx, quest, tip)
			if err != nil {
				return "", err
			}
			if !merged {
				return "", ErrDiverged
			}
			tip = quest // the line arrived before, and the branch went on
		}
	}
	if tip != quest {
		if tr, err := r.tree(ctx, line); err != nil || tr.admin != "" && tr.noted(unseen) == tip {
			return "", errors.Join(err, ErrUnseen)
		}
		// The quest's record before its branch: a branch behind the record is a
		// move that was cut short, and is finished below.
		err := r.move(ctx, "merge "+line,
			move{ref: r.beforeRef(line), to: quest, any: true}, move{ref: r.mergedRef(line), to: tip, any: true},
			move{ref: r.tipRef(own), from: quest, to: tip}, move{ref: r.questBranch(), from: known[r.questBranch()], to: tip})
		if err != nil {
			return "", err
		}
	}
	tr, err := r.tree(ctx, own)
	if err == nil {
		err = tr.ensure(ctx)
	}
	if err == nil {
		err = failpoint.At(failpoint.MergeFollowed)
	}
	return tip, err
}
