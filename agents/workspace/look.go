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
	"syscall"

	"golang.org/x/sys/unix"
)

// unfit is a path of a working tree that git would wait for or work on for too long, or
// that no commit can hold.
type unfit struct {
	name string // relative, with slashes
	why  string
}

func (u unfit) String() string { return quoted(u.name) + " " + u.why }

// ErrUnfit: git must not touch something in a working tree. The error that wraps it
// names the files and says why.
var ErrUnfit = errors.New("git cannot work safely with these files in the working tree: remove them and try again")

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

// Limits for files that git may touch.
const (
	rulesMax  = 4 << 20 // a .gitignore or .gitattributes, which git reads completely
	commitMax = 2 << 30 // a file in a commit
)

// look walks a working tree for names that git treats as its own, and returns what git
// must not touch. It opens only folders and the files that git itself would open in
// nested repositories, and follows no link. Ours is the git directory that the tree
// belongs to.
func look(ctx context.Context, top, ours string) ([]unfit, error) {
	w := &walk{top: top, ours: ours, room: make(chan struct{}, 8), names: map[string]bool{}}
	w.folder(ctx, "")
	w.wait.Wait()
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	return w.found, w.err
}

// walk visits folders, several at a time.
type walk struct {
	top, ours string
	room      chan struct{}
	wait      sync.WaitGroup

	mu    sync.Mutex
	found []unfit
	names map[string]bool // names that were found
	err   error
}

func (w *walk) folder(ctx context.Context, rel string) {
	entries, err := os.ReadDir(filepath.Join(w.top, filepath.FromSlash(rel)))
	if err != nil || ctx.Err() != nil {
		w.closed(rel, err)
		return
	}
	for _, e := range entries {
		name := path.Join(rel, e.Name())
		switch {
		case e.Name() == ".git":
			if rel != "" {
				w.repository(rel, e)
			}
		case e.IsDir():
			select {
			case w.room <- struct{}{}:
				w.wait.Go(func() { w.folder(ctx, name); <-w.room })
			default:
				w.folder(ctx, name)
			}
		case e.Name() == ".gitattributes", e.Name() == ".gitignore", e.Name() == ".gitmodules":
			w.rules(name, e)
		}
	}
}

// closed handles a folder that cannot be listed, or a file that cannot be examined. If
// nobody may enter a folder, git does not either.
func (w *walk) closed(rel string, err error) {
	top, _, _ := strings.Cut(rel, "/")
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, syscall.ENAMETOOLONG) && rel != "":
		w.add(unfit{top, "holds folders deeper than a path can name"})
	case errors.Is(err, fs.ErrPermission) && rel != "":
		if unix.Access(filepath.Join(w.top, filepath.FromSlash(rel)), unix.X_OK) == nil {
			w.add(unfit{rel, "cannot be listed, and git would open files in it"})
		}
	default:
		w.mu.Lock()
		w.err = err
		w.mu.Unlock()
	}
}

// rules checks a file that git reads completely. git does not follow a link there,
// except for .gitmodules.
func (w *walk) rules(name string, e fs.DirEntry) {
	if e.Type()&fs.ModeSymlink != 0 {
		if e.Name() == ".gitmodules" {
			w.add(unfit{name, "is a link, and git would open what it leads to"})
		}
		return
	}
	info, err := e.Info()
	switch {
	case err != nil:
		w.closed(name, err)
	case !info.Mode().IsRegular():
		w.add(unfit{name, "is " + kindOf(info) + ", and git would wait for it"})
	case info.Size() > rulesMax:
		w.add(unfit{name, fmt.Sprintf("has %s, and git would read all of it into memory", formatSize(info.Size()))})
	}
}

// repository checks a .git below the root. A repository that git must not enter is
// reported by its folder, because the fault may be elsewhere.
func (w *walk) repository(within string, e fs.DirEntry) {
	if e.Type()&fs.ModeSymlink != 0 {
		w.add(unfit{path.Join(within, ".git"), "is a link: replace it with the .git that it points to"})
		return
	}
	if _, err := repositoryAt(filepath.Join(w.top, filepath.FromSlash(within)), w.ours); err != nil {
		w.add(unfit{within, "is a repository that git must not enter: " + err.Error()})
	}
}

