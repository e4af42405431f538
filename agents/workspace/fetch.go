package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents/git"
)

// fetch brings a commit of the user's repository to ours, with all that it
// builds upon, and the user's branches and tags for agents to look at.
func (r *repository) fetch(ctx context.Context, commit string) error {
	theirs, err := r.users.refsLike(ctx, "refs/heads/", "refs/tags/", "refs/remotes/")
	if err != nil {
		return err
	}
	if err := r.fetchObjects(ctx, commit); err != nil {
		return err
	}
	if r.users.partial {
		if err := r.missing(ctx, commit); err != nil {
			return err
		}
	}
	ours, err := r.refsLike(ctx, "refs/heads/", "refs/tags/", "refs/remotes/")
	if err != nil {
		return err
	}
	users := []string{commit}
	for name, id := range theirs {
		if !isOurs(name) && !strings.HasPrefix(name, "refs/remotes/") { // where the quest may have been pushed
			users = append(users, id)
		}
	}
	present, err := r.presentObjects(ctx, slices.Collect(maps.Values(theirs)))
	if err != nil {
		return err
	}
	var gone, moves []move
	lost := map[string]string{} // where they were
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		if id := theirs[name]; !isOurs(name) && ours[name] != id && present[id] {
			moves = append(moves, move{ref: name, to: id, any: true})
			lost[name] = ours[name]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if !isOurs(name) && theirs[name] == "" {
			gone = append(gone, move{ref: name, from: ours[name]})
			lost[name] = ours[name]
		}
	}
	maps.DeleteFunc(lost, func(_, id string) bool { return id == "" })
	if err := r.keepBeside(ctx, lost); err != nil {
		return err
	}
	// First with what was there: a kill in between must not make it an agent's.
	if err := r.noteCopied(slices.Concat(users, slices.Collect(maps.Values(lost)))); err != nil {
		return err
	}
	if err := r.move(ctx, "follow the user's branches", gone...); err != nil { // first: a branch a is in the way of a/b
		return err
	}
	if err := r.move(ctx, "follow the user's branches", moves...); err != nil {
		return err
	}
	return r.noteCopied(users)
}

// missing refuses a commit of a partial clone some of whose files are not there.
func (r *repository) missing(ctx context.Context, commit string) error {
	out, err := r.do(ctx, call{args: []string{"rev-list", "--objects", "--no-walk", "--missing=print", commit}})
	if err != nil {
		return err
	}
	lacking := 0
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "?") {
			lacking++
		}
	}
	if lacking > 0 {
		return odd("%s is a partial clone, and %d files of the commit that the quest starts from are not there: check that commit out once, or work with a whole clone", r.users.top, lacking)
	}
	return nil
}

// fetchObjects brings the objects of the user's repository to our git directory:
// as hard links, which take no room and stay when the user's git tidies up, or
// as copies on another disk. They are opened by folder, and no link among them
// is followed. What the repository borrows from others by alternates comes as
// far as the given commits reach, for it may borrow what is not its own.
func (r *repository) fetchObjects(ctx context.Context, commits ...string) error {
	linking, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ending := r.t.Git.Ending
	go func() { // a copy can be given up at any time
		select {
		case <-ending:
			stop(ErrEnding)
		case <-linking.Done():
		}
	}()
	if err := linkObjects(linking, filepath.Join(r.users.common, "objects"), filepath.Join(r.common, "objects")); err != nil {
		return fmt.Errorf("fetch the objects of %s: %w", r.users.top, err)
	}
	shallow, err := textIn(r.users.common, "shallow")
	if err != nil {
		return err
	}
	if err := written(filepath.Join(r.common, "shallow"), shallow); err != nil {
		return err
	}
	if len(shallow) == 0 {
		_ = os.Remove(filepath.Join(r.common, "shallow"))
	}
	if len(r.users.borrowed) == 0 || len(commits) == 0 {
		return nil
	}
	pack := r.users.asked(git.Command{Args: []string{"pack-objects", "--revs", "--stdout", "-q"}, Input: []byte(strings.Join(commits, "\n") + "\n")}, false)
	_, err = r.do(ctx, call{from: &pack, args: []string{"index-pack", "--stdin"}})
	return err
}

