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

// Workspaces gives the engine the working trees of every quest: the repository itself
// in shared mode, a worktree per step in worktree mode.
type Workspaces struct {
	workspace.Shared
	Trees *workspace.Trees
	// Note writes a line for the user into a run's output.
	Note func(run, text string)
	// Hung is called when git had to be ended because the server stops, so the stop
	// does not wait for anybody. It may be nil.
	Hung func()
	// Newest returns a quest as it is now: a person may take a step over while git
	// waits. Nil: it is as the caller has it.
	Newest func(ctx context.Context, quest string) (*orchestration.Quest, error)
}

// Dir implements engine.Workspace.
func (w Workspaces) Dir(ctx context.Context, q *orchestration.Quest, step string) (string, error) {
	if !inTrees(q) {
		return w.Shared.Dir(ctx, q, step)
	}
	if err := w.present(ctx, func() error { _, err := w.Trees.Begin(ctx, beginningOf(q)); return err }); err != nil {
		return "", fmt.Errorf("begin the quest's branch: %w", err)
	}
	dir, err := w.Trees.Dir(ctx, refOf(q), step)
	if err == nil && step == orchestration.StepReview {
		err = w.freshen(ctx, q)
	}
	return dir, err
}

// freshen updates the review's tree before ward begins a review, because the steps that
// an earlier review asked for have been merged since. If they conflict with what that
// review changed, the merge queue deals with the conflict.
func (w Workspaces) freshen(ctx context.Context, q *orchestration.Quest) error {
	if r := q.Run(q.Step(orchestration.StepReview).Run); r.Role != orchestration.Ward || r.BeforeMerge() {
		return nil
	}
	brought, err := w.Trees.Bring(ctx, refOf(q), orchestration.StepReview)
	if err == nil && brought.Outcome == workspace.Conflict {
		_, err = w.Trees.Discard(ctx, refOf(q), orchestration.StepReview, workspace.Stamp{Run: "freshen"})
	}
	return err
}

// Place implements engine.Workspace.
func (w Workspaces) Place(q *orchestration.Quest, step string) string {
	if !inTrees(q) {
		return q.Repo
	}
	dir, _ := w.Trees.Place(refOf(q), step)
	return dir
}

// Look implements engine.Workspace.
func (w Workspaces) Look(ctx context.Context, q *orchestration.Quest, step string) (string, error) {
	dir := w.place(q, step)
	if dir == "" {
		return "", nil
	}
	return w.Fingerprint(ctx, dir)
}

// Seek implements engine.Workspace.
func (w Workspaces) Seek(ctx context.Context, q *orchestration.Quest, step string,
	evidence []orchestration.Evidence) []orchestration.Sought {
	return workspace.Seek(ctx, w.place(q, step), evidence)
}

// place returns the folder where a step works, or "" if it is not there.
func (w Workspaces) place(q *orchestration.Quest, step string) string {
	if !inTrees(q) {
		return q.Repo
	}
	dir, there := w.Trees.Place(refOf(q), step)
	if !there {
		return ""
	}
	return dir
}

// SaveWork implements engine.Workspace. It removes what ward left behind without a
// message: a check writes reports and caches, and they are nobody's work. If a person has
// taken the step over meanwhile, nothing is removed: it could be theirs.
func (w Workspaces) SaveWork(ctx context.Context, q *orchestration.Quest, r *orchestration.Run) (engine.SavedWork, error) {
	if !inTrees(q) {
		return engine.SavedWork{}, nil
	}
	stamp := workspace.Stamp{Run: r.ID, Role: string(r.Role), Summary: summaryOf(q, r, agentOf(r))}
	reads := r.Step == orchestration.StepRequirements || r.Step == orchestration.StepPlan
	if r.Role.Writes() && !reads {
		var done workspace.Committed
		err := w.present(ctx, func() (err error) { done, err = w.Trees.Commit(ctx, refOf(q), r.Step, stamp); return err })
		if len(done.Nested) > 0 {
			w.Note(r.ID, "not committed, because they are repositories of their own: "+listed(done.Nested))
		}
		return w.withByHand(ctx, q, r, engine.SavedWork{From: done.From, Commit: done.Commit, Tip: done.Tip, Changed: done.Files,
			Markers: done.Markers}), err
	}
	var undone []string
	inHand := false
	err := w.present(ctx, func() (err error) {
		if inHand = w.newest(ctx, q).InHand(r.Step); !inHand {
			undone, err = w.Trees.Discard(ctx, refOf(q), r.Step, stamp)
		}
		return err
	})
	if inHand {
		w.Note(r.ID, "a person took the step over or skipped it before this run had ended: what is in its tree stays there")
		return w.withByHand(ctx, q, r, engine.SavedWork{}), nil
	}
	var touched []string
	if r.BeforeMerge() && err == nil {
		touched, err = w.Trees.Tracked(ctx, refOf(q), r.Step, undone)
	}
	if r.Role == orchestration.Ward {
		undone = nil
	}
	return w.withByHand(ctx, q, r, engine.SavedWork{Undone: undone, Touched: touched}), err
}

