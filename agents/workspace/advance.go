package workspace

import (
	"context"
	"errors"
	"fmt"

	"questboard/failpoint"
)

// Advance moves the quest's branch forward to the line's tip and returns it;
// the quest's worktree follows. ErrDiverged: the quest's branch has moved on,
// Bring first. ErrInUse: somebody has the quest's branch checked out. Only what
// is committed moves.
func (t *Trees) Advance(ctx context.Context, ref Ref, line string) (commit string, err error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("advance quest %s to %s: %w", ref.Quest, line, err)
	}
	defer done()
	if err := checkName("line", line); err != nil {
		return "", fmt.Errorf("advance quest %s: %w", ref.Quest, err)
	}
	if commit, err = r.advance(ctx, line); err != nil {
		return "", fmt.Errorf("advance quest %s to %s: %w", ref.Quest, line, err)
	}
	return commit, nil
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
		if at := r.elsewhere(r.questBranch()); at != "" {
			return "", fmt.Errorf("%w: %s is on the quest's branch, and its files would not follow; switch to another branch there first", ErrInUse, at)
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
