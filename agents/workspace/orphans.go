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
// gone. Nothing can be kept then: what was not delivered or pushed is lost.
// ErrInUse: the repository is there; Forget the quest instead.
func (t *Trees) RemoveFolder(_ context.Context, quest string) error {
	repo, err := t.Repository(quest)
	if err == nil && repo != "" {
		err = fmt.Errorf("%w: it belongs to the repository %s", ErrInUse, repo)
	}
	if err == nil {
		err = removeAll(filepath.Join(t.Root, quest))
	}
	if err != nil {
		return fmt.Errorf("remove the folder of quest %s: %w", quest, err)
	}
	return nil
}
