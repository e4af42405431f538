package workspace

import (
	"context"
	"fmt"
	"slices"

	"questboard/agents/git"
	"questboard/orchestration"
)

// follow updates the quest's own worktree to the quest's branch, after the branch moved
// or an agent changed what it should only read. With a label it saves everything that
// differs under that label and undoes it; without one, only what prevents the update.
// It returns the files that were undone.
func (tr *tree) follow(ctx context.Context, label string) ([]string, error) {
	quest, err := tr.r.questTip(ctx)
	if err != nil {
		return nil, err
	}
	at := objectID(tr.noted(ready))
	moved, err := tr.holdBranch(ctx, quest)
	if err != nil {
		return nil, err
	}
	if label == "" && !moved {
		if at == quest {
			return nil, nil
		}
		unfits, err := look(ctx, tr.path, tr.common)
		if err != nil {
			return nil, err
		}
		if len(unfits) == 0 { // otherwise they are moved out of the way
			if err := tr.turn(ctx, at, quest); err == nil {
				return nil, tr.note(ready, quest)
			}
		}
		label = "in-the-way"
	}
	s, err := tr.snapshot(ctx, quest)
	if err != nil {
		return nil, err
	}
	// A kill may leave some files old and some new. A file that is neither is
	// somebody's work.
	old, err := tr.since(ctx, at, s)
	if err != nil {
		return nil, err
	}
	next, err := tr.since(ctx, quest, s)
	if err != nil {
		return nil, err
	}
	foreign := both(old, next)
	if len(foreign) > 0 {
		if err := tr.keep(ctx, label, "Changes in the worktree of quest "+tr.r.ref.Quest, s.tree, at); err != nil {
			return nil, err
		}
	}
	foreign = append(foreign, s.nested...)
	if len(old) == 0 && at == quest && len(s.nested) == 0 && !moved {
		return nil, nil
	}
	if err := tr.restore(ctx, quest, s); err != nil {
		return nil, err
	}
	slices.Sort(foreign)
	return foreign, tr.note(ready, quest)
}

// holdBranch puts HEAD on the quest's branch and the branch where we left it, and
// reports whether it had to. A branch behind that is a move that a kill cut short.
// Anything else is kept.
func (tr *tree) holdBranch(ctx context.Context, quest string) (moved bool, err error) {
	branch := tr.r.questBranch()
	known, err := tr.r.refs(ctx, branch)
	if err != nil {
		return false, err
	}
	head, there := known[branch], tr.noted("HEAD") == "ref: "+branch
	if !there {
		head, err = tr.git(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
		if err != nil && !git.Exited(err, 1) {
			return false, err
		}
	}
	for _, commit := range []string{known[branch], head} {
		if commit == "" || commit == quest {
			continue
		}
		behind, err := tr.r.contains(ctx, quest, commit)
		if err != nil {
			return false, err
		}
		if !behind {
			moved = true
			if err := tr.r.keep(ctx, own, "committed", commit); err != nil {
				return false, err
			}
		}
	}
	if known[branch] != quest {
		if err := tr.r.move(ctx, "hold", move{ref: branch, from: known[branch], to: quest}); err != nil {
			return false, err
		}
	}
	if !there {
		moved = true
		if _, err := tr.git(ctx, "symbolic-ref", "HEAD", branch); err != nil {
			return false, err
		}
	}
	return moved, tr.keepAutostash(ctx)
}

// Discard undoes what a read-only role has changed, and returns the files. They are
// kept under refs/questboard/kept/<quest>/<step>/<run> (for requirements and plan,
// which share a tree, the step is _quest). Nested repositories are moved to
// <root>/<quest>/_kept.
func (t *Trees) Discard(ctx context.Context, ref Ref, step string, stamp Stamp) ([]string, error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("undo what %s changed: %w", step, err)
	}
	defer done()
	tr, err := r.standing(ctx, step)
	var files []string
	switch {
	case err != nil:
	case tr.step == own:
		files, err = tr.follow(ctx, labelled(stamp.Run))
	default:
		files, err = tr.discard(ctx, labelled(stamp.Run), message(ref.Quest, step, stamp))
		if err == nil {
			err = tr.noteSeen(stamp.Role)
		}
	}
	if err != nil {
		return files, fmt.Errorf("undo what %s changed: %w", step, err)
	}
	return files, nil
}

// noteSeen records that ward has checked the step's tip.
func (tr *tree) noteSeen(role string) error {
	if role == string(orchestration.Ward) {
		return tr.forget(unseen)
	}
	return nil
}

func labelled(run string) string {
	if checkName("run", run) != nil {
		return "run"
	}
	return run
}

// discard resets a step's tree and branch to where we left them.
func (tr *tree) discard(ctx context.Context, label, why string) ([]string, error) {
	p, err := tr.adopt(ctx)
	if err != nil {
		return nil, err
	}
	s, err := tr.snapshot(ctx, p.head)
	if err != nil {
		return nil, err
	}
	changed, err := tr.since(ctx, p.left, s)
	if err != nil {
		return nil, err
	}
	if len(changed) == 0 && p.head == p.left && len(p.merges) == 0 && len(s.nested) == 0 {
		return nil, tr.forget(inProgress...)
	}
	if len(changed) > 0 || p.head != p.left {
		if err := tr.keep(ctx, label, why, s.tree, append([]string{p.head}, p.merges...)...); err != nil {
			return nil, err
		}
	}
	if err := tr.r.move(ctx, "discard", move{ref: tr.r.branch(tr.step), from: p.head, to: p.left}); err != nil {
		return nil, err
	}
	files := append(namesOf(changed), s.nested...)
	slices.Sort(files)
	return files, tr.restore(ctx, p.left, s)
}
