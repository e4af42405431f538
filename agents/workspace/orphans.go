package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"questboard/agents/git"
)

// Quests returns the quests that have a folder below Root.
func (t *Trees) Quests() ([]string, error) {
	entries, err := os.ReadDir(t.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for the worktrees of quests: %w", err)
	}
	var quests []string
	for _, e := range entries {
		if e.IsDir() && checkName("quest", e.Name()) == nil {
			quests = append(quests, e.Name())
		}
	}
	return quests, nil
}

// Repository finds the user's repository of a quest's worktrees. Empty: it is gone, or became a
// bare one.
func (t *Trees) Repository(ctx context.Context, quest string) (string, error) {
	if err := checkName("quest", quest); err != nil {
		return "", err
	}
	note, err := readPlain(filepath.Join(t.Git.Dir, quest, repositoryNote))
	if errors.Is(err, fs.ErrNotExist) {
		return t.repositoryOfOld(quest)
	}
	repo := strings.TrimSuffix(string(note), "\n")
	if _, gone := find(repo); err != nil || gone != nil {
		return "", err
	}
	if _, err := t.Git.open(ctx, repo); errors.Is(err, ErrBare) {
		return "", nil
	}
	return repo, nil
}

// repositoryOfOld finds the repository of worktrees of the first version, which name
// <repository>/.git/worktrees/<name>.
func (t *Trees) repositoryOfOld(quest string) (string, error) {
	home := filepath.Join(t.Root, quest)
	entries, err := os.ReadDir(home)
	if err != nil {
		return "", ignoreGone(err)
	}
	for _, e := range entries {
		admin, ok := linked(filepath.Join(home, e.Name()))
		worktrees := filepath.Dir(admin)
		repo := filepath.Dir(filepath.Dir(worktrees))
		if _, err := find(repo); ok && filepath.Base(worktrees) == "worktrees" && err == nil {
			return repo, nil
		}
	}
	return "", nil
}

// RemoveFolder deletes the folder below Root of a quest whose repository is gone. Work
// that was not delivered or pushed is kept in the quest's own git directory, if that
// still exists. ErrInUse: the repository is there; call Forget instead.
func (t *Trees) RemoveFolder(ctx context.Context, quest string) error {
	repo, err := t.Repository(ctx, quest)
	if err == nil && repo != "" {
		err = fmt.Errorf("%w: it belongs to the repository %s", ErrInUse, repo)
	}
	if err == nil {
		err = t.removeAlone(ctx, quest)
	}
	if err != nil {
		return ofQuest("remove the folder of", quest, err)
	}
	return nil
}

func (t *Trees) removeAlone(ctx context.Context, quest string) error {
	r, done, err := t.writeAlone(ctx, quest)
	if err != nil {
		return err
	}
	if r == nil {
		return errors.Join(removeAll(filepath.Join(t.Root, quest)), removeHome(filepath.Join(t.Git.Dir, quest)))
	}
	defer done()
	if err := r.endTrees(ctx); err != nil {
		return err
	}
	known, err := r.refsLike(ctx)
	if err == nil {
		err = r.keepBeside(ctx, known) // before the record of the base is removed
	}
	if err == nil {
		err = r.forgetBranch(ctx, false)
	}
	if err == nil {
		err = r.leave(ctx)
	}
	return err
}

// writeAlone opens the git directory of a quest whose repository is gone; our view has
// what it needs of that repository. Nil: there is none, or only a part of one.
func (t *Trees) writeAlone(ctx context.Context, quest string) (*repository, func(), error) {
	u := &users{g: t.Git}
	r, err := t.repository(Ref{Quest: quest}, u)
	if err != nil || !isGitDir(r.common) {
		return nil, nil, err
	}
	r.alone = true
	u.found, u.view = found{top: r.common, gitdir: r.common, common: r.common}, r.view
	known, err := t.Git.parsed(ctx, filepath.Join(r.view, "config"))
	if err != nil {
		return nil, nil, err
	}
	for _, s := range known {
		if s.key == "extensions.objectformat" {
			u.format = s.value
		}
	}
	u.take(known, false)
	if !isGitDir(r.view) {
		if err := t.Git.makeView(r.view, r.common, u.settings, u.found); err != nil {
			return nil, nil, err
		}
	}
	return r.begun(ctx)
}

// Sweep cleans up after a restart, before any agent starts: lock files of dead
// processes, worktrees that are half made or half removed. It deletes nothing that an
// agent wrote. For a quest that has not begun it does nothing.
func (t *Trees) Sweep(ctx context.Context, ref Ref) error {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return ofQuest("tidy up", ref.Quest, err)
	}
	defer done()
	if err := r.sweep(ctx); err != nil {
		return ofQuest("tidy up", ref.Quest, err)
	}
	return nil
}

func (r *repository) sweep(ctx context.Context) error {
	if err := r.clearDebris(ctx); err != nil {
		return err
	}
	steps, err := r.steps()
	if err != nil {
		return err
	}
	var all []error // one tree that cannot be cleaned up must not stop the others
	for _, step := range steps {
		tr, err := r.tree(ctx, step)
		switch {
		case err != nil:
			all = append(all, err)
		case !tr.whole():
			all = append(all, tr.clear(ctx))
		case step == own:
			_, err := tr.follow(ctx, "")
			all = append(all, err)
		}
	}
	_, err = r.publish(ctx)
	return errors.Join(append(all, err)...)
}

// clearDebris removes what a killed git or server left behind.
func (r *repository) clearDebris(ctx context.Context) error {
	half, err := filepath.Glob(filepath.Join(globQuoted(r.common), "worktrees", r.ref.Quest+"+*.new"))
	if err != nil {
		return err
	}
	for _, name := range half {
		if err := removeAll(name); err != nil {
			return err
		}
	}
	return git.ClearLocks(ctx, filepath.Join(r.common, "refs", "heads", "quest-steps", r.ref.Quest))
}

// DiskUse returns the size of the quest's worktrees on disk, in bytes. It does not
// count git's objects, which all branches share.
func (t *Trees) DiskUse(ctx context.Context, quest string) (int64, error) {
	if err := checkName("quest", quest); err != nil {
		return 0, err
	}
	var total int64
	err := filepath.WalkDir(filepath.Join(t.Root, quest), func(_ string, d fs.DirEntry, err error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			return ignoreGone(err) // agents are at work meanwhile
		}
		info, err := d.Info()
		if err != nil {
			return ignoreGone(err)
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			total += stat.Blocks * 512 // the unit of st_blocks, whatever the file system's
		}
		return nil
	})
	if err != nil {
		return 0, ofQuest("measure the worktrees of", quest, err)
	}
	return total, nil
}
