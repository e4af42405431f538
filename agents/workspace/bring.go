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

// unseen is the note of a tip that a merge made and ward has not run on. The
// server may die after the merge and before it knows: then Bring says again
// that the line was updated. Settling a run of ward removes it.
const unseen = "questboard-unseen"

// Bring merges the quest's branch into the line's, in the line's worktree. What
// is uncommitted there is kept and undone first: ward litters. After a Conflict
// the merge waits for Commit. Updated is said until ward's run was settled, that
// is, until Discard or Commit was called with ward's role.
func (t *Trees) Bring(ctx context.Context, ref Ref, line string) (Brought, error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return Brought{}, fmt.Errorf("bring %s up to date: %w", line, err)
	}
	defer done()
	tr, err := r.tree(ctx, line)
	if err == nil && tr.line == own {
		err = fmt.Errorf("%s has nothing to merge", line)
	}
	if err == nil {
		err = tr.ensure(ctx)
	}
	var b Brought
	if err == nil {
		b, err = tr.bring(ctx)
	}
	if err != nil {
		return b, fmt.Errorf("bring %s up to date: %w", line, err)
	}
	return b, nil
}

func (tr *tree) bring(ctx context.Context) (Brought, error) {
	quest, err := tr.r.questTip(ctx)
	if err != nil {
		return Brought{}, err
	}
	p, waiting, err := tr.readyToMerge(ctx)
	if err != nil || waiting != nil {
		return Brought{Outcome: Conflict, Files: waiting, Quest: quest, Tip: p.head}, err
	}
	b := Brought{Outcome: UpToDate, Quest: quest, Tip: p.head}
	held, err := tr.r.contains(ctx, p.head, quest)
	if err != nil {
		return b, err
	}
	if held {
		if tr.noted(unseen) == p.head {
			b.Outcome = Updated
		}
		return b, nil
	}
	return tr.merge(ctx, p, quest)
}

// readyToMerge cleans the tree. Files other than nil are those of a merge that
// waits to be settled.
func (tr *tree) readyToMerge(ctx context.Context) (position, []string, error) {
	p, err := tr.adopt(ctx)
	if err != nil {
		return p, nil, err
	}
	if len(p.merges) > 0 {
		files, err := tr.unsettled(ctx, p)
		if err != nil || len(files) > 0 {
			return p, files, errors.Join(err, tr.forget(merging))
		}
		// Settled and staged, but not concluded.
		if _, err := tr.commit(ctx, message(tr.r.ref.Quest, tr.line, Stamp{Summary: "Merge the quest's branch"})); err != nil {
			return p, nil, err
		}
		if p, err = tr.adopt(ctx); err != nil {
			return p, nil, err
		}
		return p, nil, tr.note(unseen, p.head)
	}
	if p.head != p.left {
		// A merge that was killed before its record, or an agent's own commit.
		if err := tr.record(ctx, &p, p.head); err != nil {
			return p, nil, err
		}
	}
	if tr.has(merging) {
		// A merge of ours was killed: what lies about is git's.
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
	_, err = tr.discard(ctx, "left-over", "Left over in the worktree of "+tr.line)
	return p, nil, err
}

// record remembers a tip that ward has not seen yet.
func (tr *tree) record(ctx context.Context, p *position, tip string) error {
	if err := tr.note(unseen, tip); err != nil { // first: a kill in between must not hide it
		return err
	}
	err := tr.r.move(ctx, "bring", move{ref: tr.r.tipRef(tr.line), from: p.left, to: tip})
	p.head, p.left = tip, tip
	return err
}

// unsettled are the files of a merge in progress that git could not settle, or
// in which markers are left.
func (tr *tree) unsettled(ctx context.Context, p position) ([]string, error) {
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

// merge brings the quest's branch into the tree. A line that has nothing of its
// own moves on to the quest's branch, which is green already. git computes the
// merge without the files, by its own strategy and nobody's configuration; then
// the files follow.
func (tr *tree) merge(ctx context.Context, p position, quest string) (Brought, error) {
	b := Brought{Outcome: Updated, Quest: quest, Tip: p.head}
	if err := tr.note(merging, quest); err != nil {
		return b, err
	}
	m, err := tr.computed(ctx, p, quest)
	if err != nil {
		return b, err
	}
	if _, err := tr.git(ctx, "read-tree", "-m", "-u", p.head, m.tree); err != nil {
		return b, err // what lies about goes with the next attempt
	}
	if err := failpoint.At(failpoint.MergeFiles); err != nil {
		return b, err
	}
	if len(m.unsettled) > 0 {
		b.Outcome, b.Files = Conflict, m.names()
		return b, errors.Join(tr.wait(ctx, quest, m), tr.forget(merging))
	}
	b.Tip = m.commit
	if err := tr.r.move(ctx, "bring", move{ref: tr.r.branch(tr.line), from: p.head, to: b.Tip}); err != nil {
		return b, err
	}
	if b.Tip == quest {
		b.Outcome = UpToDate
		err = tr.r.move(ctx, "bring", move{ref: tr.r.tipRef(tr.line), from: p.left, to: quest})
	} else {
		err = tr.record(ctx, &p, b.Tip)
	}
	return b, errors.Join(err, tr.forget(merging))
}

// computedMerge is a merge that is not in the files yet.
type computedMerge struct {
	commit    string   // of a merge that git settled
	tree      string   // else the files with their markers
	unsettled []string // lines for "git update-index --index-info"
}

// names are the files that git could not settle, sorted.
func (m computedMerge) names() []string {
	var names []string
	for _, entry := range m.unsettled {
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
	m := computedMerge{tree: strings.TrimSpace(fields[0]), unsettled: fields[1:]}
	if len(m.unsettled) > 0 {
		return m, nil
	}
	subject := fmt.Sprintf("Merge branch 'quest/%s' into %s\n", tr.r.ref.Quest, tr.line)
	m.commit, err = tr.commitTree(ctx, m.tree, subject, p.head, quest)
	m.tree = m.commit
	return m, err
}

// wait leaves a merge that has conflicts in the tree, as git does: agents look
// at it with git, and Commit concludes it.
func (tr *tree) wait(ctx context.Context, quest string, m computedMerge) error {
	var entries strings.Builder
	for _, name := range m.names() {
		entries.WriteString("0 " + strings.Repeat("0", len(quest)) + "\t" + name + "\x00")
	}
	for _, entry := range m.unsettled {
		entries.WriteString(entry + "\x00")
	}
	if _, err := tr.r.do(ctx, call{in: tr, input: []byte(entries.String()), args: []string{"update-index", "-z", "--index-info"}}); err != nil {
		return err
	}
	subject := fmt.Sprintf("Merge branch 'quest/%s' into %s\n", tr.r.ref.Quest, tr.line)
	return errors.Join(written(filepath.Join(tr.admin, "MERGE_MSG"), []byte(subject)),
		written(filepath.Join(tr.admin, "MERGE_MODE"), nil), written(filepath.Join(tr.admin, "MERGE_HEAD"), []byte(quest+"\n")))
}
