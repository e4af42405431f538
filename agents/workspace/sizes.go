package workspace

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// sizesMost limits the output of git from which Sizes is read, in bytes.
const sizesMost = 1 << 20

// Size is how much of a file changed.
type Size struct {
	File           string
	Added, Removed int // lines; -1: not counted, because the file is binary or large
}

// Sizes returns how much of each file the quest changed against its base, with what the
// review's tree has. Of very many files it returns the first ones.
func (t *Trees) Sizes(ctx context.Context, ref Ref) ([]Size, error) {
	sizes, err := t.sizes(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("measure what quest %s changed: %w", ref.Quest, err)
	}
	return sizes, nil
}

func (t *Trees) sizes(ctx context.Context, ref Ref) ([]Size, error) {
	r, err := t.read(ctx, ref)
	if err != nil {
		return nil, err
	}
	known, err := r.refsLike(ctx, r.baseRef(), r.tipRef(own), r.branch("review"))
	if err != nil {
		return nil, err
	}
	from, to := known[r.baseRef()], cmp.Or(known[r.branch("review")], known[r.tipRef(own)])
	if from == "" || to == "" {
		return nil, ErrNotBegun
	}
	large, err := r.largeAndWhole(ctx, from, to) // git would load them to count lines
	if err != nil {
		return nil, err
	}
	args := []string{"diff-tree", "-r", "-z", "--numstat", "--no-renames", "--no-commit-id", "--no-ext-diff", "--no-textconv", from, to, "--", ":(top)"}
	var sizes []Size
	for _, c := range large {
		args = append(args, ":(top,exclude,literal)"+c.name)
		sizes = append(sizes, Size{c.name, -1, -1})
	}
	out, _, err := r.doCut(ctx, call{in: r.lookedAt(ctx), limit: sizesMost, args: args})
	for entry := range strings.SplitSeq(string(out), "\x00") {
		fields := strings.SplitN(entry, "\t", 3)
		if len(fields) == 3 {
			sizes = append(sizes, Size{fields[2], counted(fields[0]), counted(fields[1])})
		}
	}
	return sizes, err
}

func counted(number string) int {
	n, err := strconv.Atoi(number)
	if err != nil {
		return -1
	}
	return n
}
