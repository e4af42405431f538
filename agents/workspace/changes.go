package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"questboard/agents/git"
)

// ChangesMax is the most that Changes returns, in bytes.
const ChangesMax = 64 << 10

const changesCut = "\n[cut here: there are more changes; see git status and git diff]\n"

// Changes describes what is not committed yet, for the prompt of a run that continues
// another's work: changed files, untracked files and the diff. It returns at most
// ChangesMax bytes; a mark shows where it was cut. Empty: nothing is changed. Outside
// of a git repository it says so. Odd names are quoted as git does.
func (g Git) Changes(ctx context.Context, dir string) (string, error) {
	s, u, err := g.status(ctx, dir)
	if errors.Is(err, ErrNotGit) {
		return "(not a git repository: changes are not known)", nil
	}
	if err != nil {
		return "", fmt.Errorf("describe changes in %s: %w", dir, err)
	}
	if len(s.entries) == 0 {
		return "", nil
	}
	diff, err := u.diff(ctx, s)
	if err != nil {
		return "", fmt.Errorf("describe changes in %s: %w", dir, err)
	}
	var b strings.Builder
	for _, part := range []struct {
		title     string
		untracked bool
	}{{"Changed files:", false}, {"New files, not known to git yet:", true}} {
		title := part.title + "\n"
		for _, e := range s.entries {
			if e.untracked == part.untracked && b.Len() <= ChangesMax {
				b.WriteString(title + "  " + quoted(e.path) + "\n")
				title = ""
			}
		}
	}
	if diff != "" {
		b.WriteString("\n" + diff)
	}
	return cutTo(strings.ToValidUTF8(b.String(), "\uFFFD"), ChangesMax, changesCut), nil
}

// diff returns summary and diff of the tracked files against HEAD or, before the first
// commit, of what is staged.
func (u *users) diff(ctx context.Context, s status) (string, error) {
	against := []string{"HEAD", "--"}
	if s.head == "(initial)" {
		against = []string{"--cached", "--"}
	}
	out, _, err := u.look(ctx, git.Command{Limit: ChangesMax + 1, Args: append([]string{
		"diff", "--stat", "--patch", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--submodule=short",
		"--ignore-submodules=dirty"}, against...)}, true)
	return string(out), err
}

// status is what git says about a working tree.
type status struct {
	top     string  // the tree's root directory
	head    string  // commit, or "(initial)"
	branch  string  // or "(detached)"
	entries []entry // what differs from HEAD, in git's order
}

// entry is one path that differs from HEAD.
type entry struct {
	line      string // as git prints it: states, modes and object ids, then the path
	path      string // from the root of the tree, as it is on disk
	untracked bool
}

// status lists everything that differs from HEAD, except ignored files, in the
// repository of a user's folder. The error may be ErrNotGit, ErrBare, ErrOdd or ErrUnfit.
func (g Git) status(ctx context.Context, dir string) (status, *users, error) {
	u, err := g.open(ctx, dir)
	if err != nil {
		return status{}, nil, err
	}
	seen, err := look(ctx, u.top, u.common)
	if err == nil {
		err = unfitError(seen)
	}
	if err != nil {
		return status{}, u, err
	}
	out, cut, err := u.look(ctx, git.Command{Limit: git.MaxOutput, Args: []string{
		"status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all",
		"--ignore-submodules=dirty", // looking into them would run programs from their settings
		"--no-renames", "--no-ahead-behind"}}, true)
	if err != nil {
		return status{}, u, err
	}
	if cut {
		return status{}, u, fmt.Errorf("git status: more than %d bytes", git.MaxOutput)
	}
	s := status{top: u.top}
	for field := range bytes.SplitSeq(out, []byte{0}) {
		s.add(string(field))
	}
	return s, u, nil
}

// add reads one field of porcelain v2; see git-status(1).
func (s *status) add(field string) {
	kind, rest, _ := strings.Cut(field, " ")
	switch kind {
	case "#":
		switch name, value, _ := strings.Cut(rest, " "); name {
		case "branch.oid":
			s.head = value
		case "branch.head":
			s.branch = value
		}
	case "1": // XY sub mH mI mW hH hI path
		s.addPath(field, 8)
	case "u": // XY sub m1 m2 m3 mW h1 h2 h3 path
		s.addPath(field, 10)
	case "?":
		s.entries = append(s.entries, entry{line: field, path: rest, untracked: true})
	}
}

func (s *status) addPath(field string, column int) {
	if parts := strings.SplitN(field, " ", column+1); len(parts) == column+1 {
		s.entries = append(s.entries, entry{line: field, path: parts[column]})
	}
}