// newest returns the quest as it is now, or q if that cannot be read.
func (w Workspaces) newest(ctx context.Context, q *orchestration.Quest) *orchestration.Quest {
	if w.Newest != nil {
		if now, err := w.Newest(ctx, q.ID); err == nil && !now.Damaged() {
			return now
		}
	}
	return q
}

// summaryOf returns the subject of a run's commit: the step, who worked, and the title of
// the step. So the commits of two runs of one step have different subjects.
func summaryOf(q *orchestration.Quest, r *orchestration.Run, who string) string {
	return r.Step + ", " + who + ": " + titleOf(q, r.Step)
}

// subjectOf returns the subject of the one commit that a step with several becomes.
func subjectOf(q *orchestration.Quest, step string) string { return step + ": " + titleOf(q, step) }

func titleOf(q *orchestration.Quest, step string) string {
	if s := q.Step(step); s != nil && s.Title != "" {
		return s.Title
	}
	return q.Title
}

// agentOf returns the role of a run, with a number if it is not the role's first run of
// the step.
func agentOf(r *orchestration.Run) string {
	if r.Visit > 1 {
		return fmt.Sprintf("%s %d", r.Role, r.Visit)
	}
	return string(r.Role)
}

// Merge implements engine.Workspace.
func (w Workspaces) Merge(ctx context.Context, q *orchestration.Quest, step string) orchestration.MergeEnded {
	for range 3 { // between the two calls only a person could move the quest's branch
		var brought workspace.BringResult
		err := w.present(ctx, func() (err error) { brought, err = w.Trees.Bring(ctx, refOf(q), step); return err })
		switch {
		case err != nil:
			return broke(step, err)
		case brought.Outcome == workspace.Conflict:
			return orchestration.MergeEnded{Step: step, Outcome: orchestration.MergeConflict, Files: brought.Files}
		case brought.Outcome == workspace.Updated:
			return orchestration.MergeEnded{Step: step, Outcome: orchestration.MergeUpdated, Files: brought.Files, Commit: brought.Tip}
		}
		if q.AsksBeforeMerge(step) {
			return orchestration.MergeEnded{Step: step, Outcome: orchestration.MergeReady}
		}
		var done workspace.AdvanceResult
		err = w.present(ctx, func() (err error) { done, err = w.Trees.Advance(ctx, refOf(q), step, subjectOf(q, step)); return err })
		if err == nil {
			w.unpublished(q, step, done.Unpublished)
			return orchestration.MergeEnded{Step: step, Outcome: orchestration.MergeMerged, Commit: done.Commit, Folded: done.Folded}
		}
		if !errors.Is(err, workspace.ErrDiverged) {
			return broke(step, err)
		}
	}
	return broke(step, workspace.ErrDiverged)
}

// unpublished notes in the output of the step's last run that the quest's branch in the
// user's repository could not be updated.
func (w Workspaces) unpublished(q *orchestration.Quest, step, why string) {
	if why == "" {
		return
	}
	last := ""
	for _, r := range q.Runs.All() {
		if r.Step == step {
			last = r.ID
		}
	}
	if last != "" {
		w.Note(last, why)
	}
}

// Release implements engine.Workspace.
func (w Workspaces) Release(ctx context.Context, q *orchestration.Quest, step string) error {
	if !inTrees(q) {
		return nil
	}
	return w.Trees.Remove(ctx, refOf(q), step)
}

// Tidy implements engine.Workspace.
func (w Workspaces) Tidy(ctx context.Context, q *orchestration.Quest) ([]string, error) {
	ref := refOf(q)
	swept := w.Trees.Sweep(ctx, ref)
	steps, err := w.Trees.Steps(ctx, ref)
	if _, there := w.Trees.Place(ref, orchestration.StepPlan); there {
		steps = append(steps, orchestration.StepPlan)
	}
	return steps, errors.Join(swept, err)
}

func broke(step string, err error) orchestration.MergeEnded {
	return orchestration.MergeEnded{Step: step, Outcome: orchestration.MergeBroke, Why: OneLine(err.Error())}
}

// A repository may be away for a moment: on a network disk, or because somebody moves
// it. The work of a run is tried again for this long before a person is asked.
const (
	awayFor = time.Minute
	lookFor = time.Second
)

// present runs do, and repeats it while the quest's repository is missing. If git was
// ended because the server stops, it reports nothing: the next start tries again.
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

// RunNotes writes our own lines into a run's output, beside what its program wrote. It
// writes while no program does.
type RunNotes struct {
	Logs *runlog.Logs
	Log  *slog.Logger
}

// Write adds a line to the output of a run.
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