// maxBorrowed is how deep git follows alternates.
const maxBorrowed = 5

// borrowedBy are the folders of objects that a folder of objects borrows from.
func borrowedBy(objects string, depth int) ([]string, error) {
	text, err := textIn(objects, "info/alternates")
	if err != nil || depth == maxBorrowed {
		return nil, err
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		path := strings.TrimRight(line, "\r\n")
		if path == "" || strings.HasPrefix(path, "#") {
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(objects, path)
		}
		path = filepath.Clean(path)
		if real, err := filepath.EvalSymlinks(path); err != nil || real != path {
			return nil, odd("%s borrows objects from %s, which is not there or reached by a link", objects, path)
		}
		if filepath.Base(path) != "objects" || !isGitDir(filepath.Dir(path)) {
			return nil, odd("%s borrows objects from %s, which is no git directory's folder of objects", objects, path)
		}
		if err := errors.Join(plainAt(path, "pack", true), plainAt(path, "info", true)); err != nil {
			return nil, err
		}
		further, err := borrowedBy(path, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(append(all, path), further...)
	}
	return slices.Compact(all), nil
}

// copiedNote is the file of our folder for a quest that lists where the user's
// branches and tags were when they were last copied: what is elsewhere since is
// an agent's.
const copiedNote = "copied"

func (r *repository) noteCopied(ids []string) error {
	slices.Sort(ids)
	return written(filepath.Join(r.home, copiedNote), []byte(strings.Join(slices.Compact(ids), "\n")))
}

func (r *repository) copied() ([]string, error) {
	file, err := openPlain(filepath.Join(r.home, copiedNote))
	if err != nil {
		return nil, ignoreGone(err)
	}
	defer file.Close()
	text, err := readAtMost(file, git.MaxOutput)
	return strings.Fields(string(text)), err
}

// keepBeside keeps what agents committed or stashed beside their lines, of the
// given refs: what no branch of the user's or the quest's has, nor one of a
// remote's. Where nobody did so it asks git nothing.
func (r *repository) keepBeside(ctx context.Context, refs map[string]string) error {
	copied, err := r.copied()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		if strings.HasPrefix(name, "refs/questboard/") || strings.HasPrefix(name, "refs/remotes/") {
			continue
		}
		if _, users := slices.BinarySearch(copied, refs[name]); users {
			continue
		}
		commits := []string{refs[name]}
		if name == "refs/stash" { // the older ones are in its log alone
			out, err := r.git(ctx, "rev-list", "--walk-reflogs", name)
			if err != nil {
				return err
			}
			commits = slices.Compact(append(commits, strings.Fields(out)...))
		}
		for _, commit := range commits {
			if err := r.keepUnheld(ctx, labelOf(name), commit, copied); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepUnheld keeps a commit, or that of a tag, unless something else holds it.
func (r *repository) keepUnheld(ctx context.Context, label, id string, copied []string) error {
	out, err := r.do(ctx, call{input: []byte(id + "\n" + without(copied)), args: []string{"rev-list", "--max-count=1", "--ignore-missing", "--stdin", "--not",
		"--exclude=refs/questboard/into/*", "--glob=refs/questboard/", "--remotes"}}) // into is a branch's other name, also where an agent moved that
	commit := strings.TrimSpace(out)
	if err != nil || commit == "" {
		return err
	}
	held, err := r.inAnotherBranch(ctx, commit)
	if err != nil || held {
		return err
	}
	return r.keep(ctx, own, label, commit)
}

// without words commits as those that rev-list leaves out, with all before them.
func without(commits []string) string {
	var b strings.Builder
	for _, id := range commits {
		b.WriteString("^" + id + "\n")
	}
	return b.String()
}

// labelOf is what an agent called its branch, as a label.
func labelOf(name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "refs/"), "heads/")
	if name = strings.ReplaceAll(name, "/", "-"); checkName("label", name) != nil {
		return "branch"
	}
	return name
}
