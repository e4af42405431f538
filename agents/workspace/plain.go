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
	"strings"
	"syscall"
)

const nonblock = syscall.O_NONBLOCK // opening a fifo must not hang

// openPlain opens a file of git's or of a tree for reading. Agents can put
// anything in its place: a pipe would hold us, a link would lead us elsewhere.
func openPlain(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a plain file", name)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// readPlain reads such a file, the first MiB of it: what git and people write
// there is a few lines.
func readPlain(name string) ([]byte, error) {
	f, err := openPlain(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 1<<20))
}

// readAtMost reads a file whole, and refuses one that is larger.
func readAtMost(f *os.File, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("it is larger than %d KiB", most>>10)
	}
	return text, err
}

// isGitDir tells a git directory by what git tells it by.
func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// plainGitDir refuses a git directory in which something stands that git would
// wait for, or that leads elsewhere.
func plainGitDir(dir string) error {
	for _, name := range []string{"HEAD", "config", "config.worktree", "packed-refs", "index", "shallow", "info/exclude", "info/attributes",
		"info/sparse-checkout", "objects/info/alternates", "commondir", "gitdir"} {
		if err := plainAt(dir, name, false); err != nil {
			return err
		}
	}
	for _, name := range []string{"objects", "objects/pack", "objects/info", "refs", "refs/heads", "logs", "worktrees", "info"} {
		if err := plainAt(dir, name, true); err != nil {
			return err
		}
	}
	kept, err := os.ReadDir(filepath.Join(dir, "objects"))
	if err != nil {
		return ignoreGone(err) // a linked worktree's has none
	}
	for _, folder := range kept {
		if !folder.IsDir() && !folder.Type().IsRegular() {
			return odd("%s is no folder: git would write where it leads; remove it", filepath.Join(dir, "objects", folder.Name()))
		}
	}
	return nil
}

// plainHead refuses a repository whose current branch, or the index's larger
// part, stands in what git would wait for. One branch may name another, as far as
// git follows.
func plainHead(f found) error {
	dir, name := f.gitdir, "HEAD"
	for range 6 {
		text, err := plainText(dir, name, refMax)
		if err != nil {
			return odd("%s: %w", dir, err)
		}
		ref, is := strings.CutPrefix(text, "ref:")
		if ref = strings.TrimSpace(ref); !is {
			break
		}
		if !plainRef(ref) {
			return odd("%s names %q, which is no branch", filepath.Join(dir, name), ref)
		}
		dir, name = f.common, ref
	}
	shared, err := filepath.Glob(filepath.Join(globbed(f.gitdir), "sharedindex.*"))
	if err != nil {
		return err
	}
	for _, name := range shared {
		if err := plainAt(f.gitdir, filepath.Base(name), false); err != nil {
			return err
		}
	}
	return nil
}

// plainAt refuses what is neither a plain file nor missing; or, for a folder,
// neither a folder nor missing.
func plainAt(dir, name string, folder bool) error {
	at := filepath.Join(dir, filepath.FromSlash(name))
	info, err := os.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil
	case err != nil:
		return err
	case folder && !info.IsDir(), !folder && !info.Mode().IsRegular():
		return odd("%s is %s", at, kindOf(info))
	}
	return nil
}

// kindOf says in words what a name stands for.
func kindOf(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode.IsDir():
		return "a folder"
	default:
		return "a file"
	}
}

// waitsIn names what stands in the git directories of a repository that git
// would wait for: the cause where it took too long. "" if it finds nothing.
func waitsIn(ctx context.Context, f found) (name string) {
	for _, dir := range []string{f.gitdir, f.common} {
		_ = filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // what cannot be listed is passed by
			}
			kind := d.Type()
			if kind&fs.ModeSymlink != 0 {
				if info, err := os.Stat(at); err == nil {
					kind = info.Mode()
				}
			}
			if kind&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0 {
				name = at
			}
			if name != "" || ctx.Err() != nil {
				return fs.SkipAll
			}
			return nil
		})
	}
	return name
}

// plainText is what a file of a git directory holds; "" if it is not there. On
// the way to it there are folders only, and no link.
func plainText(dir, name string, most int64) (string, error) {
	at := dir
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		if part == "." {
			continue
		}
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if gone(err) {
			return "", nil
		}
		if err == nil && !info.IsDir() {
			err = errors.New("is " + kindOf(info))
		}
		if err != nil {
			return "", wrong(name, err)
		}
	}
	at = filepath.Join(dir, filepath.FromSlash(name))
	info, err := os.Lstat(at)
	switch {
	case gone(err), err == nil && info.IsDir() && strings.HasPrefix(name, "refs/"): // a folder is no ref
		return "", nil
	case err != nil:
		return "", wrong(name, err)
	case !info.Mode().IsRegular():
		return "", wrong(name, errors.New("is "+kindOf(info)))
	}
	f, err := openPlain(at)
	if err != nil {
		return "", wrong(name, err)
	}
	defer f.Close()
	text, err := readAtMost(f, most)
	if err != nil {
		return "", wrong(name, err)
	}
	return string(text), nil
}

// plainRef reports whether git finds a ref at no other file than that of its name.
func plainRef(ref string) bool {
	return strings.HasPrefix(ref, "refs/") && filepath.IsLocal(ref) && path.Clean(ref) == ref &&
		!strings.ContainsFunc(ref, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// wrong words what is the matter with a file of a git directory, without the
// path, which the caller says.
func wrong(name string, err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = fmt.Errorf("cannot be read: %w", at.Err)
	}
	return fmt.Errorf("its %s %w", quoted(name), err)
}

// ignoreGone: a file that vanishes meanwhile is one that is not there.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
