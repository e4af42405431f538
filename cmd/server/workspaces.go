package main

import (
	"context"
	"errors"
	"fmt"

	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// workspaces gives the engine the working trees of every quest: the repository
// itself in shared mode, a tree for every line in worktree mode.
type workspaces struct {
	workspace.Shared
	trees *workspace.Trees
	// note puts a line into a run's output, for the user to see.
	note func(run, text string)
	// hung is called when git had to be ended because the server stops: then it
	// waits for nobody. May be nil.
	hung func()
}

// refOf names a quest in its repository. Its Branch is the base it starts from.
func refOf(q *orchestration.Quest) workspace.Ref {
	return workspace.Ref{Quest: q.ID, Repo: q.Repo, Base: q.Branch}
}

// Dir implements engine.Workspace.
func (w workspaces) Dir(ctx context.Context, q *orchestration.Quest, line string) (string, error) {
	if !inTrees(q) {
		return w.Shared.Dir(ctx, q, line)
	}
	if err := w.present(ctx, func() error { _, err := w.trees.Begin(ctx, refOf(q)); return err }); err != nil {
		return "", fmt.Errorf("begin the quest's branch: %w", err)
	}
	dir, err := w.trees.Dir(ctx, refOf(q), line)
	if err == nil && line == orchestration.LineReview {
		err = w.freshen(ctx, q)
	}
	return dir, err
}

// freshen brings the review's tree up to date before ward opens a review: steps
// that an earlier one asked for are merged by then. A conflict with what was
// mended in that review is left to the merge queue.
func (w workspaces) freshen(ctx context.Context, q *orchestration.Quest) error {
	if q.Run(q.Line(orchestration.LineReview).Run).Role != orchestration.Ward {
		return nil
	}
	brought, err := w.trees.Bring(ctx, refOf(q), orchestration.LineReview)
	if err == nil && brought.Outcome == workspace.Conflict {
		_, err = w.trees.Discard(ctx, refOf(q), orchestration.LineReview, workspace.Stamp{Run: "freshen"})
	}
	return err
}

// Settle implements engine.Workspace. What ward left behind is undone without a
// word: a check writes reports and caches, and none of them is anybody's work.
func (w workspaces) Settle(ctx context.Context, q *orchestration.Quest, r *orchestration.Run) (engine.Settled, error) {
	if !inTrees(q) {
		return engine.Settled{}, nil
	}
	stamp := workspace.Stamp{Run: r.ID, Role: string(r.Role), Summary: summaryOf(q, r)}
	reads := r.Line == orchestration.LineRequirements || r.Line == orchestration.LinePlan
	if r.Role.Writes() && !reads {
		var done workspace.Committed
		err := w.present(ctx, func() (err error) { done, err = w.trees.Commit(ctx, refOf(q), r.Line, stamp); return err })
		if len(done.Nested) > 0 {
			w.note(r.ID, "not committed, for they are repositories of their own within the tree: "+listed(done.Nested))
		}
		return engine.Settled{Changed: done.Files, Markers: done.Markers}, err
	}
	var undone []string
	err := w.present(ctx, func() (err error) { undone, err = w.trees.Discard(ctx, refOf(q), r.Line, stamp); return err })
	if r.Role == orchestration.Ward {
		undone = nil
	}
	return engine.Settled{Undone: undone}, err
}

// summaryOf is the subject of a run's commit: what the line is about.
func summaryOf(q *orchestration.Quest, r *orchestration.Run) string {
	if s := q.Line(r.Line); s != nil && s.Title != "" {
		return s.Title
	}
	return q.Title
}

// Merge implements engine.Workspace.
func (w workspaces) Merge(ctx context.Context, q *orchestration.Quest, line string) orchestration.MergeEnded {
	for range 3 { // the quest's branch can move between the two calls only by hand
		var brought workspace.Brought
		err := w.present(ctx, func() (err error) { brought, err = w.trees.Bring(ctx, refOf(q), line); return err })
		switch {
		case err != nil:
			return broke(line, err)
		case brought.Outcome == workspace.Conflict:
			return orchestration.MergeEnded{Line: line, Outcome: orchestration.MergeConflict, Files: brought.Files}
		case brought.Outcome == workspace.Updated:
			return orchestration.MergeEnded{Line: line, Outcome: orchestration.MergeUpdated}
		}
		var done workspace.Advanced
		err = w.present(ctx, func() (err error) { done, err = w.trees.Advance(ctx, refOf(q), line); return err })
		if err == nil {
			w.unpublished(q, line, done.Unpublished)
			return orchestration.MergeEnded{Line: line, Outcome: orchestration.MergeMerged, Commit: done.Commit}
		}
		if !errors.Is(err, workspace.ErrDiverged) {
			return broke(line, err)
		}
	}
	return broke(line, workspace.ErrDiverged)
}

// unpublished says in the output of the line's last run that the quest's branch
// in the user's repository stays where it is.
func (w workspaces) unpublished(q *orchestration.Quest, line, why string) {
	if why == "" {
		return
	}
	last := ""
	for _, r := range q.Runs.All() {
		if r.Line == line {
			last = r.ID
		}
	}
	if last != "" {
		w.note(last, why)
	}
}

// Release implements engine.Workspace.
func (w workspaces) Release(ctx context.Context, q *orchestration.Quest, line string) error {
	if !inTrees(q) {
		return nil
	}
	return w.trees.Remove(ctx, refOf(q), line)
}

// Tidy implements engine.Workspace.
func (w workspaces) Tidy(ctx context.Context, q *orchestration.Quest) ([]string, error) {
	ref := refOf(q)
	swept := w.trees.Sweep(ctx, ref)
	lines, err := w.trees.Lines(ctx, ref)
	if _, there := w.trees.Place(ref, orchestration.LinePlan); there {
		lines = append(lines, orchestration.LinePlan)
	}
	return lines, errors.Join(swept, err)
}

func broke(line string, err error) orchestration.MergeEnded {
	return orchestration.MergeEnded{Line: line, Outcome: orchestration.MergeBroke, Why: oneLine(err.Error())}
}
