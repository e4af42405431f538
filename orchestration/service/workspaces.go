package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"questboard/agents/runlog"
	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// Workspaces gives the engine the working trees of every quest: the repository
// itself in shared mode, a tree for every line in worktree mode.
type Workspaces struct {
	workspace.Shared
	Trees *workspace.Trees
	// Note puts a line into a run's output, for the user to see.
	Note func(run, text string)
	// Hung is called when git had to be ended because the server stops: then it
	// waits for nobody. May be nil.
	Hung func()
}

// Dir implements engine.Workspace.
func (w Workspaces) Dir(ctx context.Context, q *orchestration.Quest, line string) (string, error) {
	if !inTrees(q) {
		return w.Shared.Dir(ctx, q, line)
	}
	if err := w.present(ctx, func() error { _, err := w.Trees.Begin(ctx, refOf(q)); return err }); err != nil {
		return "", fmt.Errorf("begin the quest's branch: %w", err)
	}
	dir, err := w.Trees.Dir(ctx, refOf(q), line)
	if err == nil && line == orchestration.LineReview {
		err = w.freshen(ctx, q)
	}
	return dir, err
}

// freshen brings the review's tree up to date before ward opens a review: steps
// that an earlier one asked for are merged by then. A conflict with what was
// mended in that review is left to the merge queue.
func (w Workspaces) freshen(ctx context.Context, q *orchestration.Quest) error {
	if q.Run(q.Line(orchestration.LineReview).Run).Role != orchestration.Ward {
		return nil
	}
	brought, err := w.Trees.Bring(ctx, refOf(q), orchestration.LineReview)
	if err == nil && brought.Outcome == workspace.Conflict {
		_, err = w.Trees.Discard(ctx, refOf(q), orchestration.LineReview, workspace.Stamp{Run: "freshen"})
	}
	return err
}

// Settle implements engine.Workspace. What ward left behind is undone without a
// word: a check writes reports and caches, and none of them is anybody's work.
func (w Workspaces) Settle(ctx context.Context, q *orchestration.Quest, r *orchestration.Run) (engine.Settled, error) {
	if !inTrees(q) {
		return engine.Settled{}, nil
	}
	stamp := workspace.Stamp{Run: r.ID, Role: string(r.Role), Summary: summaryOf(q, r)}
	reads := r.Line == orchestration.LineRequirements || r.Line == orchestration.LinePlan
	if r.Role.Writes() && !reads {
		var done workspace.Committed
		err := w.present(ctx, func() (err error) { done, err = w.Trees.Commit(ctx, refOf(q), r.Line, stamp); return err })
		if len(done.Nested) > 0 {
			w.Note(r.ID, "not committed, for they are repositories of their own within the tree: "+listed(done.Nested))
		}
		return engine.Settled{Changed: done.Files, Markers: done.Markers}, err
	}
	var undone []string
	err := w.present(ctx, func() (err error) { undone, err = w.Trees.Discard(ctx, refOf(q), r.Line, stamp); return err })
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
func (w Workspaces) Merge(ctx context.Context, q *orchestration.Quest, line string) orchestration.MergeEnded {
	for range 3 { // the quest's branch can move between the two calls only by hand
		var brought workspace.Brought
		err := w.present(ctx, func() (err error) { brought, err = w.Trees.Bring(ctx, refOf(q), line); return err })
		switch {
		case err != nil:
			return broke(line, err)
		case brought.Outcome == workspace.Conflict:
			return orchestration.MergeEnded{Line: line, Outcome: orchestration.MergeConflict, Files: brought.Files}
		case brought.Outcome == workspace.Updated:
			return orchestration.MergeEnded{Line: line, Outcome: orchestration.MergeUpdated}
		}
		var done workspace.Advanced
		err = w.present(ctx, func() (err error) { done, err = w.Trees.Advance(ctx, refOf(q), line); return err })
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
func (w Workspaces) unpublished(q *orchestration.Quest, line, why string) {
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
		w.Note(last, why)
	}
}

// Release implements engine.Workspace.
func (w Workspaces) Release(ctx context.Context, q *orchestration.Quest, line string) error {
	if !inTrees(q) {
		return nil
	}
	return w.Trees.Remove(ctx, refOf(q), line)
}

// Tidy implements engine.Workspace.
func (w Workspaces) Tidy(ctx context.Context, q *orchestration.Quest) ([]string, error) {
	ref := refOf(q)
	swept := w.Trees.Sweep(ctx, ref)
	lines, err := w.Trees.Lines(ctx, ref)
	if _, there := w.Trees.Place(ref, orchestration.LinePlan); there {
		lines = append(lines, orchestration.LinePlan)
	}
	return lines, errors.Join(swept, err)
}

func broke(line string, err error) orchestration.MergeEnded {
	return orchestration.MergeEnded{Line: line, Outcome: orchestration.MergeBroke, Why: OneLine(err.Error())}
}

// A repository may be away for a moment: on a disk of the network, or because
// somebody moves it and back. What a run did is tried again for this long before
// a person is asked.
const (
	awayFor = time.Minute
	lookFor = time.Second
)

// present does something with a quest's repository, and again while that is gone.
// Where git was ended because the server stops, nothing is told: the next start
// does it again.
func (w Workspaces) present(ctx context.Context, do func() error) error {
	until := time.NewTimer(awayFor)
	defer until.Stop()
	for {
		err := do()
		if errors.Is(err, workspace.ErrEnding) && w.Hung != nil {
			w.Hung()
			<-ctx.Done()
		}
		if !errors.Is(err, workspace.ErrGone) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-until.C:
			return err
		case <-time.After(lookFor):
		}
	}
}

// RunNotes are lines of our own in a run's output, beside what its program wrote.
// They are written while no program writes there.
type RunNotes struct {
	Logs *runlog.Logs
	Log  *slog.Logger
}

// Write adds one to the output of a run.
func (n RunNotes) Write(run, text string) {
	line, err := json.Marshal(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"note", text})
	if err != nil {
		return // strings always encode
	}
	n.Log.Info("note on a run", "run", run, "text", text)
	out, err := n.Logs.Create(run)
	if err == nil {
		err = out.Append(line)
		_ = out.Close()
	}
	if err != nil {
		n.Log.Warn("write a note into a run's output", "run", run, "error", err)
	}
}
