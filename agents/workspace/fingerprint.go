package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"questboard/agents/git"
)

// hashedWhole is the largest file whose content is hashed. Of a larger file only the size
// and the time of change are hashed.
const hashedWhole = 64 << 20

// Fingerprint identifies the state of the working tree: HEAD, and the content of
// everything that differs from it, including untracked but not ignored files. Equal
// fingerprints mean equal trees. It is cheap if little differs, and touches neither the
// tree nor git's index. Empty, without an error: dir is in no git repository, so
// nothing is known.
func (g Git) Fingerprint(ctx context.Context, dir string) (string, error) {
	s, u, err := g.status(ctx, dir)
	if errors.Is(err, ErrNotGit) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("fingerprint %s: %w", dir, err)
	}
	root, err := os.OpenRoot(s.top)
	if err != nil {
		return "", fmt.Errorf("fingerprint %s: %w", dir, err)
	}
	defer root.Close()
	sum := sha256.New()
	writeValue(sum, "head", s.head)
	if err := u.hashSubmodules(ctx, sum, root); err != nil {
		return "", fmt.Errorf("fingerprint %s: %w", dir, err)
	}
	for _, e := range s.entries {
		writeValue(sum, "entry", e.line)
		if err := hashPath(ctx, sum, root, strings.TrimSuffix(e.path, "/")); err != nil {
			return "", fmt.Errorf("fingerprint %s: %w", dir, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// writeValue writes a value so that different lists of values never look the same.
func writeValue(sum hash.Hash, kind, value string) {
	fmt.Fprintf(sum, "%s %d %s\n", kind, len(value), value)
}

// hashPath hashes what is on disk at name. A directory here is a nested repository,
// which git does not look into, or a submodule.
func hashPath(ctx context.Context, sum hash.Hash, root *os.Root, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		writeValue(sum, "gone", name)
		return nil
	}
	if err != nil {
		return err
	}
	writeValue(sum, info.Mode().Type().String()+executable(info), name)
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return hashFile(sum, root, name, info)
	case mode&fs.ModeSymlink != 0:
		to, err := root.Readlink(name)
		writeValue(sum, "link", to)
		return ignoreGone(err)
	case mode.IsDir():
		return hashDir(ctx, sum, root, name)
	default:
		return nil // a fifo or a socket has no content
	}
}

func hashFile(sum hash.Hash, root *os.Root, name string, info fs.FileInfo) error {
	if info.Size() > hashedWhole {
		writeValue(sum, "large", fmt.Sprint(info.Size(), info.ModTime().UnixNano()))
		return nil
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return ignoreGone(err)
	}
	defer f.Close()
	content := sha256.New()
	if _, err := io.Copy(content, io.LimitReader(f, hashedWhole)); err != nil {
		return err
	}
	writeValue(sum, "content", string(content.Sum(nil)))
	return nil
}

func hashDir(ctx context.Context, sum hash.Hash, root *os.Root, name string) error {
	entries, err := fs.ReadDir(root.FS(), name)
	if err != nil {
		return ignoreGone(err)
	}
	for _, e := range entries {
		if e.Name() == ".git" {
			continue
		}
		if err := hashPath(ctx, sum, root, path.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func executable(info fs.FileInfo) string {
	if info.Mode()&0o111 != 0 {
		return "x"
	}
	return ""
}

// hashSubmodules adds the commits and the files' stats of tracked nested repositories.
// git must not look into them.
func (u *users) hashSubmodules(ctx context.Context, sum hash.Hash, root *os.Root) error {
	out, cut, err := u.look(ctx, git.Command{Limit: git.MaxOutput, Args: []string{"ls-files", "--stage", "-z"}}, true)
	if err == nil && cut {
		err = fmt.Errorf("git ls-files: more than %d bytes", git.MaxOutput)
	}
	if err != nil {
		return err
	}
	for line := range bytes.SplitSeq(out, []byte{0}) {
		facts, name, ok := bytes.Cut(line, []byte{'\t'})
		if !ok || !bytes.HasPrefix(facts, []byte("160000 ")) {
			continue
		}
		writeValue(sum, "submodule", string(name)+" "+headOf(filepath.Join(u.top, string(name)), u.common))
		if err := hashStats(ctx, sum, root, string(name)); err != nil {
			return err
		}
	}
	return nil
}

// hashStats adds the sizes and times of all files in a folder, except git's.
func hashStats(ctx context.Context, sum hash.Hash, root *os.Root, name string) error {
	return fs.WalkDir(root.FS(), filepath.ToSlash(name), func(at string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return ignoreGone(err)
		}
		if d.Name() == ".git" {
			return skipped(d)
		}
		info, err := d.Info()
		if err != nil {
			return ignoreGone(err)
		}
		if !d.IsDir() {
			writeValue(sum, "stat", fmt.Sprint(at, info.Mode(), info.Size(), info.ModTime().UnixNano()))
		}
		return nil
	})
}

func skipped(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}
