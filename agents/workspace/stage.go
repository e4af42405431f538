package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// staged is the state of a tree's files, written to git's objects.
type staged struct {
	head    string // the commit that HEAD is at
	changes []change
	tree    string   // of the files; where nothing changed, an expression for the head's
	nested  []string // repositories within, which are left out
}

// stage puts everything that differs from a commit, which HEAD is at, into an
// index and writes it as a tree: the tree's own index, or the one in a file of
// that name.
func (tr *tree) stage(ctx context.Context, index, head string) (staged, error) {
	s := staged{head: head, tree: head + "^{tree}"}
	run := func(input []byte, args ...string) (string, error) {
		out, err := tr.r.do(ctx, call{in: tr, index: index, input: input, args: args})
		return strings.TrimSuffix(out, "\n"), err
	}
	_, err := run(nil, "add", "--all", "--", ".")
	if errors.Is(err, ErrNotGit) {
		if err = tr.asideBroken(ctx); err == nil {
			_, err = run(nil, "add", "--all", "--", ".")
		}
	}
	if err != nil {
		// A repository within that has no commit makes git refuse everything.
		if s.nested, err = addWithout(run, err); err != nil {
			return s, err
		}
	}
	differing := func() error {
		out, err := run(nil, "diff-index", "--cached", "-z", "--raw", "--no-renames", head)
		if err == nil {
			s.changes, err = parseRaw(out)
		}
		return err
	}
	if err := differing(); err != nil || len(s.changes) == 0 {
		return s, err
	}
	links := map[string]bool{}
	for _, c := range s.changes {
		if c.newMode == "160000" && c.oldMode != "160000" {
			links[c.name] = true
		}
	}
	if len(links) > 0 {
		// Those that .gitmodules names are submodules, and meant to be links.
		out, _ := run(nil, "config", "--null", "--file", filepath.Join(tr.path, ".gitmodules"), "--get-regexp", `^submodule\..*\.path$`)
		for field := range strings.SplitSeq(out, "\x00") {
			if _, path, ok := strings.Cut(field, "\n"); ok {
				delete(links, path)
			}
		}
	}
	if len(links) > 0 {
		var gone strings.Builder
		for _, name := range slices.Sorted(maps.Keys(links)) {
			s.nested = append(s.nested, name)
			gone.WriteString("0 " + strings.Repeat("0", len(head)) + "\t" + name + "\x00")
		}
		if _, err := run([]byte(gone.String()), "update-index", "-z", "--index-info"); err != nil {
			return s, err
		}
		if err := differing(); err != nil || len(s.changes) == 0 {
			return s, err
		}
	}
	s.tree, err = run(nil, "write-tree")
	return s, err
}

// since lists what differs between a commit and the staged files.
func (tr *tree) since(ctx context.Context, commit string, s staged) ([]change, error) {
	if commit == s.head {
		return s.changes, nil
	}
	return tr.compare(ctx, commit, s.tree)
}

// addWithout adds all but the repositories within the tree, which it returns.
func addWithout(run func([]byte, ...string) (string, error), cause error) ([]string, error) {
	out, err := run(nil, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	var nested []string
	specs := ".\x00"
	for _, name := range splitNames(out) {
		if within, ok := strings.CutSuffix(name, "/"); ok {
			nested = append(nested, within)
			specs += ":(exclude,literal,top)" + within + "\x00"
		}
	}
	if nested == nil {
		return nil, cause
	}
	_, err = run([]byte(specs), "add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul")
	return nested, err
}

// temporaryIndex begins the names of the indexes that snapshots are made in.
const temporaryIndex = "questboard-index-"

// clearTemporary removes the index of a snapshot that a kill cut short. The
// repository's turn is ours, so none is in use.
func (tr *tree) clearTemporary() error {
	left, err := filepath.Glob(filepath.Join(globbed(tr.admin), temporaryIndex+"*"))
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

// snapshot is stage without a trace in the tree's index.
func (tr *tree) snapshot(ctx context.Context, head string) (staged, error) {
	from, err := os.Open(filepath.Join(tr.admin, "index"))
	if err != nil {
		return staged{}, err
	}
	defer from.Close()
	to, err := os.CreateTemp(tr.admin, temporaryIndex+"*")
	if err != nil {
		return staged{}, err
	}
	defer os.Remove(to.Name())
	_, err = io.Copy(to, from)
	if closing := to.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return staged{}, err
	}
	return tr.stage(ctx, to.Name(), head)
}

// change is one path that differs between two trees.
type change struct {
	name             string
	oldMode, newMode string // "000000": absent
	oldBlob, newBlob string
}

// compare lists what differs between two commits or trees.
func (tr *tree) compare(ctx context.Context, from, to string) ([]change, error) {
	return tr.r.compare(ctx, tr, from, to)
}

// compare is for commits or trees named by their ids where in is nil.
func (r *repository) compare(ctx context.Context, in *tree, from, to string) ([]change, error) {
	out, err := r.do(ctx, call{in: in, args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-commit-id", from, to}})
	if err != nil {
		return nil, err
	}
	return parseRaw(out)
}

func parseRaw(out string) ([]change, error) {
	fields := strings.Split(out, "\x00") // :mode mode blob blob letter, name, …
	var all []change
	for i := 0; i+1 < len(fields); i += 2 {
		facts := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(facts) != 5 {
			return nil, fmt.Errorf("git compares with %q", fields[i])
		}
		all = append(all, change{name: fields[i+1], oldMode: facts[0], newMode: facts[1], oldBlob: facts[2], newBlob: facts[3]})
	}
	return all, nil
}

func namesOf(changes []change) []string {
	var names []string
	for _, c := range changes {
		names = append(names, c.name)
	}
	return names
}

// both are the names in two lists of changes.
func both(a, b []change) []string {
	in := map[string]bool{}
	for _, c := range b {
		in[c.name] = true
	}
	var names []string
	for _, c := range a {
		if in[c.name] {
			names = append(names, c.name)
		}
	}
	return names
}
