package workspace

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents/git"
)

// The first version kept its refs and the worktrees' folders in the user's repository.
// carryOver moves those of the quest to our git directory. After a kill at any point
// the next call continues.
func (r *repository) carryOver(ctx context.Context) error {
	key := r.users.common + "\x00" + r.ref.Quest
	if _, done := r.t.carried.Load(key); done {
		return nil
	}
	old, err := r.oldRefs(ctx)
	if err != nil {
		return err
	}
	if old["refs/questboard/base/"+r.ref.Quest] == "" {
		r.t.carried.Store(key, true)
		return nil
	}
	lock, err := r.t.locks.Take(ctx, filepath.Join(r.home, lockFile))
	if err != nil {
		return err
	}
	defer lock.Release()
	r.lock = lock
	defer func() { r.lock = nil }()
	if err := r.clearRefLocks(ctx); err != nil {
		return err
	}
	if err := r.carry(ctx, old); err != nil {
		return err
	}
	r.t.carried.Store(key, true)
	return nil
}

func (r *repository) oldRefs(ctx context.Context) (map[string]string, error) {
	id := r.ref.Quest
	return r.users.refsLike(ctx, "refs/questboard/base/"+id, "refs/questboard/into/"+id, "refs/questboard/tip/"+id+"/",
		"refs/questboard/before/"+id+"/",
		"refs/questboard/merged/"+id+"/", "refs/questboard/kept/"+id+"/", "refs/heads/quest-steps/"+id+"/", r.questBranch())
}

func (r *repository) carry(ctx context.Context, old map[string]string) error {
	if err := r.fetchObjects(ctx, slices.Sorted(maps.Values(old))...); err != nil {
		return err
	}
	var here, gone []move
	for name, id := range old {
		if name == r.intoRef() { // it points to a branch of the user's
			continue
		}
		here = append(here, move{ref: name, to: id, any: true})
		if name != r.questBranch() && name != r.baseRef() {
			gone = append(gone, move{ref: name, from: id})
		}
	}
	gone = append(gone, move{ref: r.baseRef(), from: old[r.baseRef()]}) // last: it shows that there is something to carry over
	if quest := old[r.questBranch()]; quest != "" {
		here = append(here, move{ref: r.publishedRef(), to: quest, any: true})
	}
	if err := r.move(ctx, "carry over", here...); err != nil {
		return err
	}
	into, err := r.users.ask(ctx, "symbolic-ref", "--quiet", r.intoRef())
	if err == nil {
		_, err = r.git(ctx, "symbolic-ref", r.intoRef(), into)
	}
	if err != nil && !git.Exited(err, 1) {
		return err
	}
	if err := r.carryTrees(); err != nil {
		return err
	}
	if into != "" {
		if _, err := r.users.ask(ctx, "symbolic-ref", "--delete", r.intoRef()); err != nil {
			return err
		}
	}
	return r.users.move(ctx, r, "carried over", gone...)
}

// carryTrees moves the folders that git has for the quest's worktrees.
func (r *repository) carryTrees() error {
	old := filepath.Join(r.users.common, "worktrees")
	entries, err := os.ReadDir(old)
	if err != nil {
		return ignoreGone(err)
	}
	for _, e := range entries {
		admin := filepath.Join(old, e.Name())
		gitdir, err := readPlain(filepath.Join(admin, "gitdir"))
		path := filepath.Dir(strings.TrimSuffix(string(gitdir), "\n"))
		if err != nil || filepath.Dir(path) != filepath.Join(r.root, r.ref.Quest) {
			continue
		}
		to := r.adminOf(filepath.Base(path))
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			temporary := to + ".new"
			if err := errors.Join(os.RemoveAll(temporary), copyAdmin(admin, temporary)); err != nil {
				return err
			}
			if err := os.Rename(temporary, to); err != nil {
				return err
			}
		}
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			if err := writeIfChanged(filepath.Join(path, ".git"), []byte("gitdir: "+to+"\n")); err != nil {
				return err
			}
		}
		if err := removeAll(admin); err != nil {
			return err
		}
	}
	_ = os.Remove(old) // as git does, if it is empty
	return nil
}

// copyAdmin copies the plain files and folders that git and we keep for a worktree.
func copyAdmin(from, to string) error {
	source, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer source.Close()
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	target, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer target.Close()
	if err := copyPath(context.Background(), source, target, "."); err != nil {
		return err
	}
	if err := writeIfChanged(filepath.Join(to, "commondir"), []byte("../..\n")); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(from, "index"))
	if err != nil {
		return ignoreGone(err)
	}
	return os.Chtimes(filepath.Join(to, "index"), info.ModTime(), info.ModTime()) // see copyIndex
}
