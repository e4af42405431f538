package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"questboard/failpoint"
)

// unseen is the note of a tip that a merge made and that ward has not checked. If the
// server dies after the merge, Bring reads it and reports again that the step was
// updated. Saving a run of ward removes it.
const unseen = "questboard-unseen"

// Bring merges the quest's branch into the step's, in the step's worktree. It first
// saves and undoes uncommitted changes there, because checks leave files behind. After
// a Conflict the merge waits for Commit. Bring returns Updated until ward's run was
// saved, that is, until Discard or Commit was called with ward's role.
func (t *Trees) Bring(ctx context.Context, ref Ref, step string) (BringResult, error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return BringResult{}, fmt.Errorf("bring %s up to date: %w", step, err)
	}
	defer done()
	tr, err := r.tree(ctx, step)
	if err == nil && tr.step == own {
		err = fmt.Errorf("%s has nothing to merge", step)
	}
	if err == nil {
		err = tr.ensure(ctx)
	}
	var b BringResult
	if err == nil {
		b, err = tr.bring(ctx)
	}
	if err != nil {
		return b, fmt.Errorf("bring %s up to date: %w", step, err)
	}
	return b, nil
}

func (tr *tree) bring(ctx context.Context) (BringResult, error) {
	quest, err := tr.r.questTip(ctx)
	if err != nil {
		return BringResult{}, err
	}
	p, waiting, err := tr.readyToMerge(ctx)
	if err != nil || waiting != nil {
		return BringResult{Outcome: Conflict, Files: waiting, Quest: quest, Tip: p.head}, err
	}
	b := BringResult{Outcome: UpToDate, Quest: quest, Tip: p.head}
	held, err := tr.r.contains(ctx, p.head, quest)
	if err != nil {
		return b, err
	}
	if held {
		if tr.noted(unseen) == p.head {
			b.Outcome = Updated
			b.Files = tr.brought(ctx, p.head)
		}
		return b, nil
	}
	return tr.merge(ctx, p, quest)
}

// finishMerge cleans up after a merge of ours that was killed, before anybody works in
// the tree. Otherwise the merge's files would be taken for that work.
func (tr *tree) finishMerge(ctx context.Context) error {
	if !tr.has(merging) {
		return nil
	}
	_, _, err := tr.readyToMerge(ctx)
	return err
}

// readyToMerge cleans the tree. If it returns files other than nil, they belong to a
// merge whose conflicts are still to be resolved.
func (tr *tree) readyToMerge(ctx context.Context) (position, []string, error) {
	p, err := tr.adopt(ctx)
	if err != nil {
		return p, nil, err
	}
	if len(p.merges) > 0 {
		files, err := tr.unresolved(ctx, p)
		if err != nil || len(files) > 0 {
			return p, files, errors.Join(err, tr.forget(merging))
		}
		// Resolved and staged, but not committed.
		if _, err := tr.commit(ctx, message(tr.r.ref.Quest, tr.step, Stamp{Summary: "Merge the quest's branch"})); err != nil {
			return p, nil, err
		}
		if p, err = tr.adopt(ctx); err != nil {
			return p, nil, err
		}
		return p, nil, tr.note(unseen, p.head)
	}
	if p.head != p.left {
		// A merge that was killed before it was recorded, or an agent's own commit.
		if err := tr.record(ctx, &p, p.head); err != nil {
			return p, nil, err
		}
	}
	if tr.has(merging) {
		// A merge of ours was killed: the changed files are git's.
		s, err := tr.snapshot(ctx, p.head)
		if err != nil {
			return p, nil, err
		}
		return p, nil, errors.Join(tr.restore(ctx, p.head, s), tr.forget(merging))
	}
	s, err := tr.snapshot(ctx, p.head)
	if err != nil || len(s.changes) == 0 && len(s.nested) == 0 {
		return p, nil, err
	}
	_, err = tr.discard(ctx, "left-over", "Left over in the worktree of "+tr.step)
	return p, nil, err
}

// record records a tip that ward has not checked yet.
func (tr *tree) record(ctx context.Context, p *position, tip string) error {
	if err := tr.note(unseen, tip); err != nil { // first, so that a kill in between cannot hide it
		return err
	}
	err := tr.r.move(ctx, "bring", move{ref: tr.r.tipRef(tr.step), from: p.left, to: tip})
	p.head, p.left = tip, tip
	return err
}

// unresolved returns the files of a merge in progress that git could not merge or that
// still have markers.
func (tr *tree) unresolved(ctx context.Context, p position) ([]string, error) {
	files, err := tr.unmerged(ctx, p)
	if err != nil {
		return nil, err
	}
	touched, err := tr.names(ctx, "diff-index", "--name-only", "--no-renames", "--diff-filter=d", "--ignore-submodules=all", "-z", "HEAD")
	if err != nil {
		return nil, err
	}
	files = append(files, tr.withMarkers(touched)...)
	slices.Sort(files)
	return slices.Compact(files), nil
}

