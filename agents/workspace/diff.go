package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Diff is what the line changed, as a unified diff against the quest's branch
// it stands on; after its work was merged, against the quest's branch before.
// Of a line that was removed unmerged it is what was kept of its branch. Only
// what is committed counts. At most DiffMax bytes; cut says there is more.
func (t *Trees) Diff(ctx context.Context, ref Ref, line string) (diff []byte, cut bool, err error) {
	r, from, to, err := t.span(ctx, ref, line)
	if err == nil {
		diff, cut, err = r.diff(ctx, from, to, DiffMax)
	}
	if err != nil {
		return nil, false, fmt.Errorf("show what %s changed: %w", line, err)
	}
	return diff, cut, nil
}

// Changed names the files that Diff is about, sorted.
func (t *Trees) Changed(ctx context.Context, ref Ref, line string) ([]string, error) {
	r, from, to, err := t.span(ctx, ref, line)
	if err != nil {
		return nil, fmt.Errorf("list what %s changed: %w", line, err)
	}
	out, err := r.do(ctx, call{args: []string{"diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-commit-id", from, to}})
	if err != nil {
		return nil, fmt.Errorf("list what %s changed: %w", line, err)
	}
	return splitNames(out), nil
}

// QuestDiff is what the quest changed against its base; see Diff.
func (t *Trees) QuestDiff(ctx context.Context, ref Ref) (diff []byte, cut bool, err error) {
	r, from, to, err := t.questSpan(ctx, ref)
	if err == nil {
		diff, cut, err = r.diff(ctx, from, to, DiffMax)
	}
	if err != nil {
		return nil, false, fmt.Errorf("show what quest %s changed: %w", ref.Quest, err)
	}
	return diff, cut, nil
}

// span finds the two commits between which a line's work lies.
func (t *Trees) span(ctx context.Context, ref Ref, line string) (r *repository, from, to string, err error) {
	if err := checkName("line", line); err != nil {
		return nil, "", "", err
	}
	if r, err = t.read(ctx, ref); err != nil {
		return nil, "", "", err
	}
	known, err := r.refsLike(ctx, r.tipRef(own), r.branch(line), r.beforeRef(line), r.mergedRef(line), r.unmergedRef(line)+"*")
	if err != nil {
		return nil, "", "", err
	}
	quest, before, merged := known[r.tipRef(own)], known[r.beforeRef(line)], known[r.mergedRef(line)]
	to = cmp.Or(known[r.branch(line)], merged, known[lastOf(known, r.unmergedRef(line))])
	if quest == "" || to == "" {
		return nil, "", "", fmt.Errorf("line %s: %w", line, ErrNotBegun)
	}
	if from, err = r.git(ctx, "merge-base", quest, to); err != nil {
		return nil, "", "", err
	}
	if from == to && before != "" && merged != "" { // nothing beyond what has arrived: show that
		from, to = before, merged
	}
	return r, from, to, nil
}

func (t *Trees) questSpan(ctx context.Context, ref Ref) (r *repository, from, to string, err error) {
	if r, err = t.read(ctx, ref); err != nil {
		return nil, "", "", err
	}
	known, err := r.refs(ctx, r.baseRef(), r.tipRef(own))
	if err == nil && (known[r.baseRef()] == "" || known[r.tipRef(own)] == "") {
		err = ErrNotBegun
	}
	return r, known[r.baseRef()], known[r.tipRef(own)], err
}

// diff shows at most limit bytes. A large file that is new or gone comes first,
// in a word: to see that it is binary git would take it into memory whole.
func (r *repository) diff(ctx context.Context, from, to string, limit int) ([]byte, bool, error) {
	large, err := r.largeAndWhole(ctx, from, to)
	if err != nil {
		return nil, false, err
	}
	var first []byte
	args := append(slices.Clone(asPatch), from, to, "--", ":(top)")
	for _, c := range large {
		first = append(first, binaryStanza(c)...)
		args = append(args, ":(top,exclude,literal)"+c.name)
	}
	if len(first) >= limit {
		return first[:limit], true, nil
	}
	rest, cut, err := r.doCut(ctx, call{in: r.lookedAt(ctx), limit: limit - len(first), args: args})
	return append(first, rest...), cut, err
}

var asPatch = []string{"diff-tree", "-r", "--patch", "--find-renames", "--no-commit-id", "--no-color", "--no-ext-diff", "--no-textconv",
	"--submodule=short", "--src-prefix=a/", "--dst-prefix=b/"}

// largeFile is what git streams (core.bigFileThreshold) and does not look into.
const largeFile = 32 << 20

// largeAndWhole are the large files that only one of two commits has.
func (r *repository) largeAndWhole(ctx context.Context, from, to string) ([]change, error) {
	changes, err := r.compare(ctx, nil, from, to)
	if err != nil {
		return nil, err
	}
	var whole []change
	var blobs strings.Builder
	for _, c := range changes {
		switch {
		case c.oldMode == "000000" && c.newMode != "160000":
			whole = append(whole, c)
			blobs.WriteString(c.newBlob + "\n")
		case c.newMode == "000000" && c.oldMode != "160000":
			whole = append(whole, c)
			blobs.WriteString(c.oldBlob + "\n")
		}
	}
	if len(whole) == 0 {
		return nil, nil
	}
	out, err := r.do(ctx, call{input: []byte(blobs.String()), args: []string{"cat-file", "--batch-check=%(objectsize)"}})
	if err != nil {
		return nil, err
	}
	var large []change
	for i, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		if size, err := strconv.ParseInt(line, 10, 64); err == nil && size > largeFile && i < len(whole) {
			large = append(large, whole[i])
		}
	}
	return large, nil
}

// binaryStanza is a file in a diff as git writes it of a binary one.
func binaryStanza(c change) string {
	a, b := cQuoted("a/"+c.name), cQuoted("b/"+c.name)
	if c.oldMode == "000000" {
		return fmt.Sprintf("diff --git %s %s\nnew file mode %s\nindex %.7s..%.7s\nBinary files /dev/null and %s differ\n", a, b, c.newMode, c.oldBlob, c.newBlob, b)
	}
	return fmt.Sprintf("diff --git %s %s\ndeleted file mode %s\nindex %.7s..%.7s\nBinary files %s and /dev/null differ\n", a, b, c.oldMode, c.oldBlob, c.newBlob, a)
}

// patchMax bounds a patch: half of one would be worse than none.
const patchMax = 256 << 20

// Patch is the quest's change for "git apply", binary files included.
func (t *Trees) Patch(ctx context.Context, ref Ref) ([]byte, error) {
	r, from, to, err := t.questSpan(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("make a patch of quest %s: %w", ref.Quest, err)
	}
	patch, cut, err := r.doCut(ctx, call{in: r.lookedAt(ctx), limit: patchMax, args: append(slices.Clone(asPatch), "--binary", "--full-index", from, to)})
	if err == nil && cut {
		err = errors.New("it is larger than 256 MiB; use the branch")
	}
	if err != nil {
		return nil, fmt.Errorf("make a patch of quest %s: %w", ref.Quest, err)
	}
	return patch, nil
}
