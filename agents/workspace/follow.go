package workspace

import (
	"context"
	"fmt"
	"slices"

	"questboard/agents/git"
	"questboard/orchestration"
)

// follow brings the quest's own worktree to the quest's branch: after the
// branch has moved, and after an agent changed what it should only read. With a
// label, whatever differs is kept under it and undone; without one, only what
// stands in the way. It returns the files that were undone.
func (tr *tree) follow(ctx context.Context, label string) ([]string, error) {
	quest, err := tr.r.questTip(ctx)
	if err != nil {
		return nil, err
	}
	at := tr.noted(ready)
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
		if len(unfits) == 0 { // else they are moved out of the way
			if _, err := tr.git(ctx, "read-tree", "-m", "-u", at, quest); err == nil {
				return nil, tr.note(ready, quest)
			}
		}
		label = "in-the-way"
	}
	s, err := tr.snapshot(ctx, quest)
	if err != nil {
		return nil, err
	}
	// A kill in the middle leaves some files as they were and some as they will
	// be. What is neither is somebody's work.
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

// holdBranch sees to it that HEAD is on the quest's branch and the branch where
// we left it; it reports whether it was not. A branch behind that is one whose
// move a kill cut short; anything else is kept.
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

// Discard undoes what a role that only reads has changed, and returns the
// files. They are kept under refs/questboard/kept/<quest>/<line>/<run>
// (for requirements and plan, which share a tree, the line is _quest);
// repositories within the tree are moved to <root>/<quest>/_kept.
func (t *Trees) Discard(ctx context.Context, ref Ref, line string, stamp Stamp) ([]string, error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("undo what %s changed: %w", line, err)
	}
	defer done()
	tr, err := r.standing(ctx, line)
	var files []string
	switch {
	case err != nil:
	case tr.line == own:
		files, err = tr.follow(ctx, labelled(stamp.Run))
	default:
		files, err = tr.discard(ctx, labelled(stamp.Run), message(ref.Quest, line, stamp))
		if err == nil {
			err = tr.settled(stamp.Role)
		}
	}
	if err != nil {
		return files, fmt.Errorf("undo what %s changed: %w", line, err)
	}
	return files, nil
}

// settled notes that ward has seen the line's tip.
func (tr *tree) settled(role string) error {
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

// discard takes a line's tree and branch back to where we left them.
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
	if err := tr.r.move(ctx, "discard", move{ref: tr.r.branch(tr.line), from: p.head, to: p.left}); err != nil {
		return nil, err
	}
	files := append(namesOf(changed), s.nested...)
	slices.Sort(files)
	return files, tr.restore(ctx, p.left, s)
}
