package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"questboard/failpoint"
)

// ensure makes the tree and its branch, unless they are there.
func (tr *tree) ensure(ctx context.Context) error {
	if tr.whole() {
		if err := tr.unstuck(ctx, tr.mend()); err != nil {
			return err
		}
		if tr.line == own {
			_, err := tr.follow(ctx, "")
			return err
		}
		return nil
	}
	if err := tr.clear(ctx); err != nil {
		return err
	}
	at, err := tr.ensureBranch(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(tr.path), 0o700); err != nil {
		return err
	}
	if err := tr.makeAdmin(); err != nil {
		return err
	}
	if err := failpoint.At(failpoint.TreeAdded); err != nil {
		return err
	}
	if _, err := tr.git(ctx, "read-tree", "--reset", "-u", at); err != nil {
		return err
	}
	if err := tr.note(ready, at); err != nil || tr.line != own {
		return err
	}
	_, err = tr.follow(ctx, "")
	return err
}

// makeAdmin makes git's folder for the tree, whole or not at all, and the
// tree's own with the file that names it.
func (tr *tree) makeAdmin() error {
	admin := tr.r.adminOf(tr.line)
	temporary := admin + ".new"
	if err := os.RemoveAll(temporary); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(temporary, "info"), 0o700); err != nil {
		return err
	}
	files := map[string]string{"HEAD": "ref: " + tr.r.branch(tr.line) + "\n", "commondir": "../..\n", "gitdir": tr.gitFile() + "\n",
		locked: "a quest of Questboard works here"}
	if tr.r.users.sparse {
		patterns, err := textIn(tr.r.users.gitdir, "info/sparse-checkout")
		if err != nil {
			return err
		}
		files["info/sparse-checkout"] = string(patterns)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(temporary, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := os.Rename(temporary, admin); err != nil {
		return err
	}
	if err := os.MkdirAll(tr.path, 0o700); err != nil {
		return err
	}
	tr.admin = admin
	return tr.mend()
}

// ensureBranch returns the tip of the tree's branch, made from the quest's
// branch if there is none.
func (tr *tree) ensureBranch(ctx context.Context) (string, error) {
	quest, err := tr.r.questTip(ctx)
	if err != nil {
		return "", err
	}
	branch, record := tr.r.branch(tr.line), tr.r.tipRef(tr.line)
	known, err := tr.r.refs(ctx, branch, record)
	switch {
	case err != nil:
		return "", err
	case known[branch] != "" && known[record] == "":
		return "", fmt.Errorf("%w: there is a branch %s already, which is not ours", ErrBranchTaken, strings.TrimPrefix(branch, "refs/heads/"))
	case known[branch] != "":
		return known[branch], nil
	case known[record] != "": // killed in between, or deleted by somebody
		return known[record], tr.r.move(ctx, "start "+tr.line, move{ref: branch, to: known[record]})
	}
	err = tr.r.move(ctx, "start "+tr.line, move{ref: record, to: quest}, move{ref: branch, to: quest})
	if err != nil {
		err = takenBy(err, branch)
	}
	return quest, err
}

// clear takes away what is left of a tree that is not whole. No agent was ever
// in one that is half made, and what was in one that is half removed is kept. A
// folder that git knows nothing of is moved aside: who knows what is in it.
func (tr *tree) clear(ctx context.Context) error {
	if tr.admin != "" && tr.has(ready) {
		if err := tr.rescue(ctx); err != nil {
			return err
		}
	}
	if tr.admin != "" {
		return tr.remove()
	}
	left, err := os.ReadDir(tr.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && (len(left) == 0 || len(left) == 1 && left[0].Name() == ".git" && left[0].Type().IsRegular()) {
		return os.RemoveAll(tr.path)
	}
	return tr.away()
}
