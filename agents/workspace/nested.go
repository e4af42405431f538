package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// Of a repository within a tree git asks whether it is one, and which commit it
// is at. It opens names for that which somebody else chose. So a repository
// within is judged as a whole before git sees the tree: each file that git would
// open must be as git itself makes it.

// Bounds of what git reads of a repository within.
const (
	refMax    = 4 << 10
	packedMax = 64 << 20
)

// repositoryAt reads as data which commit the repository in a folder is at; ""
// if there is none, or none that can be told. An error says why git must not
// enter it. Ours is the git directory that the tree around it belongs to.
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
		if !ok { // then git takes the folder for a plain one
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

// commonWithin is where a repository within has its refs. A worktree names the
// git directory that it belongs to: that may be ours, for git reads it anyhow,
// and no other.
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

// commitAt is the commit that HEAD of a git directory names.
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

// plainRef reports whether git finds a ref at no other file than that of its name.
func plainRef(ref string) bool {
	return strings.HasPrefix(ref, "refs/") && filepath.IsLocal(ref) && path.Clean(ref) == ref &&
		!strings.ContainsFunc(ref, func(r rune) bool { return r <= ' ' || r == 0x7f })
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

// headOf reads as data which commit a repository within a tree is at: git must
// not enter it. Empty: none that can be told.
func headOf(dir, ours string) string {
	commit, _ := repositoryAt(dir, ours)
	return commit
}

// objectID is the word if it has the form of an object's id.
func objectID(word string) string {
	if (len(word) == 40 || len(word) == 64) && strings.Trim(word, "0123456789abcdef") == "" {
		return word
	}
	return ""
}
