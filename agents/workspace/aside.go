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

// errStuck: something in a tree cannot be moved out of it. Then the whole tree is.
var errStuck = errors.New("cannot be moved out of the worktree")

// keptFolder is where nobody deletes what is moved out of the tree.
func (tr *tree) keptFolder() string {
	return filepath.Join(tr.r.root, tr.r.ref.Quest, "_kept", tr.line)
}

// aside moves what is at a path of the tree out of it. Each time it goes to a new
// folder: on the way to a name in an old one may be a file, or a link to
// elsewhere. errStuck.
func (tr *tree) aside(name string) error {
	quest, err := os.OpenRoot(filepath.Join(tr.r.root, tr.r.ref.Quest)) // a link in the place of a folder does not lead out of it
	if err != nil {
		return err
	}
	defer quest.Close()
	from := filepath.Join(tr.line, filepath.FromSlash(name))
	if !present(quest, from) { // it went with the folder around it
		return nil
	}
	room, err := tr.newFolder("")
	if err != nil {
		return err
	}
	to := filepath.Join("_kept", tr.line, filepath.Base(room), filepath.FromSlash(name))
	if err = quest.MkdirAll(filepath.Dir(to), 0o700); err == nil {
		if err = quest.Rename(from, to); errors.Is(err, fs.ErrPermission) {
			tr.opened(name)
			err = quest.Rename(from, to)
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s %w: %w", quoted(name), errStuck, err), os.RemoveAll(room)) // there are but folders of ours in it
	}
	if name == ".git" {
		return tr.mend()
	}
	return nil
}

// newFolder makes a folder with a number that nothing kept of the line has.
func (tr *tree) newFolder(prefix string) (string, error) {
	if err := os.MkdirAll(tr.keptFolder(), 0o700); err != nil {
		return "", err
	}
	for {
		tr.asides++
		name := filepath.Join(tr.keptFolder(), fmt.Sprint(prefix, tr.asides))
		if err := os.Mkdir(name, 0o700); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// opened gives us the right to move a path that an agent's tools took away: that
// to write the folders on the way, and the folder itself.
func (tr *tree) opened(name string) {
	_ = os.Chmod(tr.path, 0o700)
	root, err := os.OpenRoot(tr.path)
	if err != nil {
		return
	}
	defer root.Close()
	at := ""
	for part := range strings.SplitSeq(name, "/") {
		at = filepath.Join(at, part)
		if info, err := root.Lstat(at); err != nil || !info.IsDir() || root.Chmod(at, 0o700) != nil {
			return
		}
	}
}

// away moves the whole tree to where nobody deletes it, with the repositories of
// its submodules.
func (tr *tree) away() error {
	room, err := tr.newFolder("folder-")
	if err != nil {
		return err
	}
	if err = os.Remove(room); err == nil { // the tree takes its place
		err = os.Rename(tr.path, room)
	}
	if errors.Is(err, fs.ErrPermission) {
		_ = os.Chmod(tr.path, 0o700)
		err = os.Rename(tr.path, room)
	}
	if err != nil {
		return err
	}
	if tr.admin == "" {
		return nil
	}
	return ignoreGone(os.Rename(filepath.Join(tr.admin, "modules"), room+"-modules"))
}

// renew moves the whole tree away and makes it again, as its branch is.
func (tr *tree) renew(ctx context.Context) error {
	if err := tr.away(); err != nil {
		return err
	}
	return tr.ensure(ctx)
}

// unstuck takes what could not be moved aside for a tree that must go.
func (tr *tree) unstuck(ctx context.Context, err error) error {
	if errors.Is(err, errStuck) {
		return tr.renew(ctx)
	}
	return err
}
