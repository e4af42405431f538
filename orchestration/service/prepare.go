package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

// settingUp is the label of a tree that was clean when a set-up began that has not ended. What
// changed there since then is the set-up's.
const settingUp = "setting-up"

// Prepare implements engine.Workspace. A tree remembers what it was given and which
// command ran in it. If the settings change, it gets the new links or command before
// its next run. So a user who corrects a failed set-up only has to retry.
func (w Workspaces) Prepare(ctx context.Context, q *orchestration.Quest, r *orchestration.Run,
	needs record.RepoSettings) (engine.Setup, error) {
	if !inTrees(q) {
		return engine.Setup{}, nil
	}
	ref, word, setup, links := refOf(q), wordFor(needs), strings.TrimSpace(needs.Setup), linksOf(needs)
	label, err := w.Trees.Label(ctx, ref, r.Step)
	if err == nil && label == settingUp { // before the commit of what a person has changed: it is not theirs
		err = w.endSetup(ctx, q, r)
	}
	if err != nil {
		return engine.Setup{}, err
	}
	if markers, err := w.commitByHand(ctx, q, r); err != nil {
		return engine.Setup{}, &engine.NotCommittedError{Err: err, Markers: markers}
	}
	if label == word || setup == "" && len(links) == 0 {
		return engine.Setup{}, nil
	}
	untouched, err := w.Trees.Untouched(ctx, ref, r.Step)
	if err != nil {
		return engine.Setup{}, err
	}
	untouched = untouched && r.ID != "" // else the tree is made for a person, who may be writing in it by now
	if err := w.Trees.Provide(ctx, ref, r.Step, links); err != nil {
		return engine.Setup{}, err
	}
	done := func(ctx context.Context) error {
		if untouched {
			if err := w.undoSetup(ctx, q, r); err != nil {
				return err
			}
		}
		return w.Trees.SetLabel(ctx, ref, r.Step, word)
	}
	if setup == "" {
		return engine.Setup{}, done(ctx)
	}
	if untouched {
		if err := w.Trees.SetLabel(ctx, ref, r.Step, settingUp); err != nil {
			return engine.Setup{}, err
		}
	}
	undo := func(ctx context.Context) error {
		if !untouched {
			return nil
		}
		return w.endSetup(ctx, q, r)
	}
	return engine.Setup{Command: setup, Done: done, Undo: undo}, nil
}

// endSetup undoes what a set-up changed that failed, was ended or died with the server.
// In a tree that a person has taken over it stays: nobody can tell it from what they wrote.
func (w Workspaces) endSetup(ctx context.Context, q *orchestration.Quest, r *orchestration.Run) error {
	if r.ID != "" {
		if err := w.undoSetup(ctx, q, r); err != nil {
			return err
		}
	}
	return w.Trees.SetLabel(ctx, refOf(q), r.Step, "")
}

// commitByHand commits what a person has changed in the tree, before a run that could
// undo it. A check does not begin with conflict markers in files of the step. The agent
// that resolves a conflict finds the merge in progress, and its commit concludes it.
// Repeating it is safe.
func (w Workspaces) commitByHand(ctx context.Context, q *orchestration.Quest, r *orchestration.Run) (markers []string, err error) {
	if !inTrees(q) || !r.Brief.ByHand || r.Brief.Kind == orchestration.BriefConflict {
		return nil, nil
	}
	stamp := workspace.Stamp{Run: r.ID, Role: "person", Summary: summaryOf(q, r, "by hand")}
	err = w.present(ctx, func() error { _, err := w.Trees.Commit(ctx, refOf(q), r.Step, stamp); return err })
	if err != nil || r.Role != orchestration.Ward {
		return nil, err
	}
	markers, err = w.Trees.Markers(ctx, refOf(q), r.Step) // an earlier commit may hold them
	if err == nil && len(markers) > 0 {
		err = fmt.Errorf("conflict markers are left in %s", listed(markers))
	}
	return markers, err
}

// withByHand adds the files that a person changed in a step to those of a run.
func (w Workspaces) withByHand(ctx context.Context, q *orchestration.Quest, r *orchestration.Run, saved engine.SavedWork) engine.SavedWork {
	if !r.Brief.ByHand || r.Step == orchestration.StepRequirements || r.Step == orchestration.StepPlan {
		return saved
	}
	files, err := w.Trees.Changed(ctx, refOf(q), r.Step)
	if err == nil {
		saved.Tip, err = w.Trees.Tip(ctx, refOf(q), r.Step)
	}
	if err != nil {
		w.Note(r.ID, "the files that a person changed cannot be listed: "+err.Error())
		return saved
	}
	saved.Changed = slices.Compact(slices.Sorted(slices.Values(append(files, saved.Changed...))))
	return saved
}

// undoSetup undoes the changes of a set-up that git does not ignore. They are not an
// agent's work, and committed in every step they would cause conflicts.
func (w Workspaces) undoSetup(ctx context.Context, q *orchestration.Quest, r *orchestration.Run) error {
	undone, err := w.Trees.Discard(ctx, refOf(q), r.Step, workspace.Stamp{Run: r.ID + "-setup", Role: "setup",
		Summary: "What the set-up changed"})
	if len(undone) > 0 {
		w.Note(r.ID, "the set-up changed files that git does not ignore; undone, and kept (see Kept work on the quest's page): "+listed(undone))
	}
	return err
}

func linksOf(needs record.RepoSettings) []workspace.Link {
	var links []workspace.Link
	for _, path := range needs.Links {
		links = append(links, workspace.Link{Path: path})
	}
	for _, path := range needs.Copies {
		links = append(links, workspace.Link{Path: path, Copy: true})
	}
	return links
}

// LinksOf returns the paths that new worktrees of a repository link to: those that the user
// set, and those of its own file, as far as one of these quests at work has it.
func LinksOf(settings record.Settings, quests []*orchestration.Quest, repo string) []string {
	links := settings.Repo(repo).Links
	for _, q := range quests {
		if q.Repo == repo {
			links = append(slices.Clip(links), settings.Repo(repo).Or(q.File).Links...)
		}
	}
	return links
}

// wordFor returns the same text for the same needs.
func wordFor(needs record.RepoSettings) string {
	b, err := json.Marshal([]any{strings.TrimSpace(needs.Setup), needs.Links, needs.Copies})
	if err != nil {
		return "" // encoding strings cannot fail
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// listed quotes file names for people, because agents choose the names, and limits
// their number.
func listed(names []string) string {
	const most = 20
	quoted := make([]string, 0, most)
	for i, name := range names {
		if i == most {
			return strings.Join(quoted, ", ") + fmt.Sprintf(" and %d more", len(names)-most)
		}
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	return strings.Join(quoted, ", ")
}
