package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents/git"
	"questboard/failpoint"
)

// The user's repository is written by what is in this file, by a delivery
// (deliver.go) and by Restore, and by nothing else.

// publishedRef remembers where we left the quest's branch in the user's repository.
func (r *repository) publishedRef() string { return "refs/questboard/published/" + r.ref.Quest }

// publish brings the quest's branch to the user's repository, as far as it is
// green. A branch that the user has moved, or is on, stays as it is: why says
// so, and a later call brings it once it is free.
func (r *repository) publish(ctx context.Context) (why string, err error) {
	known, err := r.refs(ctx, r.tipRef(own), r.publishedRef(), r.baseRef())
	if err != nil {
		return "", err
	}
	tip, left := known[r.tipRef(own)], known[r.publishedRef()]
	if tip == "" {
		return "", nil
	}
	theirs, err := r.users.refsLike(ctx, r.questBranch())
	if err != nil {
		return "", err
	}
	is := theirs[r.questBranch()]
	switch {
	case is == tip && left == tip:
		return "", nil
	case is == tip: // killed before the record
		return "", r.move(ctx, "published", move{ref: r.publishedRef(), to: tip, any: true})
	case is != "" && is != left:
		return fmt.Sprintf("quest/%s in %s is at %.12s, where Questboard did not leave it: the quest's work is at %.12s. "+
			"Rename or delete that branch, and it appears with the next step that is merged", r.ref.Quest, r.users.top, is, tip), nil
	}
	if at := r.users.onBranch(r.questBranch()); at != "" {
		return fmt.Sprintf("quest/%s is checked out in %s and stays at %.12s there: the quest's work is at %.12s. "+
			"Switch to another branch, and it appears with the next step that is merged", r.ref.Quest, at, is, tip), nil
	}
	// A branch of the user's that is where we left it holds all of that; of any
	// other state we look what is there.
	if is == "" {
		base := known[r.baseRef()]
		if _, err := r.users.ask(ctx, "cat-file", "-e", base+"^{commit}"); err != nil {
			return fmt.Sprintf("%s does not have the commit that the quest began at (%.12s): the quest's work is at %.12s, and appears once that commit is back", r.users.top, base, tip), nil
		}
		err = r.hand(ctx, r.users, tip)
	} else {
		err = r.pack(ctx, r.users, tip, is)
	}
	if err != nil {
		return "", err
	}
	if err := r.users.move(ctx, r, "publish", move{ref: r.questBranch(), from: is, to: tip}); err != nil {
		return "", takenBy(err, "quest/"+r.ref.Quest)
	}
	return "", r.move(ctx, "published", move{ref: r.publishedRef(), to: tip, any: true})
}

// hand brings a commit's objects to the user's repository, or to a remote on
// this machine, whatever that has. What its branches hold stays at home.
func (r *repository) hand(ctx context.Context, to *users, commit string) error {
	whole := func() error {
		_, err := to.ask(ctx, "rev-list", "--quiet", "--objects", commit, "--not", "--all")
		return err
	}
	if _, err := to.ask(ctx, "cat-file", "-e", commit+"^{tree}"); err == nil && whole() == nil {
		return nil
	}
	theirs, err := to.refsLike(ctx, "refs/heads/")
	if err != nil {
		return err
	}
	ours, err := r.presentObjects(ctx, slices.Collect(maps.Values(theirs)))
	if err != nil {
		return err
	}
	var has []string
	for id, there := range ours {
		if there {
			has = append(has, id)
		}
	}
	if err := r.pack(ctx, to, commit, has...); err != nil {
		return err
	}
	if err := whole(); err != nil {
		return fmt.Errorf("%s lacks what the work builds upon: %w", to.top, err)
	}
	return nil
}

// pack brings a commit's objects, but for those of the commits that are there.
func (r *repository) pack(ctx context.Context, to *users, commit string, has ...string) error {
	revs := commit + "\n"
	for _, id := range has {
		revs += "^" + id + "\n"
	}
	out := git.Command{Dir: r.view, Env: []string{"GIT_DIR=" + r.view, "GIT_COMMON_DIR=" + r.view}, Writing: true,
		Args: []string{"pack-objects", "--revs", "--thin", "--stdout", "-q"}, Input: []byte(revs)}
	in := to.asked(git.Command{Limit: git.MaxOutput, Writing: true, Held: r.lock, Source: &out, Args: []string{"index-pack", "--stdin", "--fix-thin"}}, false)
	in.Writes = append(in.Writes, to.common)
	if _, _, err := r.t.Git.Run(ctx, in); err != nil {
		return whyNotWritten(fmt.Errorf("bring the work to %s: %w", to.top, err), to.common)
	}
	return nil
}

// presentObjects are those of the ids that our git directory has.
func (r *repository) presentObjects(ctx context.Context, ids []string) (map[string]bool, error) {
	var asked strings.Builder
	for _, id := range ids {
		if id != "" {
			asked.WriteString(id + "\n")
		}
	}
	there := map[string]bool{}
	if asked.Len() == 0 {
		return there, nil
	}
	out, err := r.do(ctx, call{input: []byte(asked.String()), args: []string{"cat-file", "--batch-check=%(objectname) %(objecttype)"}})
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		id, kind, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		there[id] = kind != "missing"
	}
	return there, nil
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
	q := u.asked(git.Command{Limit: git.MaxOutput, Writing: true, Held: r.lock, Input: input, Args: []string{"update-ref", "--no-deref", "-m", "questboard: " + why, "--stdin", "-z"}}, false)
	q.Writes = append(q.Writes, u.common, u.gitdir) // HEAD is locked where it names a branch that moves
	if _, _, err := u.g.Run(ctx, q); err != nil {
		return whyNotWritten(err, u.common)
	}
	return failpoint.At(failpoint.RefsAfter, why)
}

// plainRefs refuses to move refs whose files or logs lie behind a link: git would
// write where that leads.
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

// clear removes the lock files that a killed server's git left on the refs
// which only we write.
func (u *users) clear(ctx context.Context, r *repository) error {
	if r.lock.Died.IsZero() {
		return nil
	}
	return errors.Join(git.ClearLock(ctx, filepath.Join(u.common, r.questBranch()+".lock")), r.clearPacked(ctx, u.common))
}
