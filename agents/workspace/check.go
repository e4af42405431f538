package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"
)

// Facts is what the form for a new quest must know about a directory, as far as the
// check got.
type Facts struct {
	Path      string // cleaned
	Exists    bool
	Directory bool
	Writable  bool
	Git       bool
	Bare      bool   // no files to work on; also a fault
	Toplevel  string // root of the git working tree
	Branch    string // "" where HEAD is detached
	Detached  bool
	Commits   bool // there is at least one commit
	Clean     bool // nothing differs from HEAD
	Changed   int  // files that differ, untracked ones included

	// What a worktree may lack although the checkout has it.
	Submodules bool // worktrees have no submodules checked out
	LFS        bool // without git-lfs, worktrees have pointers instead of files
}

// Fault says why a quest cannot work in a directory.
type Fault struct {
	Code   FaultCode
	Path   string
	Reason string // a complete sentence for the user, including the path
}

// FaultCode is the kind of a fault.
type FaultCode string

const (
	FaultRelative    FaultCode = "not-absolute"
	FaultMissing     FaultCode = "missing"
	FaultUnreachable FaultCode = "unreachable" // permissions on the way, a broken disk
	FaultNoDirectory FaultCode = "not-a-directory"
	FaultNotWritable FaultCode = "not-writable"
	FaultNoGit       FaultCode = "not-git"
	FaultGit         FaultCode = "git" // git is missing, or refuses the repository
	FaultOdd         FaultCode = "odd" // its layout cannot be used safely
)

func (f *Fault) Error() string { return f.Reason }

// Check reports whether a quest can work in dir, an absolute path. A *Fault says why
// not. Any other error is ctx's.
func (g Git) Check(ctx context.Context, dir string) (Facts, error) {
	facts := Facts{Path: filepath.Clean(dir)}
	fault := func(code FaultCode, format string, args ...any) (Facts, error) {
		return facts, &Fault{Code: code, Path: dir, Reason: fmt.Sprintf(format, args...)}
	}
	if !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
		return fault(FaultRelative, "The repository must be an absolute path; %q is not.", dir)
	}
	info, err := os.Stat(facts.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault(FaultMissing, "%s does not exist.", facts.Path)
	case err != nil:
		return fault(FaultUnreachable, "%s cannot be read: %v.", facts.Path, err)
	}
	facts.Exists, facts.Directory = true, info.IsDir()
	if !facts.Directory {
		return fault(FaultNoDirectory, "%s is not a directory.", facts.Path)
	}
	if err := unix.Access(facts.Path, unix.W_OK|unix.X_OK); err != nil {
		return fault(FaultNotWritable, "%s cannot be written: %v.", facts.Path, err)
	}
	facts.Writable = true

	s, _, err := g.status(ctx, facts.Path)
	switch {
	case ctx.Err() != nil:
		return facts, fmt.Errorf("check %s: %w", dir, context.Cause(ctx))
	case errors.Is(err, ErrBare):
		facts.Git, facts.Bare = true, true
		return fault(FaultGit, "%s is a bare repository: it has no files to work on. Clone it and use the clone.", facts.Path)
	case errors.Is(err, ErrNotGit):
		return fault(FaultNoGit, "%s is not a git repository; \"git init\" there makes it one.", facts.Path)
	case errors.Is(err, ErrOdd), errors.Is(err, ErrUnfit):
		return fault(FaultOdd, "%s: %v", facts.Path, err)
	case err != nil:
		return fault(FaultGit, "git cannot use %s: %v", facts.Path, err)
	}
	facts.Git, facts.Toplevel = true, s.top
	facts.Commits, facts.Detached = s.head != "(initial)", s.branch == "(detached)"
	if !facts.Detached {
		facts.Branch = s.branch
	}
	facts.Changed, facts.Clean = len(s.entries), len(s.entries) == 0
	facts.Submodules = mentions(s.top, ".gitmodules", submoduleSection)
	facts.LFS = mentions(s.top, ".gitattributes", lfsFilter)
	return facts, nil
}

// ErrNoRevision: there is no such branch or commit.
var ErrNoRevision = errors.New("no such branch or commit")

// Base returns what a quest records of the revision that it starts from: the name of a
// branch, so that the work can be delivered to it, or else the commit. An empty
// revision means what is checked out. The error may be ErrNoRevision.
func (g Git) Base(ctx context.Context, dir, revision string) (string, error) {
	u, err := g.open(ctx, dir)
	if err != nil {
		return "", fmt.Errorf("look for %q: %w", revision, err)
	}
	if revision == "" {
		// Not the short name: where a tag has the same one, that is "heads/" and the name.
		if head, err := u.ask(ctx, "symbolic-ref", "--quiet", "HEAD"); err == nil {
			if branch, is := strings.CutPrefix(head, "refs/heads/"); is {
				return branch, nil
			}
		}
		revision = "HEAD"
	}
	if strings.ContainsRune(revision, 0) {
		return "", fmt.Errorf("%w: %q", ErrNoRevision, revision)
	}
	name := strings.TrimPrefix(revision, "refs/heads/")
	_, err = u.ask(ctx, "show-ref", "--verify", "--quiet", "--", "refs/heads/"+name)
	if err == nil {
		return name, nil
	}
	commit, err := u.commitOf(ctx, revision)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("look for %q: %w", revision, context.Cause(ctx))
	case err != nil:
		return "", fmt.Errorf("%w: %q", ErrNoRevision, revision)
	}
	return commit, nil
}

// Patterns for .gitmodules if there are submodules, and for .gitattributes if files are
// kept in git-lfs.
const (
	submoduleSection = `(?m)^\s*\[submodule\s`
	lfsFilter        = `(?m)^\s*[^#\s].*\sfilter=lfs(\s|$)`
)

// UsesLFS reports whether the repository of a folder keeps files in git-lfs.
func UsesLFS(dir string) bool {
	f, err := find(dir)
	return err == nil && mentions(f.top, ".gitattributes", lfsFilter)
}

// mentions reports whether a file in the tree's root matches a pattern. It does not
// follow links; git does not either.
func mentions(top, name, what string) bool {
	b, err := readPlain(filepath.Join(top, name))
	return err == nil && regexp.MustCompile(what).Match(b)
}
