package workspace

import "context"

// rescue keeps what git still knows of a tree whose files somebody deleted:
// commits that are not on its branch, and what was staged.
func (tr *tree) rescue(ctx context.Context) error {
	if err := tr.remember(ctx); err != nil {
		return err
	}
	gone := *tr
	gone.path = tr.admin // git must run somewhere; a folder made for it would look like a tree
	if tr.line == own {
		quest, err := tr.r.questTip(ctx)
		if err != nil {
			return err
		}
		_, err = gone.holdBranch(ctx, quest)
		return err
	}
	p, err := gone.adopt(ctx)
	if err != nil {
		return err
	}
	conflicts, err := gone.unmerged(ctx, p)
	if err != nil || len(conflicts) > 0 { // of a merge both sides are commits
		return err
	}
	staged, err := gone.git(ctx, "write-tree")
	if err != nil {
		return err
	}
	changed, err := gone.compare(ctx, p.head, staged)
	if err != nil || len(changed) == 0 {
		return err
	}
	return gone.keep(ctx, "staged", "Staged changes of "+tr.line, staged, append([]string{p.head}, p.merges...)...)
}

// remember gives a tree its record back if somebody deleted it. What is in our
// folder is ours, and must stay removable.
func (tr *tree) remember(ctx context.Context) error {
	branch, record := tr.r.branch(tr.line), tr.r.tipRef(tr.line)
	known, err := tr.r.refs(ctx, branch, record)
	if err != nil || known[record] != "" {
		return err
	}
	at := known[branch]
	if at == "" {
		at = tr.noted(ready)
	}
	return tr.r.move(ctx, "remember", move{ref: record, to: at})
}
