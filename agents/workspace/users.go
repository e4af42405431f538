package workspace

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents/git"
	"questboard/failpoint"
)

// users is a user's repository, and how we look at it.
type users struct {
	found
	settings
	g        Git
	view     string
	borrowed []string // object folders of other repositories that it borrows from
}

// open finds the repository of a user's folder and makes our view of it. The error may
// be ErrNotGit, ErrBare or ErrOdd.
func (g Git) open(ctx context.Context, dir string) (*users, error) {
	f, err := find(dir)
	if err != nil {
		return nil, err
	}
	u := &users{found: f, g: g}
	if u.view, err = g.viewOf(f.common); err != nil {
		return nil, err
	}
	none, err := g.plainView()
	if err != nil {
		return nil, err
	}
	if u.settings, err = g.lately(ctx, f, none); err != nil {
		return nil, err
	}
	if u.bare && f.gitdir == f.common { // a folder whose .git has no files; its linked worktrees have some
		return nil, errBare
	}
	if u.borrowed, err = borrowedBy(filepath.Join(f.common, "objects"), 0); err != nil {
		return nil, err
	}
	return u, g.makeView(u.view, f.common, u.settings, f)
}

// asked prepares a question about the user's repository. With files it may also look at
// the working tree.
func (u *users) asked(q git.Command, files bool) git.Command {
	q.Dir, q.GitDir, q.Common, q.Env = u.view, u.gitdir, u.view, u.identity()
	q.Reads = slices.Concat(q.Reads, []string{u.view, u.common, u.gitdir}, u.borrowed)
	if files {
		q.Dir, q.WorkTree = u.top, u.top
		q.Reads = append(q.Reads, u.top)
	}
	return q
}

// ask runs a command with a small answer.
func (u *users) ask(ctx context.Context, args ...string) (string, error) {
	q := git.Command{Limit: git.MaxOutput, Args: args}
	asked := u.look
	if slices.Contains(args, "--contains") { // it walks the history
		asked = func(ctx context.Context, q git.Command, files bool) ([]byte, bool, error) {
			return u.g.Run(ctx, u.asked(q, files))
		}
	}
	out, _, err := asked(ctx, q, false)
	return string(bytes.TrimSuffix(out, []byte("\n"))), err
}

// commitOf returns the commit of a branch or of another revision. Where a branch and a tag have the
// same name, git by itself takes the tag.
func (u *users) commitOf(ctx context.Context, revision string) (string, error) {
	parse := func(name string) (string, error) {
		return u.ask(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	}
	if revision != "HEAD" && objectID(revision) == "" {
		if commit, err := parse("refs/heads/" + strings.TrimPrefix(revision, "refs/heads/")); err == nil {
			return commit, nil
		}
	}
	return parse(revision)
}

// look runs a command while a person waits. If git takes too long, the error names what
// git may have waited for.
func (u *users) look(ctx context.Context, q git.Command, files bool) (out []byte, cut bool, err error) {
	q.Quick = true
	out, cut, err = u.g.Run(ctx, u.asked(q, files))
	if errors.Is(err, git.ErrTooLong) {
		if name := waitsIn(ctx, u.found); name != "" {
			err = odd("git waits for %s, which is not a plain file (%w)", name, err)
		}
	}
	return out, cut, err
}

// refsLike asks the user's repository for refs.
func (u *users) refsLike(ctx context.Context, patterns ...string) (map[string]string, error) {
	out, err := u.ask(ctx, append([]string{"for-each-ref", "--format=" + refFormat}, patterns...)...)
	if err != nil {
		return nil, err
	}
	return parseRefs(out), nil
}

// move changes refs of the user's repository, if they are where we think.
func (u *users) move(ctx context.Context, r *repository, why string, moves ...move) error {
	input := moveInput(moves)
	if len(input) == 0 {
		return nil
	}
	if err := failpoint.At(failpoint.RefsBefore, why); err != nil {
		return err
	}
	if err := u.plainRefs(moves); err != nil {
		return err
	}
	q := u.asked(git.Command{Limit: git.MaxOutput, Writing: true, Held: r.lock, Input: input, Args: []string{"update-ref", "--no-deref", "-m",
		"questboard: " + why, "--stdin", "-z"}}, false)
	q.Writes = append(q.Writes, u.common, u.gitdir) // git locks HEAD if it names a branch that moves
	if _, _, err := u.g.Run(ctx, q); err != nil {
		return whyNotWritten(err, u.common)
	}
	return failpoint.At(failpoint.RefsAfter, why)
}

// plainRefs refuses to move refs whose files or logs are behind a link, because git
// would write to the link's target.
func (u *users) plainRefs(moves []move) error {
	names := []string{filepath.Join(u.gitdir, "logs", "HEAD")}
	for _, m := range moves {
		for _, dir := range []string{u.common, filepath.Join(u.common, "logs")} {
			for at := m.ref; at != "."; at = path.Dir(at) {
				names = append(names, filepath.Join(dir, filepath.FromSlash(at)))
			}
		}
	}
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return odd("%s is %s: git would write where it leads; remove it", name, kindOf(info))
		}
	}
	return nil
}

