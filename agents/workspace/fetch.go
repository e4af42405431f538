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

// fetch copies a commit of the user's repository with its history to ours, and the
// user's branches and tags, so that agents can look at them.
func (r *repository) fetch(ctx context.Context, commit string) error {
	theirs, err := r.users.refsLike(ctx, "refs/heads/", "refs/tags/", "refs/remotes/")
	if err != nil {
		return err
	}
	if err := r.fetchObjects(ctx, commit); err != nil {
		return err
	}
	if r.users.partial {
		if err := r.refuseIncomplete(ctx, commit); err != nil {
			return err
		}
	}
	ours, err := r.refsLike(ctx, "refs/heads/", "refs/tags/", "refs/remotes/")
	if err != nil {
		return err
	}
	users := []string{commit}
	for name, id := range theirs {
		if !isOurs(name) && !strings.HasPrefix(name, "refs/remotes/") { // the quest may have been pushed there
			users = append(users, id)
		}
	}
	present, err := r.presentObjects(ctx, slices.Collect(maps.Values(theirs)))
	if err != nil {
		return err
	}
	var gone, moves []move
	lost := map[string]string{} // where these refs were
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
	// First note these too: otherwise, after a kill in between, they would be taken for
	// an agent's.
	if err := r.noteCopied(slices.Concat(users, slices.Collect(maps.Values(lost)))); err != nil {
		return err
	}
	if err := r.move(ctx, "follow the user's branches", gone...); err != nil { // first, because a branch a prevents a/b
		return err
	}
	if err := r.move(ctx, "follow the user's branches", moves...); err != nil {
		return err
	}
	return r.noteCopied(users)
}

// refuseIncomplete refuses a commit of a partial clone if some of its files are missing.
func (r *repository) refuseIncomplete(ctx context.Context, commit string) error {
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
		return odd("%s is a partial clone, and %d files of the commit that the quest starts from are not there: check that commit out once, "+
			"or work with a whole clone", r.users.top, lacking)
	}
	return nil
}

// fetchObjects brings the objects of the user's repository to our git directory: as
// hard links, which take no space and survive the user's git gc, or as copies if ours
// is on another disk. It opens them folder by folder and follows no link. Objects that
// the repository borrows through alternates come only as far as the given commits need
// them, because it may borrow what is not its own.
func (r *repository) fetchObjects(ctx context.Context, commits ...string) error {
	linking, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ending := r.t.Git.Ending
	go func() { // a copy can be cancelled at any time
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
	if err := writeIfChanged(filepath.Join(r.common, "shallow"), shallow); err != nil {
		return err
	}
	if len(shallow) == 0 {
		_ = os.Remove(filepath.Join(r.common, "shallow"))
	}
	if len(r.users.borrowed) == 0 || len(commits) == 0 {
		return nil
	}
	pack := r.users.asked(git.Command{Args: []string{"pack-objects", "--revs", "--stdout", "-q"},
		Input: []byte(strings.Join(commits, "\n") + "\n")}, false)
	_, err = r.do(ctx, call{from: &pack, args: []string{"index-pack", "--stdin"}})
	return err
}

// maxBorrowed is how deep git follows alternates.
const maxBorrowed = 5

// borrowedBy returns the object folders that an object folder borrows from.
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
			return nil, odd("%s borrows objects from %s, which is missing or is reached through a link", objects, path)
		}
		if filepath.Base(path) != "objects" || !isGitDir(filepath.Dir(path)) {
			return nil, odd("%s borrows objects from %s, which is not a git directory's folder of objects", objects, path)
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

// copiedNote is the file in our folder for a quest that lists the user's branches and
// tags when they were last copied. A ref that has moved since was moved by an agent.
const copiedNote = "copied"

func (r *repository) noteCopied(ids []string) error {
	slices.Sort(ids)
	return writeIfChanged(filepath.Join(r.home, copiedNote), []byte(strings.Join(slices.Compact(ids), "\n")))
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

// keepBeside keeps what agents committed or stashed outside of their steps' branches:
// commits of the given refs that are on no branch of the user, the quest or a remote.
// If there is nothing, it does not ask git.
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
		if name == "refs/stash" { // older stashes are only in its log
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

// keepUnheld keeps a commit, or the commit of a tag, unless another ref contains it.
func (r *repository) keepUnheld(ctx context.Context, label, id string, copied []string) error {
	out, err := r.do(ctx, call{input: []byte(id + "\n" + without(copied)), args: []string{"rev-list", "--max-count=1", "--ignore-missing",
		"--stdin", "--not",
		// into is another name of a branch, even after an agent moved that branch
		"--exclude=refs/questboard/into/*", "--glob=refs/questboard/", "--remotes"}})
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

// without returns arguments for rev-list that exclude commits and their history.
func without(commits []string) string {
	var b strings.Builder
	for _, id := range commits {
		b.WriteString("^" + id + "\n")
	}
	return b.String()
}

// labelOf turns an agent's name for its branch into a label.
func labelOf(name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "refs/"), "heads/")
	if name = strings.ReplaceAll(name, "/", "-"); checkName("label", name) != nil {
		return "branch"
	}
	return name
}
