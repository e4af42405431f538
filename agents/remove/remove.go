// Package remove removes folders that agents have filled. An agent can nest folders deeper than
// a process may have open files, and its tools leave folders that cannot be written.
package remove

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

const (
	// deepest is how many folders are open at once, each in the one before. What lies deeper is
	// moved up first.
	deepest = 16
	// batch is how many entries of a folder are read at a time.
	batch = 1024
)

// All removes a name in root with everything in it; that it does not exist is no error. It takes
// time in proportion to the number of files, and a fixed number of open files. It follows no
// link out of root. After an error the rest may stand deeper or less deep than before.
func All(root *os.Root, name string) error {
	err := root.Remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	info, fault := root.Lstat(name)
	if fault != nil || !info.IsDir() {
		return err
	}
	top, err := enter(root, name)
	if err != nil {
		return err
	}
	defer top.Close()
	r := remover{top: top, prefix: rand.Text()}
	fault = r.clear(top, nil)
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(fault, err)
	}
	return nil
}

// remover removes the content of one folder.
type remover struct {
	top    *os.Root
	prefix string // begins the new names of what was moved up; nobody can know it
	moved  int
}

// clear removes what is in a folder, which is at a path below top. It returns the first fault.
func (r *remover) clear(dir *os.Root, path []string) (fault error) {
	for {
		entries, err := list(dir)
		if err != nil || len(entries) == 0 {
			return cmp.Or(fault, err)
		}
		before, gone := r.moved, 0
		for _, e := range entries {
			if err := r.remove(dir, path, e); err == nil {
				gone++
			} else if fault == nil {
				fault = err
			}
		}
		if gone == 0 && r.moved == before {
			return fault
		}
	}
}

// remove removes one entry of a folder, or moves it up.
func (r *remover) remove(dir *os.Root, path []string, e fs.DirEntry) error {
	err := dir.Remove(e.Name())
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if !e.IsDir() {
		return err
	}
	path = append(path, e.Name())
	if len(path) > deepest {
		_ = dir.Chmod(e.Name(), 0o700) // moving it changes its ".."
		if err := r.top.Rename(filepath.Join(path...), r.prefix+strconv.Itoa(r.moved)); err != nil {
			return err
		}
		r.moved++
		return nil
	}
	sub, err := enter(dir, e.Name())
	if err != nil {
		return err
	}
	defer sub.Close()
	fault := r.clear(sub, path)
	if err := dir.Remove(e.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(fault, err)
	}
	return nil
}

// enter opens a folder so that its entries can be removed.
func enter(dir *os.Root, name string) (*os.Root, error) {
	_ = dir.Chmod(name, 0o700) // if it fails, the removal says why
	return dir.OpenRoot(name)
}

// list returns some entries of a folder, none if it is empty.
func list(dir *os.Root) ([]fs.DirEntry, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(batch)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}
