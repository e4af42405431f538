package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// temporaryIndex begins the names of the indexes that snapshots are made in.
const temporaryIndex = "questboard-index-"

// clearTemporary removes the index of a snapshot that a kill cut short. The
// quest's lock is ours, so none is in use.
func (tr *tree) clearTemporary() error {
	left, err := filepath.Glob(filepath.Join(globbed(tr.admin), temporaryIndex+"*"))
	if err != nil {
		return err
	}
	for _, name := range left {
		if err := ignoreGone(os.Remove(name)); err != nil {
			return err
		}
	}
	return nil
}

// snapshot is stage without a trace in the tree's index. What git must not be
// let near is moved aside; where that cannot be, the tree is made again.
func (tr *tree) snapshot(ctx context.Context, head string) (staged, error) {
	for {
		s, err := tr.staged(ctx, head, false)
		if err != nil || len(s.unfit) == 0 {
			return s, err
		}
		for _, u := range s.unfit {
			if err := tr.unstuck(ctx, tr.aside(u.name)); err != nil {
				return s, err
			}
		}
	}
}

// staged is stage in a copy of the tree's index, which takes the index's place
// if it is to last.
func (tr *tree) staged(ctx context.Context, head string, last bool) (staged, error) {
	x, err := tr.copiedIndex()
	if err != nil {
		return staged{}, err
	}
	defer os.Remove(x.file)
	s, err := x.stage(ctx, head)
	if err == nil && last && len(s.unfit) == 0 {
		err = os.Rename(x.file, filepath.Join(tr.admin, "index"))
	}
	return s, err
}

// copiedIndex is a copy of the tree's index; the caller removes its file.
func (tr *tree) copiedIndex() (index, error) {
	to, err := os.CreateTemp(tr.admin, temporaryIndex+"*")
	if err != nil {
		return index{}, err
	}
	from, err := openPlain(filepath.Join(tr.admin, "index"))
	switch {
	case errors.Is(err, fs.ErrNotExist): // an agent removed it; git makes one, but not of an empty file
		err = errors.Join(to.Close(), os.Remove(to.Name()))
	case err == nil:
		err = errors.Join(copyIndex(to, from), to.Close(), from.Close())
	default:
		err = errors.Join(err, to.Close())
	}
	if err != nil {
		_ = os.Remove(to.Name())
	}
	return index{tr, to.Name()}, err
}

// copyIndex copies an index with its time. By that git knows which files were
// written in the same second as the index, and looks into them; of a copy that
// seems younger it would believe that they have not changed.
func copyIndex(to, from *os.File) error {
	if _, err := io.Copy(to, from); err != nil {
		return err
	}
	info, err := from.Stat()
	if err != nil {
		return err
	}
	return os.Chtimes(to.Name(), time.Time{}, info.ModTime())
}