// clear removes the lock files that our git left when it was ended: on refs of the quest, on the
// branch that it delivers to, on HEAD, which git locks if it names that branch, and on the index of the
// checkout of that branch.
func (u *users) clear(ctx context.Context, r *repository) error {
	for _, ours := range []string{"refs/questboard", "refs/heads/quest-steps/" + r.ref.Quest} { // the first version's
		if err := git.ClearLocks(ctx, filepath.Join(u.common, ours)); err != nil {
			return err
		}
	}
	locks := []string{filepath.Join(u.gitdir, "HEAD.lock")}
	into, err := r.into(ctx)
	switch {
	case err == nil:
		locks = append(locks, filepath.Join(u.common, into+".lock"))
		if out, err := r.checkout(into); err == nil && out != nil && out.has(delivering) {
			locks = append(locks, filepath.Join(out.admin, "index.lock"))
		}
	case !errors.Is(err, ErrNoBranch):
		return err
	}
	for _, lock := range locks {
		if older(lock, r.lock.Died) {
			continue
		}
		if err := git.ClearLock(ctx, lock); err != nil {
			return err
		}
	}
	return errors.Join(git.ClearLock(ctx, filepath.Join(u.common, r.questBranch()+".lock")), r.clearPacked(ctx, u.common))
}

// onBranch returns where the user has a branch checked out; empty: nowhere. Moving or
// deleting such a branch would change what a person sees in that checkout. A branch
// that is being rebased or bisected counts, although HEAD does not name it.
func (u *users) onBranch(branch string) string {
	for _, w := range u.worktrees() {
		for name, says := range map[string]string{"HEAD": "ref: " + branch, "rebase-merge/head-name": branch, "rebase-apply/head-name": branch,
			"BISECT_START": strings.TrimPrefix(branch, "refs/heads/")} {
			if text, err := readPlain(filepath.Join(w.gitdir, name)); err == nil && strings.TrimSpace(string(text)) == says {
				return w.top
			}
		}
	}
	return ""
}

// worktrees returns the checkouts of the user's repository: the main one, unless the repository
// is bare, and those made with "git worktree add".
func (u *users) worktrees() []found {
	var all []found
	switch {
	case u.gitdir == u.common:
		all = append(all, u.found)
	case !u.bare: // the HEAD of a bare one names a branch, too, but there are no files that follow it
		top := worktreeIn(u.common) // of a submodule, or of a git directory elsewhere
		if top == "" {
			top = strings.TrimSuffix(u.common, string(filepath.Separator)+".git")
		}
		all = append(all, found{top: top, gitdir: u.common, common: u.common})
	}
	gitdirs, err := filepath.Glob(filepath.Join(globQuoted(u.common), "worktrees", "*", "gitdir"))
	if err != nil {
		return all
	}
	for _, name := range gitdirs {
		text, err := readPlain(name)
		at := strings.TrimSuffix(string(text), "\n")
		if !filepath.IsAbs(at) {
			at = filepath.Join(filepath.Dir(name), at)
		}
		if err == nil {
			all = append(all, found{top: filepath.Dir(at), gitdir: filepath.Dir(name), common: u.common})
		}
	}
	return all
}
