package workspace

import (
	"context"
	"errors"
	"strings"
)

// staged is the state of a tree's files, written to git's objects.
type staged struct {
	head    string // the commit that HEAD is at
	changes []change
	tree    string   // of the files; where nothing changed, an expression for the head's
	nested  []string // repositories within, which are left out
}

// index is where the files of a tree are staged: in the tree's own index, or in
// one in a file of that name.
type index struct {
	tr   *tree
	file string
}

func (x index) git(ctx context.Context, input []byte, args ...string) (string, error) {
	out, err := x.tr.r.do(ctx, call{in: x.tr, index: x.file, input: input, args: args})
	return strings.TrimSuffix(out, "\n"), err
}

// stage puts everything that differs from a commit, which HEAD is at, into an
// index and writes it as a tree.
func (x index) stage(ctx context.Context, head string) (staged, error) {
	s := staged{head: head, tree: head + "^{tree}"}
	_, err := x.git(ctx, nil, "add", "--all", "--", ".")
	if errors.Is(err, ErrNotGit) {
		if err = x.tr.asideBroken(ctx); err == nil {
			_, err = x.git(ctx, nil, "add", "--all", "--", ".")
		}
	}
	if err != nil {
		// A repository within that has no commit makes git refuse everything.
		if s.nested, err = x.addWithout(ctx, err); err != nil {
			return s, err
		}
	}
	if s.changes, err = x.changes(ctx, head); err != nil {
		return s, err
	}
	if nested := x.nested(ctx, s.changes); len(nested) > 0 {
		s.nested = append(s.nested, nested...)
		if s.changes, err = x.leaveOut(ctx, nested, head); err != nil {
			return s, err
		}
	}
	if len(s.changes) > 0 {
		s.tree, err = x.git(ctx, nil, "write-tree")
	}
	return s, err
}

// changes lists what the index has other than a commit.
func (x index) changes(ctx context.Context, head string) ([]change, error) {
	out, err := x.git(ctx, nil, "diff-index", "--cached", "-z", "--raw", "--no-renames", head)
	if err != nil {
		return nil, err
	}
	return parseRaw(out)
}

// since lists what differs between a commit and the staged files.
func (tr *tree) since(ctx context.Context, commit string, s staged) ([]change, error) {
	if commit == s.head {
		return s.changes, nil
	}
	return tr.compare(ctx, commit, s.tree)
}
