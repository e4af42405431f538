package workspace

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"questboard/orchestration/record"
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
	all, _, err := r.numstat(ctx, from, to, "--no-renames")
	return all, err
}

// Extent returns how much the quest has changed against its base, as QuestDiff shows it.
func (t *Trees) Extent(ctx context.Context, ref Ref) (record.Extent, error) {
	var e record.Extent
	r, from, to, err := t.questSpan(ctx, ref)
	if err != nil {
		return e, fmt.Errorf("measure what quest %s changed: %w", ref.Quest, err)
	}
	all, cut, err := r.numstat(ctx, from, to, "--find-renames")
	if err != nil {
		return e, fmt.Errorf("measure what quest %s changed: %w", ref.Quest, err)
	}
	e.Files, e.More = len(all), cut
	for _, size := range all {
		if size.Added < 0 {
			e.Uncounted++
			continue
		}
		e.Added, e.Removed = e.Added+size.Added, e.Removed+size.Removed
	}
	return e, nil
}

// numstat measures each file that differs between two commits; cut says that there are
// more.
func (r *repository) numstat(ctx context.Context, from, to, renames string) (sizes []Size, cut bool, err error) {
	large, err := r.largeAndWhole(ctx, from, to) // git would load them to count lines
	if err != nil {
		return nil, false, err
	}
	args := []string{"diff-tree", "-r", "-z", "--numstat", renames, "--no-commit-id", "--no-ext-diff", "--no-textconv", from, to, "--",
		":(top)"}
	for _, c := range large {
		args = append(args, ":(top,exclude,literal)"+c.name)
		sizes = append(sizes, Size{c.name, -1, -1})
	}
	out, cut, err := r.doCut(ctx, call{in: r.lookedAt(ctx), limit: sizesMost, args: args})
	entries := strings.Split(string(out), "\x00")
	for i := 0; i < len(entries); i++ {
		fields := strings.SplitN(entries[i], "\t", 3)
		if len(fields) != 3 {
			continue
		}
		name := fields[2]
		if name == "" && i+2 < len(entries) { // renamed: its two names follow
			name, i = entries[i+2], i+2
		}
		sizes = append(sizes, Size{name, counted(fields[0]), counted(fields[1])})
	}
	return sizes, cut, err
}

func counted(number string) int {
	n, err := strconv.Atoi(number)
	if err != nil {
		return -1
	}
	return n
}
