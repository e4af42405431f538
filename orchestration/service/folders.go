package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"questboard/patience"
)

const (
	foldersRead  = 5_000   // folders of one folder that are read
	foldersSeen  = 200_000 // entries of one folder that are looked at
	foldersChunk = 1_000   // entries that are read at once
	foldersMost  = 20      // that complete a path
	browsedMost  = 200     // in one listing
	foldersWait  = 2 * time.Second
	markWait     = 250 * time.Millisecond // for one of many folders
	foldersStuck = 8                      // folders that do not answer, at most
)

// Expand implements Repos.
func (r Repositories) Expand(typed string) string {
	rest, ok := strings.CutPrefix(typed, "~")
	if !ok || rest != "" && rest[0] != '/' {
		return typed
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return typed // it is refused as it was typed
	}
	return filepath.Join(home, rest)
}

// Folders implements Repos.
func (r Repositories) Folders(typed string) []string {
	if !filepath.IsAbs(typed) {
		return nil
	}
	parent, begun := filepath.Split(typed)
	names, _, err := r.read(context.Background(), parent, begun)
	if err != nil {
		return nil // nothing could complete it
	}
	var found []string
	for _, name := range names {
		if hidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(begun, "."); !hidden {
			found = append(found, filepath.Join(parent, name))
		}
	}
	return found[:min(len(found), foldersMost)]
}

// Browse implements Repos. Hidden folders are left out.
func (r Repositories) Browse(ctx context.Context, dir string) Listing {
	if !filepath.IsAbs(dir) {
		return Listing{Dir: dir, Fault: "enter an absolute path, starting with a slash"}
	}
	l := Listing{Dir: filepath.Clean(dir)}
	if parent := filepath.Dir(l.Dir); parent != l.Dir {
		l.Parent = parent
	}
	names, more, err := r.read(ctx, l.Dir, "")
	if err != nil {
		l.Fault = folderFault(l.Dir, err)
		return l
	}
	l.More = more
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, ".") })
	if len(names) > browsedMost {
		names, l.Left = names[:browsedMost], len(names)-browsedMost
	}
	for _, name := range names {
		l.Folders = append(l.Folders, Folder{Name: name, Path: filepath.Join(l.Dir, name)})
	}
	r.mark(ctx, l.Folders)
	return l
}

// silentMost is how many folders of one listing may stay without an answer: each holds one of
// the places of all (foldersStuck). The others count as silent then.
const silentMost = 2

// mark says which folders are repositories. One that is away costs the others little, and
// all together take as long as one that is read.
func (r Repositories) mark(ctx context.Context, folders []Folder) {
	ctx, stop := context.WithTimeout(ctx, foldersWait)
	defer stop()
	silent := 0
	for i, f := range folders {
		if silent == silentMost {
			folders[i].Silent = true
			continue
		}
		var err error
		folders[i].Repository, err = patience.Wait(ctx, r.waits, f.Path+" is a repository", markWait, func() (bool, error) {
			_, err := os.Lstat(filepath.Join(f.Path, ".git"))
			return err == nil, nil
		})
		if folders[i].Silent = err != nil; err != nil {
			silent++
		}
	}
}

func folderFault(dir string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no folder " + dir
	case errors.Is(err, fs.ErrPermission):
		return "this server may not read " + dir
	default:
		var where *fs.PathError
		if errors.As(err, &where) {
			err = where.Err
		}
		return fmt.Sprintf("%s cannot be read: %v", dir, err)
	}
}

// read returns the names of the folders in a folder that begin so, in order, and whether it
// may have more. Links to folders count as folders.
func (r Repositories) read(ctx context.Context, dir, begun string) (names []string, more bool, err error) {
	type result struct {
		names []string
		more  bool
	}
	if err := r.there(ctx, dir); err != nil { // one call for all who type a name in it
		return nil, false, err
	}
	found, err := patience.Wait(ctx, r.waits, dir+" has "+begun, foldersWait, func() (result, error) {
		var all result
		f, err := os.Open(dir) //#nosec G304 -- the owner names folders of this machine, and only names are told
		if err != nil {
			return all, err
		}
		defer f.Close()
		silent := 0
		for seen := 0; ; {
			entries, err := f.ReadDir(foldersChunk)
			for _, e := range entries {
				if strings.HasPrefix(e.Name(), begun) && r.leads(dir, e, &silent) {
					all.names = append(all.names, e.Name())
				}
			}
			seen += len(entries)
			all.more = err == nil && (seen >= foldersSeen || len(all.names) >= foldersRead)
			if err == nil && !all.more {
				continue
			}
			slices.Sort(all.names)
			if errors.Is(err, io.EOF) || seen > 0 { // a disk that fails shows what it has
				err = nil
			}
			return all, err
		}
	})
	return slices.Clone(found.names), found.more, err
}

// leads reports whether an entry is a folder, or leads to one. So may a link to what is away,
// which it counts.
func (r Repositories) leads(dir string, e fs.DirEntry, silent *int) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	if *silent == silentMost {
		return true
	}
	path := filepath.Join(dir, e.Name())
	folder, err := patience.Wait(context.Background(), r.waits, path+" leads to a folder", markWait,
		func() (bool, error) { return isDir(path), nil })
	if err != nil {
		*silent++
	}
	return folder || err != nil
}

// there returns an error if a folder is not there, or does not answer.
func (r Repositories) there(ctx context.Context, dir string) error {
	_, err := patience.Wait(ctx, r.waits, dir+" is", foldersWait, func() (fs.FileInfo, error) { return os.Stat(dir) })
	return err
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
