package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Orphans names the quests that have a folder below Root and are not known.
func (t *Trees) Orphans(known func(quest string) bool) ([]string, error) {
	entries, err := os.ReadDir(t.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for worktrees of unknown quests: %w", err)
	}
	var orphans []string
	for _, e := range entries {
		if e.IsDir() && checkName("quest", e.Name()) == nil && !known(e.Name()) {
			orphans = append(orphans, e.Name())
		}
	}
	return orphans, nil
}

// Repository finds the user's repository that a quest's worktrees belong to, for
// Forget where nothing else knows it any more. Empty: it is not there.
func (t *Trees) Repository(quest string) (string, error) {
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
	return repo, nil
}

// repositoryOfOld finds the repository of worktrees of the first version, which
// name <repository>/.git/worktrees/<name>.
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

// RemoveFolder deletes all that is below Root of a quest whose repository is
// gone. What was not delivered or pushed is kept in the quest's own git
// directory, while that is there. ErrInUse: the repository is there; Forget the
// quest instead.
func (t *Trees) RemoveFolder(ctx context.Context, quest string) error {
	repo, err := t.Repository(quest)
	if err == nil && repo != "" {
		err = fmt.Errorf("%w: it belongs to the repository %s", ErrInUse, repo)
	}
	if err == nil {
		err = t.removeAlone(ctx, quest)
	}
	if err != nil {
		return fmt.Errorf("remove the folder of quest %s: %w", quest, err)
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
		err = r.keepBeside(ctx, known) // while the base is known
	}
	if err == nil {
		err = r.forgetBranch(ctx, false)
	}
	if err == nil {
		err = r.leave(ctx)
	}
	return err
}

// writeAlone opens the git directory of a quest whose repository is gone: what
// it needs of that stands in our view. Nil: there is none, or a part of one.
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
