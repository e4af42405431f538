package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"questboard/patience"
)

// Steps returns the steps that have a worktree or a branch now, sorted: those that a
// starting server may have to Remove. The quest's own worktree is not among them.
func (t *Trees) Steps(ctx context.Context, ref Ref) ([]string, error) {
	r, err := t.read(ctx, ref)
	if err != nil {
		return nil, ofQuest("list the steps of", ref.Quest, err)
	}
	steps, err := r.stepsNow(ctx)
	if err != nil {
		return nil, ofQuest("list the steps of", ref.Quest, err)
	}
	return steps, nil
}

// stepsNow returns the steps of which anything is left: files, or the record that every
// branch of ours has. A branch without a record is somebody else's.
func (r *repository) stepsNow(ctx context.Context) ([]string, error) {
	steps, err := r.steps()
	if err != nil {
		return nil, err
	}
	records := r.tipRef("")
	known, err := r.refsLike(ctx, records)
	if err != nil {
		return nil, err
	}
	for name := range known {
		steps = append(steps, strings.TrimPrefix(name, records))
	}
	steps = slices.DeleteFunc(steps, func(step string) bool { return checkName("step", step) != nil }) // this also removes own
	slices.Sort(steps)
	return slices.Compact(steps), nil
}

// steps returns the steps with a folder, or with a folder of git's.
func (r *repository) steps() ([]string, error) {
	found := map[string]bool{}
	home := filepath.Join(r.root, r.ref.Quest)
	entries, err := os.ReadDir(home)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() {
			found[e.Name()] = true
		}
	}
	admins, err := os.ReadDir(filepath.Join(r.common, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range admins {
		if step, ok := strings.CutPrefix(e.Name(), r.ref.Quest+"+"); ok && e.IsDir() {
			found[step] = true
		}
	}
	var steps []string
	for step := range found {
		if step == own || checkName("step", step) == nil && !strings.HasSuffix(step, ".new") {
			steps = append(steps, step)
		}
	}
	return steps, nil
}

// Place returns where Dir puts a step, and whether a whole tree is there now. One that is
// still being made does not count: if the server dies then, the next one makes it again,
// and a file that somebody put there would be gone. Place makes nothing and does not ask
// git, so a page may call it for every step. It waits two seconds at most for a repository that does
// not answer; dir is empty if that has never answered.
func (t *Trees) Place(ref Ref, step string) (dir string, exists bool) {
	if step == "requirements" || step == "plan" {
		step = own
	}
	if checkName("quest", ref.Quest) != nil || step != own && checkName("step", step) != nil {
		return "", false
	}
	root, err := filepath.EvalSymlinks(t.Root)
	if err != nil {
		root = t.Root // it does not exist yet
	}
	part, known := t.part(ref.Repo)
	if !known {
		return "", false
	}
	dir = filepath.Join(root, ref.Quest, step, part)
	common, err := t.TreesGit(ref.Quest)
	if err != nil || common == "" {
		return dir, false
	}
	if _, err := os.Lstat(filepath.Join(adminIn(common, ref.Quest, step), ready)); err != nil {
		return dir, false
	}
	info, err := os.Stat(dir)
	return dir, err == nil && info.IsDir()
}

// partWait is how long Place waits for the user's repository.
const partWait = 2 * time.Second

// part returns a folder's path within its checkout. If the folder does not answer, it is as it was
// at the last look; known is false if there was none.
func (t *Trees) part(dir string) (rest string, known bool) {
	look := within
	if t.look != nil {
		look = t.look
	}
	rest, err := patience.Wait(context.Background(), &t.looks, dir, partWait, func() (string, error) { return look(dir), nil })
	if err == nil {
		t.parts.Store(dir, rest)
		return rest, true
	}
	last, known := t.parts.Load(dir)
	rest, _ = last.(string) // "" if it is not known
	return rest, known
}

// within returns a folder's path within its checkout.
func within(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	for top := real; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			rest, _ := filepath.Rel(top, real)
			return rest
		}
		if top == filepath.Dir(top) {
			return ""
		}
	}
}

// marked is the file in a worktree's admin folder that SetLabel writes.
const marked = "questboard-marked"

// SetLabel stores a word of the caller's for a step's worktree. It is removed with the
// tree.
func (t *Trees) SetLabel(ctx context.Context, ref Ref, step, word string) error {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return fmt.Errorf("mark the worktree of %s: %w", step, err)
	}
	defer done()
	tr, err := r.standing(ctx, step)
	if err == nil {
		err = tr.note(marked, word)
	}
	if err != nil {
		return fmt.Errorf("mark the worktree of %s: %w", step, err)
	}
	return nil
}

// Label returns the word that SetLabel last stored, or "".
func (t *Trees) Label(ctx context.Context, ref Ref, step string) (string, error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("look at the worktree of %s: %w", step, err)
	}
	defer done()
	tr, err := r.standing(ctx, step)
	if err != nil {
		return "", fmt.Errorf("look at the worktree of %s: %w", step, err)
	}
	return tr.noted(marked), nil
}

// Untouched reports whether a step's tree has nothing to commit, so that Discard would
// undo only later changes.
func (t *Trees) Untouched(ctx context.Context, ref Ref, step string) (bool, error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return false, fmt.Errorf("look at the worktree of %s: %w", step, err)
	}
	defer done()
	tr, err := r.standing(ctx, step)
	untouched := false
	if err == nil {
		untouched, err = tr.untouched(ctx)
	}
	if err != nil {
		return false, fmt.Errorf("look at the worktree of %s: %w", step, err)
	}
	return untouched, nil
}

func (tr *tree) untouched(ctx context.Context) (bool, error) {
	if tr.step == own {
		return true, nil // this tree never contains anybody's work
	}
	p, err := tr.adopt(ctx)
	if err != nil || p.head != p.left || len(p.merges) > 0 {
		return false, err
	}
	s, err := tr.snapshot(ctx, p.head)
	return err == nil && len(s.changes) == 0 && len(s.nested) == 0, err
}
