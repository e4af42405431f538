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

// openPlain opens a file of git's or of a tree for reading. Agents can replace such a
// file with anything: a pipe would block us, a link would lead elsewhere.
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

// readPlain reads the first MiB of such a file. git and people write only a few lines
// there.
func readPlain(name string) ([]byte, error) {
	f, err := openPlain(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 1<<20))
}

// readAtMost reads a complete file and refuses a larger one.
func readAtMost(f *os.File, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("it is larger than %d KiB", most>>10)
	}
	return text, err
}

// isGitDir recognises a git directory by the same files as git.
func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// plainGitDir refuses a git directory that contains something that git would wait for
// or that leads elsewhere.
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
		return ignoreGone(err) // a linked worktree has none
	}
	for _, folder := range kept {
		if !folder.IsDir() && !folder.Type().IsRegular() {
			return odd("%s is not a folder: git would write where it leads; remove it", filepath.Join(dir, "objects", folder.Name()))
		}
	}
	return nil
}

// plainHead refuses a repository whose current branch, or the larger part of whose
// index, is something that git would wait for. One branch may name another, as far as
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
			return odd("%s names %q, which is not a branch", filepath.Join(dir, name), ref)
		}
		dir, name = f.common, ref
	}
	shared, err := filepath.Glob(filepath.Join(globQuoted(f.gitdir), "sharedindex.*"))
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

// plainAt refuses anything that is neither missing nor a plain file (or a folder, if
// folder is set).
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

// kindOf describes the type of a file.
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

// waitsIn returns what git would wait for in a repository's git directories, as the
// cause of a timeout; "" if it finds nothing.
func waitsIn(ctx context.Context, f found) (name string) {
	for _, dir := range []string{f.gitdir, f.common} {
		_ = filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // skip what cannot be listed
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

// plainText returns the content of a file in a git directory; "" if there is none. The
// path to it may contain only folders and no link.
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
	case gone(err), err == nil && info.IsDir() && strings.HasPrefix(name, "refs/"): // a folder is not a ref
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

// plainRef reports whether git looks for a ref only in the file of its name.
func plainRef(ref string) bool {
	return strings.HasPrefix(ref, "refs/") && filepath.IsLocal(ref) && path.Clean(ref) == ref &&
		!strings.ContainsFunc(ref, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// wrong describes what is wrong with a file of a git directory, without its path, which
// the caller adds.
func wrong(name string, err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = fmt.Errorf("cannot be read: %w", at.Err)
	}
	return fmt.Errorf("its %s %w", quoted(name), err)
}

// ignoreGone drops the error of a file that is missing, perhaps because it vanished
// meanwhile.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
