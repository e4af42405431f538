package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// An unfit path of a working tree is one that git would wait for, or take too
// long over, or that no commit can hold.
type unfit struct {
	name string // relative, with slashes
	why  string
}

func (u unfit) String() string { return quoted(u.name) + " " + u.why }

// ErrUnfit: a working tree holds something that git must not be let near. The
// error that wraps it names the files and says why.
var ErrUnfit = errors.New("git cannot work here as long as this is in the tree; remove it, and try again")

func unfitError(all []unfit) error {
	if len(all) == 0 {
		return nil
	}
	var said []string
	for _, u := range all[:min(len(all), 10)] {
		said = append(said, u.String())
	}
	if more := len(all) - len(said); more > 0 {
		said = append(said, fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("%w: %s", ErrUnfit, strings.Join(said, "; "))
}

// Bounds of what git is let near.
const (
	rulesMax  = 4 << 20 // a .gitignore or .gitattributes, which git reads whole
	commitMax = 2 << 30 // a file in a commit
)

// looked is what a look at a working tree has found, before git sees it.
type looked struct {
	unfit  []unfit
	nested []string // folders that hold a .git, but for the tree's root
}

// look walks a working tree for names that git treats as its own. Nothing is
// opened but folders; no link is followed, but for what git itself would ask of
// a repository within: whether it is one.
func look(ctx context.Context, top string) (looked, error) {
	w := &walk{top: top, room: make(chan struct{}, 8)}
	w.folder(ctx, "")
	w.wait.Wait()
	if err := ctx.Err(); err != nil {
		return looked{}, context.Cause(ctx)
	}
	return w.found, w.err
}

// walk visits folders, some at a time.
type walk struct {
	top  string
	room chan struct{}
	wait sync.WaitGroup

	mu    sync.Mutex
	found looked
	err   error
}

func (w *walk) folder(ctx context.Context, rel string) {
	entries, err := os.ReadDir(filepath.Join(w.top, filepath.FromSlash(rel)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) || ctx.Err() != nil {
		w.mu.Lock()
		w.err = err
		w.mu.Unlock()
		return
	}
	for _, e := range entries {
		name := path.Join(rel, e.Name())
		switch {
		case e.Name() == ".git":
			if rel != "" {
				w.repository(rel, e)
			}
		case e.Name() == ".gitattributes", e.Name() == ".gitignore", e.Name() == ".gitmodules":
			w.rules(name, e)
		case e.IsDir():
			select {
			case w.room <- struct{}{}:
				w.wait.Go(func() { w.folder(ctx, name); <-w.room })
			default:
				w.folder(ctx, name)
			}
		}
	}
}

// rules are a file that git reads whole. A link there it does not follow.
func (w *walk) rules(name string, e fs.DirEntry) {
	if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
		return
	}
	info, err := e.Info()
	switch {
	case err != nil: // gone
	case !info.Mode().IsRegular():
		w.add(unfit{name, "is " + kindOf(info) + ", and git would wait for it"})
	case info.Size() > rulesMax:
		w.add(unfit{name, fmt.Sprintf("has %s, and git would read all of it into memory", sized(info.Size()))})
	}
}

// repository is a .git below the root.
func (w *walk) repository(within string, e fs.DirEntry) {
	name := path.Join(within, ".git")
	at := filepath.Join(w.top, filepath.FromSlash(name))
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		w.add(unfit{name, "is a link; a repository's .git must be there itself"})
		return
	case e.Type().IsRegular():
		text, err := readPlain(at)
		target, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
		if err != nil || !ok {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(at), target)
		}
		at = target
	case !e.IsDir():
		w.add(unfit{name, "is neither a folder nor a file, and git would wait for it"})
		return
	}
	// git asks no more than whether this is a repository, and which commit it is at.
	for _, file := range []string{"HEAD", "config", "commondir", "packed-refs", currentRef(at)} {
		if err := plainAt(at, file, false); err != nil {
			w.add(unfit{path.Join(name, file), "is no plain file, and git would wait for it"})
			return
		}
	}
	w.mu.Lock()
	w.found.nested = append(w.found.nested, within)
	w.mu.Unlock()
}

func (w *walk) add(u unfit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.found.unfit = append(w.found.unfit, u)
}

// sized words a number of bytes.
func sized(bytes int64) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	default:
		return fmt.Sprintf("%d bytes", bytes)
	}
}

// currentRef is the ref that the HEAD of a git directory names, or HEAD.
func currentRef(gitdir string) string {
	text, _ := readPlain(filepath.Join(gitdir, "HEAD"))
	ref, is := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: ")
	if !is || !filepath.IsLocal(ref) || !strings.HasPrefix(ref, "refs/") {
		return "HEAD"
	}
	return ref
}

// headOf reads as data which commit a repository within a tree is at: git must
// not enter it. Empty: none that can be told.
func headOf(dir string) string {
	gitdir := filepath.Join(dir, ".git")
	if info, err := os.Lstat(gitdir); err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return ""
	} else if info.Mode().IsRegular() {
		text, _ := readPlain(gitdir)
		named, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
		if !ok {
			return ""
		}
		if gitdir = named; !filepath.IsAbs(gitdir) {
			gitdir = filepath.Join(dir, named)
		}
	}
	ref := currentRef(gitdir)
	if text, err := readPlain(filepath.Join(gitdir, ref)); err == nil {
		return objectID(strings.TrimSpace(string(text)))
	}
	packed, _ := readPlain(filepath.Join(gitdir, "packed-refs"))
	for line := range strings.Lines(string(packed)) {
		if id, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == ref {
			return objectID(id)
		}
	}
	return ""
}

// objectID is the word if it has the form of an object's id.
func objectID(word string) string {
	if (len(word) == 40 || len(word) == 64) && strings.Trim(word, "0123456789abcdef") == "" {
		return word
	}
	return ""
}
