package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// staged is the state of a tree's files, written to git's objects.
type staged struct {
	head    string // the commit that HEAD is at
	changes []change
	tree    string   // the files' tree; if nothing changed, an expression for the head's
	nested  []string // nested repositories, which are left out
	unfit   []unfit  // paths that are left out, because git must not touch them
}

// index is where the files of a tree are staged: the tree's own index, or another file.
type index struct {
	tr   *tree
	file string
}

func (x index) git(ctx context.Context, input []byte, args ...string) (string, error) {
	out, err := x.tr.r.do(ctx, call{in: x.tr, index: x.file, input: input, args: args})
	return strings.TrimSuffix(out, "\n"), err
}

// stage stages everything that differs from HEAD's commit and writes it as a tree. It
// works by paths: git lists what changed and is told to stage those. "git add" would
// run git in each nested repository.
func (x index) stage(ctx context.Context, head string) (staged, error) {
	s := staged{head: head, tree: head + "^{tree}"}
	var err error
	if s.unfit, err = look(ctx, x.tr.path, x.tr.common); err != nil || len(s.unfit) > 0 {
		return s, err
	}
	names, within, err := x.differing(ctx)
	if err != nil {
		return s, err
	}
	if names, s.unfit = x.tr.fit(names); len(s.unfit) > 0 {
		return s, nil
	}
	meant := x.tr.declaredSubmodules(ctx, within)
	for _, name := range within {
		if meant[name] {
			names = append(names, name)
		} else {
			s.nested = append(s.nested, name)
		}
	}
	if err := x.take(ctx, names); err != nil {
		return s, err
	}
	if s.changes, err = x.changes(ctx, head); err != nil {
		return s, err
	}
	if len(s.changes) > 0 {
		s.tree, err = x.git(ctx, nil, "write-tree")
	}
	return s, err
}

// take stages paths as they are and removes missing ones from the index.
func (x index) take(ctx context.Context, names []string) error {
	root, err := os.OpenRoot(x.tr.path)
	if err != nil {
		return err
	}
	defer root.Close()
	var gone, there strings.Builder
	for _, name := range names {
		if present(root, filepath.FromSlash(name)) {
			there.WriteString(name + "\x00")
		} else {
			gone.WriteString(name + "\x00")
		}
	}
	if gone.Len() > 0 {
		if _, err := x.git(ctx, []byte(gone.String()), "update-index", "--force-remove", "-z", "--stdin"); err != nil {
			return err
		}
	}
	if there.Len() > 0 {
		_, err = x.git(ctx, []byte(there.String()), "update-index", "--add", "--remove", "--replace", "-z", "--stdin")
	}
	return err
}

// present reports whether something exists at a path of the tree. A path through a link
// instead of a folder does not count.
func present(root *os.Root, name string) bool {
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		if info, err := root.Lstat(dir); err != nil || !info.IsDir() {
			return false
		}
	}
	_, err := root.Lstat(name)
	return err == nil
}

// fit removes the paths that no commit can hold. A path through a link counts as deleted, because
// what the link leads to is not in its place.
func (tr *tree) fit(names []string) (fit []string, unfits []unfit) {
	root, err := os.OpenRoot(tr.path)
	if err != nil {
		return names, nil
	}
	defer root.Close()
	for _, name := range names {
		if !present(root, filepath.FromSlash(name)) {
			fit = append(fit, name)
			continue
		}
		info, err := root.Lstat(filepath.FromSlash(name))
		switch {
		case err != nil: // it was deleted meanwhile
		case info.Mode().IsRegular() && info.Size() > commitMax:
			unfits = append(unfits, unfit{name, fmt.Sprintf("has %s; a file in a commit may have %s", formatSize(info.Size()),
				formatSize(commitMax))})
			continue
		case info.IsDir(), info.Mode().IsRegular(), info.Mode()&fs.ModeSymlink != 0:
		default:
			unfits = append(unfits, unfit{name, "is " + kindOf(info) + ", where a file was"})
			continue
		}
		fit = append(fit, name)
	}
	return fit, unfits
}

// differing lists the paths that differ from the index, and the nested repositories. It
// leaves out submodules at another commit, because only the repository within the tree
// has that commit.
func (x index) differing(ctx context.Context) (names, within []string, err error) {
	var out [2]string
	asked, each := errgroup.WithContext(ctx) // side by side, because each looks at every file
	for i, which := range [][]string{{"-t", "--modified", "--deleted", "--unmerged"}, {"--others", "--exclude-standard"}} {
		asked.Go(func() (err error) {
			out[i], err = x.git(each, nil, append([]string{"ls-files", "-z"}, which...)...)
			return err
		})
	}
	if err := asked.Wait(); err != nil {
		return nil, nil, err
	}
	var known, unmerged []string
	for _, entry := range splitNames(out[0]) {
		facts, name, _ := strings.Cut(entry, "\t")
		if facts, is := strings.CutPrefix(facts, "M "); is { // the tag of an entry of a conflict
			unmerged = append(unmerged, facts+"\t"+name)
		} else {
			known = append(known, name)
		}
	}
	if len(unmerged) > 0 {
		if err := x.settle(ctx, unmerged); err != nil {
			return nil, nil, err
		}
		return x.differing(ctx) // now without conflicts
	}
	for _, name := range append(known, splitNames(out[1])...) {
		if folder, is := strings.CutSuffix(name, "/"); is {
			within = append(within, folder)
		} else {
			names = append(names, name)
		}
	}
	names, err = x.withoutSubmodules(ctx, names)
	return names, within, err
}