func (w *walk) add(u unfit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.names[u.name] {
		w.found, w.names[u.name] = append(w.found, u), true
	}
}

// For each nested repository git asks whether it is one and which commit it is at. To
// find out, git opens files whose names somebody else chose. So a nested repository is
// judged as a whole before git sees the tree: each file that git would open must look
// as git itself makes it.

// Limits for files that git reads of a nested repository.
const (
	refMax    = 4 << 10
	packedMax = 64 << 20
)

// repositoryAt reads, as data, which commit the repository in a folder is at; "" if
// there is none or the commit is unclear. An error says why git must not enter it. Ours
// is the git directory of the tree around it.
func repositoryAt(dir, ours string) (commit string, err error) {
	gitdir := filepath.Join(dir, ".git")
	info, err := os.Lstat(gitdir)
	switch {
	case gone(err):
		return "", nil
	case err != nil:
		return "", wrong(".git", err)
	case info.Mode().IsRegular():
		text, err := plainText(dir, ".git", configMax)
		if err != nil {
			return "", err
		}
		named, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), "gitdir: ")
		if !ok { // then git treats it as a plain folder
			return "", nil
		}
		if gitdir = named; !filepath.IsAbs(gitdir) {
			gitdir = filepath.Join(dir, named)
		}
	case !info.IsDir():
		return "", fmt.Errorf("its .git is %s", kindOf(info))
	}
	common, err := commonWithin(gitdir, ours)
	if err != nil {
		return "", err
	}
	return commitAt(gitdir, common)
}

// commonWithin returns where a nested repository has its refs. A worktree names its git
// directory; that may be ours, which git reads anyway, and no other.
func commonWithin(gitdir, ours string) (string, error) {
	text, err := plainText(gitdir, "commondir", refMax)
	if err != nil || text == "" {
		return gitdir, err
	}
	common, err := filepath.EvalSymlinks(relativeTo(gitdir, strings.TrimRight(text, "\r\n")))
	if err != nil || common != ours {
		return "", errors.New("it is a worktree of another repository")
	}
	return common, nil
}

// commitAt returns the commit of a git directory's HEAD.
func commitAt(gitdir, common string) (commit string, err error) {
	for _, name := range []string{"config", "config.worktree"} {
		if _, err := plainText(common, name, configMax); err != nil {
			return "", err
		}
	}
	packed, err := plainText(common, "packed-refs", packedMax)
	if err != nil {
		return "", err
	}
	if info, err := os.Lstat(filepath.Join(common, "reftable")); err == nil && info.IsDir() {
		return "", errors.New("it keeps its branches in reftables, which Questboard does not read")
	}
	head, err := plainText(gitdir, "HEAD", refMax)
	if head = strings.TrimSuffix(head, "\n"); err != nil || head == "" || objectID(head) != "" {
		return objectID(head), err
	}
	ref, is := strings.CutPrefix(head, "ref: ")
	if !is || !plainRef(ref) {
		return "", errors.New("its HEAD names neither a branch nor a commit")
	}
	text, err := plainText(common, ref, refMax)
	if err != nil {
		return "", err
	}
	if text != "" {
		if commit = objectID(strings.TrimSpace(text)); commit == "" {
			err = fmt.Errorf("its %s names no commit", quoted(ref))
		}
		return commit, err
	}
	for line := range strings.Lines(packed) {
		if id, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == ref {
			return objectID(id), nil
		}
	}
	return "", nil
}

// headOf reads, as data, which commit a nested repository is at, because git must not
// enter it. Empty: unclear.
func headOf(dir, ours string) string {
	commit, _ := repositoryAt(dir, ours)
	return commit
}

// objectID returns the word if it looks like an object's id.
func objectID(word string) string {
	if (len(word) == 40 || len(word) == 64) && strings.Trim(word, "0123456789abcdef") == "" {
		return word
	}
	return ""
}
