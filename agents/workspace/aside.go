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

// errStuck: something in a tree cannot be moved out of it. Then the whole tree is
// moved.
var errStuck = errors.New("cannot be moved out of the worktree")

// keptFolder is the folder for what is moved out of the tree. Nothing there is deleted.
func (tr *tree) keptFolder() string {
	return filepath.Join(tr.r.root, tr.r.ref.Quest, "_kept", tr.step)
}

// aside moves what is at a path of the tree out of it. Each call uses a new folder,
// because an old one may contain a file or a link that leads elsewhere on the way to
// that name. If it cannot be moved, the error is errStuck.
func (tr *tree) aside(name string) error {
	quest, err := os.OpenRoot(filepath.Join(tr.r.root, tr.r.ref.Quest)) // a link instead of a folder cannot lead out of a root
	if err != nil {
		return err
	}
	defer quest.Close()
	from := filepath.Join(tr.step, filepath.FromSlash(name))
	if !present(quest, from) { // it was moved with the folder around it
		return nil
	}
	room, err := tr.newFolder("")
	if err != nil {
		return err
	}
	to := filepath.Join("_kept", tr.step, filepath.Base(room), filepath.FromSlash(name))
	if err = quest.MkdirAll(filepath.Dir(to), 0o700); err == nil {
		if err = quest.Rename(from, to); errors.Is(err, fs.ErrPermission) {
			tr.makeWritable(name)
			err = quest.Rename(from, to)
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s %w: %w", quoted(name), errStuck, err), os.RemoveAll(room)) // it contains only folders of ours
	}
	if name == ".git" {
		return tr.mend()
	}
	return nil
}

// newFolder makes a folder with a number that no kept folder of the step has.
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

// makeWritable restores our right to move a path after an agent's tools removed it: to write
// to the folders on the way, and to the path itself if it is a folder.
func (tr *tree) makeWritable(name string) {
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

// away moves the whole tree, with the repositories of its submodules, to where nothing
// deletes it.
func (tr *tree) away() error {
	room, err := tr.newFolder("folder-")
	if err != nil {
		return err
	}
	if err = os.Remove(room); err == nil { // the tree takes the folder's place
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

// renew moves the whole tree away and makes a new one from its branch.
func (tr *tree) renew(ctx context.Context) error {
	if err := tr.away(); err != nil {
		return err
	}
	return tr.ensure(ctx)
}

// unstuck moves the whole tree away if something in it could not be moved aside.
func (tr *tree) unstuck(ctx context.Context, err error) error {
	if errors.Is(err, errStuck) {
		return tr.renew(ctx)
	}
	return err
}