// settle gives each path of a conflict one entry, so that what is on the disk decides. git lists
// a file that equals all its entries nowhere, but writes no tree while it has several. The
// entry is the step's own, as in the files that git leaves: of a submodule that is not
// checked out, nothing else says which commit it is at.
func (x index) settle(ctx context.Context, unmerged []string) error {
	var entries strings.Builder
	for _, stage := range []string{" 1", " 3", " 2"} { // the common one, the quest's, the step's; the last one stays
		for _, entry := range unmerged {
			facts, name, _ := strings.Cut(entry, "\t")
			if facts, is := strings.CutSuffix(facts, stage); is {
				entries.WriteString(facts + " 0\t" + name + "\x00")
			}
		}
	}
	_, err := x.git(ctx, []byte(entries.String()), "update-index", "-z", "--index-info")
	return err
}

// changes lists the differences between the index and a commit.
func (x index) changes(ctx context.Context, head string) ([]change, error) {
	out, err := x.git(ctx, nil, "diff-index", "--cached", "-z", "--raw", "--no-renames", "--ignore-submodules=none", head)
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

// temporaryIndex begins the names of the indexes that snapshots are made in.
const temporaryIndex = "questboard-index-"

// clearTemporary removes the index of a snapshot that a kill cut short. We hold the
// quest's lock, so none is in use.
func (tr *tree) clearTemporary() error {
	left, err := filepath.Glob(filepath.Join(globQuoted(tr.admin), temporaryIndex+"*"))
	if err != nil {
		return err
	}
	for _, name := range left {
		if err := ignoreGone(os.Remove(name)); err != nil {
			return err
		}
	}
	return nil
}

// snapshot is stage without changing the tree's index. It moves aside what git must not
// touch; if that fails, it makes a new tree.
func (tr *tree) snapshot(ctx context.Context, head string) (staged, error) {
	var unmoved []unfit // what the last round found, if it moved none of that
	for {
		s, err := tr.staged(ctx, head, false)
		if err != nil || len(s.unfit) == 0 {
			return s, err
		}
		if slices.Equal(s.unfit, unmoved) { // each round would find it
			return s, unfitError(s.unfit)
		}
		before := tr.asides
		for _, u := range s.unfit {
			if err := tr.unstuck(ctx, tr.aside(u.name)); err != nil {
				return s, err
			}
		}
		if unmoved = nil; tr.asides == before {
			unmoved = s.unfit
		}
	}
}

// staged is stage in a copy of the tree's index. With last set, the copy replaces the
// index.
func (tr *tree) staged(ctx context.Context, head string, last bool) (staged, error) {
	x, err := tr.copiedIndex()
	if err != nil {
		return staged{}, err
	}
	defer os.Remove(x.file)
	s, err := x.stage(ctx, head)
	if err == nil && last && len(s.unfit) == 0 {
		err = os.Rename(x.file, filepath.Join(tr.admin, "index"))
	}
	return s, err
}

// copiedIndex is a copy of the tree's index; the caller removes its file.
func (tr *tree) copiedIndex() (index, error) {
	to, err := os.CreateTemp(tr.admin, temporaryIndex+"*")
	if err != nil {
		return index{}, err
	}
	from, err := openPlain(filepath.Join(tr.admin, "index"))
	switch {
	case errors.Is(err, fs.ErrNotExist): // an agent removed it; git makes a new one, but cannot use an empty file
		err = errors.Join(to.Close(), os.Remove(to.Name()))
	case err == nil:
		err = errors.Join(copyIndex(to, from), to.Close(), from.Close())
	default:
		err = errors.Join(err, to.Close())
	}
	if err != nil {
		_ = os.Remove(to.Name())
	}
	return index{tr, to.Name()}, err
}

// copyIndex copies an index with its time. Git uses that time to find files that were
// written in the same second as the index, and looks into those; a younger copy would
// make it believe that they have not changed.
func copyIndex(to, from *os.File) error {
	if _, err := io.Copy(to, from); err != nil {
		return err
	}
	info, err := from.Stat()
	if err != nil {
		return err
	}
	return os.Chtimes(to.Name(), time.Time{}, info.ModTime())
}
