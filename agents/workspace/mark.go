package workspace

import (
	"context"
	"fmt"
)

// marked is the file in a worktree's admin folder that Mark writes.
const marked = "questboard-marked"

// Mark notes a word of the caller's for a line's worktree. It goes with the tree.
func (t *Trees) Mark(ctx context.Context, ref Ref, line, word string) error {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return fmt.Errorf("mark the worktree of %s: %w", line, err)
	}
	defer done()
	tr, err := r.standing(ctx, line)
	if err == nil {
		err = tr.note(marked, word)
	}
	if err != nil {
		return fmt.Errorf("mark the worktree of %s: %w", line, err)
	}
	return nil
}

// Marked reports whether Mark noted that word last. Where it did not, untouched
// tells whether nothing in the tree waits to be committed, so that Discard
// would undo only what comes from now on.
func (t *Trees) Marked(ctx context.Context, ref Ref, line, word string) (is, untouched bool, err error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return false, false, fmt.Errorf("look at the worktree of %s: %w", line, err)
	}
	defer done()
	tr, err := r.standing(ctx, line)
	if err == nil && tr.noted(marked) == word {
		return true, false, nil
	}
	if err == nil {
		untouched, err = tr.untouched(ctx)
	}
	if err != nil {
		return false, false, fmt.Errorf("look at the worktree of %s: %w", line, err)
	}
	return false, untouched, nil
}

func (tr *tree) untouched(ctx context.Context) (bool, error) {
	if tr.line == own {
		return true, nil // nobody's work is ever there
	}
	p, err := tr.adopt(ctx)
	if err != nil || p.head != p.left || len(p.merges) > 0 {
		return false, err
	}
	s, err := tr.snapshot(ctx, p.head)
	return err == nil && len(s.changes) == 0 && len(s.nested) == 0, err
}
