package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"questboard/agents/git"
)

// Diff returns what the step changed, as a unified diff of its commits against the
// quest's branch that it is based on or, after its merge, against the quest's branch
// before. For a step that was removed without a merge it uses the kept branch. It
// returns at most DiffMax bytes; cut says that there is more.
func (t *Trees) Diff(ctx context.Context, ref Ref, step string) (diff []byte, cut bool, err error) {
	r, from, to, err := t.span(ctx, ref, step)
	if err == nil {
		diff, cut, err = r.diff(ctx, from, to, DiffMax)
	}
	if err != nil {
		return nil, false, fmt.Errorf("show what %s changed: %w", step, err)
	}
	return diff, cut, nil
}

// DiffOf returns the part of a step's Diff, or with an empty step of QuestDiff, that is
// about some files, with this many unchanged lines around each change. A file is named
// as it was and as it is.
func (t *Trees) DiffOf(ctx context.Context, ref Ref, step string, around int, names []string) (diff []byte, cut bool, err error) {
	var r *repository
	var from, to string
	if step == "" {
		r, from, to, err = t.questSpan(ctx, ref)
	} else {
		r, from, to, err = t.span(ctx, ref, step)
	}
	if err == nil {
		args := append(slices.Clone(asPatch), fmt.Sprintf("--unified=%d", around), from, to, "--")
		for _, name := range names {
			args = append(args, ":(top,literal)"+name)
		}
		diff, cut, err = r.doCut(ctx, call{in: r.lookedAt(ctx), limit: DiffMax, args: args})
	}
	if err != nil {
		return nil, false, fmt.Errorf("show files of quest %s: %w", ref.Quest, err)
	}
	return diff, cut, nil
}

// Changed returns the files in Diff, sorted.
func (t *Trees) Changed(ctx context.Context, ref Ref, step string) ([]string, error) {
	_, files, err := t.changed(ctx, ref, step)
	return files, err
}

func (t *Trees) changed(ctx context.Context, ref Ref, step string) (*repository, []string, error) {
	r, from, to, err := t.span(ctx, ref, step)
	if err != nil {
		return nil, nil, fmt.Errorf("list what %s changed: %w", step, err)
	}
	out, err := r.do(ctx, call{args: []string{"diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-commit-id", from, to}})
	if err != nil {
		return nil, nil, fmt.Errorf("list what %s changed: %w", step, err)
	}
	return r, splitNames(out), nil
}

// Markers returns those of the changed files that hold the markers of a conflict,
// no matter who committed them.
func (t *Trees) Markers(ctx context.Context, ref Ref, step string) ([]string, error) {
	r, files, err := t.changed(ctx, ref, step)
	if err != nil {
		return nil, err
	}
	return (&tree{path: filepath.Join(r.root, ref.Quest, step)}).withMarkers(files), nil
}

// Tip returns the commit where a step's branch is.
func (t *Trees) Tip(ctx context.Context, ref Ref, step string) (string, error) {
	_, _, to, err := t.span(ctx, ref, step)
	if err != nil {
		return "", fmt.Errorf("find the tip of %s: %w", step, err)
	}
	return to, nil
}

// Tracked returns which of these files the tip of a step's branch has.
func (t *Trees) Tracked(ctx context.Context, ref Ref, step string, names []string) ([]string, error) {
	r, _, tip, err := t.span(ctx, ref, step)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	var tracked []string
	list := &lister{each: func(e Entry) { tracked = append(tracked, e.Name) }}
	for some := range slices.Chunk(names, 100) { // 4 KiB each: a command line has room for them
		_, _, err = t.Git.Run(ctx, git.Command{Dir: r.view, GitDir: r.view, Common: r.view, Limit: git.MaxOutput * 16, To: list,
			Env:  []string{"GIT_LITERAL_PATHSPECS=1"},
			Args: append([]string{"ls-tree", "-r", "-l", "-z", "--full-tree", tip, "--"}, some...)})
		if err != nil {
			return nil, fmt.Errorf("look for files of %s: %w", step, err)
		}
	}
	return tracked, nil
}

// QuestDiff returns what the quest changed against its base; see Diff.
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

// span returns the two commits around a step's work.
func (t *Trees) span(ctx context.Context, ref Ref, step string) (r *repository, from, to string, err error) {
	if err := checkName("step", step); err != nil {
		return nil, "", "", err
	}
	if r, err = t.read(ctx, ref); err != nil {
		return nil, "", "", err
	}
	known, err := r.refsLike(ctx, r.tipRef(own), r.branch(step), r.beforeRef(step), r.mergedRef(step), r.unmergedRef(step)+"*")
	if err != nil {
		return nil, "", "", err
	}
	quest, before, merged := known[r.tipRef(own)], known[r.beforeRef(step)], known[r.mergedRef(step)]
	to = cmp.Or(known[r.branch(step)], merged, known[lastOf(known, r.unmergedRef(step))])
	if quest == "" || to == "" {
		return nil, "", "", fmt.Errorf("step %s: %w", step, ErrNotBegun)
	}
	if from, err = r.git(ctx, "merge-base", quest, to); err != nil {
		return nil, "", "", err
	}
	if from == to && before != "" && merged != "" { // nothing since the merge: show what was merged
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

// diff returns at most limit bytes. Large files that are new or deleted come first, and
// only as a note: to see that such a file is binary, git would load it into memory.
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

// largeFile is the size from which git streams a file and does not look into it
// (core.bigFileThreshold).
const largeFile = 32 << 20

// largeAndWhole returns the large files that only one of two commits has.
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

// binaryStanza returns a file's part of a diff, in git's form for binary files.
func binaryStanza(c change) string {
	a, b := cQuoted("a/"+c.name), cQuoted("b/"+c.name)
	if c.oldMode == "000000" {
		return fmt.Sprintf("diff --git %s %s\nnew file mode %s\nindex %.7s..%.7s\nBinary files /dev/null and %s differ\n", a, b, c.newMode,
			c.oldBlob, c.newBlob, b)
	}
	return fmt.Sprintf("diff --git %s %s\ndeleted file mode %s\nindex %.7s..%.7s\nBinary files %s and /dev/null differ\n", a, b, c.oldMode,
		c.oldBlob, c.newBlob, a)
}

// patchMax limits a patch. Half a patch would be worse than none.
const patchMax = 256 << 20

// Patch returns the quest's change for "git apply", including binary files.
func (t *Trees) Patch(ctx context.Context, ref Ref) ([]byte, error) {
	r, from, to, err := t.questSpan(ctx, ref)
	if err != nil {
		return nil, ofQuest("make a patch of", ref.Quest, err)
	}
	patch, cut, err := r.doCut(ctx, call{in: r.lookedAt(ctx), limit: patchMax, args: append(slices.Clone(asPatch), "--binary", "--full-index",
		from, to)})
	if err == nil && cut {
		err = errors.New("it is larger than 256 MiB; use the branch")
	}
	if err != nil {
		return nil, ofQuest("make a patch of", ref.Quest, err)
	}
	return patch, nil
}
