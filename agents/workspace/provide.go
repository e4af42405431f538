package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents/git"
)

// Link is an ignored path of the user's checkout that worktrees also need, like
// node_modules or .env.
type Link struct {
	Path string // relative to the quest's repository, with slashes
	Copy bool   // a copy; otherwise a symbolic link, through which agents change the user's files
}

// Provide links or copies paths of the user's checkout into a step's worktree. It keeps
// what is already there and leaves out what the checkout lacks. It refuses a path that
// leaves the repository, and one that git does not ignore, because that would end up in
// a commit.
func (t *Trees) Provide(ctx context.Context, ref Ref, step string, links []Link) error {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return fmt.Errorf("provide for %s: %w", step, err)
	}
	defer done()
	tr, err := r.standing(ctx, step)
	if err != nil {
		return fmt.Errorf("provide for %s: %w", step, err)
	}
	from, err := os.OpenRoot(ref.Repo)
	if err != nil {
		return fmt.Errorf("provide for %s: %w", step, err)
	}
	defer from.Close()
	to, err := os.OpenRoot(filepath.Join(tr.path, filepath.FromSlash(r.users.prefix)))
	if err != nil {
		return fmt.Errorf("provide for %s: %w", step, err)
	}
	defer to.Close()
	for _, l := range links {
		if err := tr.provide(ctx, from, to, l); err != nil {
			return fmt.Errorf("provide %q for %s: %w", l.Path, step, err)
		}
	}
	return nil
}

func (tr *tree) provide(ctx context.Context, from, to *os.Root, l Link) error {
	name := filepath.FromSlash(l.Path)
	if !filepath.IsLocal(name) || path.Clean(l.Path) != l.Path || l.Path == "." || slices.Contains(strings.Split(l.Path, "/"), ".git") {
		return ErrName
	}
	if _, err := from.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil { // also a link that leads out of the repository
		return err
	}
	if _, err := to.Lstat(name); err == nil {
		return nil
	}
	// Ask for a file: the rule "node_modules/" matches only folders, and a link is not
	// one.
	// "./", because git gives names that begin with ":" a meaning
	_, err := tr.git(ctx, "check-ignore", "--quiet", "--no-index", "--", "./"+tr.r.users.prefix+l.Path)
	if git.Exited(err, 1) {
		return errors.New("git does not ignore it (for a link the rule must have no slash at its end)")
	}
	if err != nil {
		return err
	}
	if dir := filepath.Dir(name); dir != "." {
		if err := to.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if l.Copy {
		return tr.copy(ctx, from, name)
	}
	return to.Symlink(filepath.Join(tr.r.ref.Repo, name), name)
}

// copies is the folder beside the trees of a quest in which a copy is made.
const copies = "_copies"

// copy copies a path of the user's checkout to the tree. A copy that is cut short never gets
// there: it would be taken for a whole one.
func (tr *tree) copy(ctx context.Context, from *os.Root, name string) error {
	quest, err := os.OpenRoot(filepath.Join(tr.r.root, tr.r.ref.Quest))
	if err != nil {
		return err
	}
	defer quest.Close()
	at := filepath.Join(copies, tr.step)
	if err := errors.Join(quest.RemoveAll(at), quest.MkdirAll(filepath.Join(at, filepath.Dir(name)), 0o700)); err != nil {
		return err
	}
	defer func() { _ = quest.RemoveAll(copies) }() // else the next copy does, and Forget
	part, err := quest.OpenRoot(at)
	if err != nil {
		return err
	}
	defer part.Close()
	if err := copyPath(ctx, from, part, name); err != nil {
		return err
	}
	return quest.Rename(filepath.Join(at, name), filepath.Join(tr.step, filepath.FromSlash(tr.r.users.prefix), name))
}

// copyPath copies files, folders and links; links stay links.
func copyPath(ctx context.Context, from, to *os.Root, name string) error {
	return fs.WalkDir(from.FS(), filepath.ToSlash(name), func(at string, d fs.DirEntry, err error) error {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		at = filepath.FromSlash(at)
		switch {
		case d.IsDir():
			return to.MkdirAll(at, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := from.Readlink(at)
			if err != nil {
				return err
			}
			return to.Symlink(target, at)
		case !d.Type().IsRegular():
			return nil // nothing to copy in a socket or a pipe
		}
		return copyFile(from, to, at)
	})
}

func copyFile(from, to *os.Root, name string) error {
	in, err := from.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