// merge merges the quest's branch into the tree. A step without own commits moves to
// the quest's branch, which is already green. git computes the merge without the files,
// with its own strategy and without anybody's configuration. Then the files are
// updated.
func (tr *tree) merge(ctx context.Context, p position, quest string) (BringResult, error) {
	b := BringResult{Outcome: Updated, Quest: quest, Tip: p.head}
	if err := tr.note(merging, quest); err != nil {
		return b, err
	}
	m, err := tr.computed(ctx, p, quest)
	if err != nil {
		return b, err
	}
	if err := tr.turn(ctx, p.head, m.tree); err != nil {
		return b, err // the next attempt removes what is left
	}
	if err := failpoint.At(failpoint.MergeFiles); err != nil {
		return b, err
	}
	if len(m.unresolved) > 0 {
		b.Outcome, b.Files = Conflict, m.names()
		return b, errors.Join(tr.wait(ctx, quest, m), tr.forget(merging))
	}
	b.Tip = m.commit
	if err := tr.r.move(ctx, "bring", move{ref: tr.r.branch(tr.step), from: p.head, to: b.Tip}); err != nil {
		return b, err
	}
	if b.Tip == quest {
		b.Outcome = UpToDate
		err = tr.r.move(ctx, "bring", move{ref: tr.r.tipRef(tr.step), from: p.left, to: quest})
	} else {
		err = tr.record(ctx, &p, b.Tip)
	}
	if err == nil && b.Outcome == Updated {
		b.Files = tr.brought(ctx, b.Tip)
	}
	return b, errors.Join(err, tr.forget(merging))
}

// brought lists the files that a merge of the quest's branch changed in the step's. A
// merge does not fail because they cannot be listed.
func (tr *tree) brought(ctx context.Context, tip string) []string {
	changes, err := tr.compare(ctx, tip+"^1", tip)
	if err != nil {
		return nil
	}
	return namesOf(changes)
}

// computedMerge is a merge that is not in the files yet.
type computedMerge struct {
	commit     string   // set if git could merge everything
	tree       string   // otherwise the files with their markers
	unresolved []string // lines for "git update-index --index-info"
}

// names returns the files that git could not merge, sorted.
func (m computedMerge) names() []string {
	var names []string
	for _, entry := range m.unresolved {
		_, name, _ := strings.Cut(entry, "\t")
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (tr *tree) computed(ctx context.Context, p position, quest string) (computedMerge, error) {
	if ahead, err := tr.r.contains(ctx, quest, p.head); err != nil || ahead {
		return computedMerge{commit: quest, tree: quest}, err
	}
	out, _, err := tr.r.answer(ctx, call{in: tr, args: []string{"merge-tree", "--write-tree", "-z", "--no-messages", "HEAD", quest}}, 1)
	if err != nil {
		return computedMerge{}, err
	}
	fields := strings.Split(strings.TrimRight(string(out), "\x00\n"), "\x00")
	m := computedMerge{tree: strings.TrimSpace(fields[0]), unresolved: fields[1:]}
	if len(m.unresolved) > 0 {
		return m, nil
	}
	subject := fmt.Sprintf("Merge branch 'quest/%s' into %s\n", tr.r.ref.Quest, tr.step)
	m.commit, err = tr.commitTree(ctx, m.tree, subject, p.head, quest)
	m.tree = m.commit
	return m, err
}

// wait leaves a merge with conflicts in the tree, as git does. Agents look at it with
// git, and Commit concludes it.
func (tr *tree) wait(ctx context.Context, quest string, m computedMerge) error {
	var entries strings.Builder
	for _, name := range m.names() {
		entries.WriteString("0 " + strings.Repeat("0", len(quest)) + "\t" + name + "\x00")
	}
	for _, entry := range m.unresolved {
		entries.WriteString(entry + "\x00")
	}
	if _, err := tr.r.do(ctx, call{in: tr, input: []byte(entries.String()),
		args: []string{"update-index", "-z", "--index-info"}}); err != nil {
		return err
	}
	subject := fmt.Sprintf("Merge branch 'quest/%s' into %s\n", tr.r.ref.Quest, tr.step)
	return errors.Join(writeIfChanged(filepath.Join(tr.admin, "MERGE_MSG"), []byte(subject)),
		writeIfChanged(filepath.Join(tr.admin, "MERGE_MODE"), nil), writeIfChanged(filepath.Join(tr.admin, "MERGE_HEAD"), []byte(quest+"\n")))
}
