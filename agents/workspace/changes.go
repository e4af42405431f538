package workspace

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"questboard/agents/git"
)

// ChangesMax is the most that Changes returns, in bytes.
const ChangesMax = 64 << 10

const changesCut = "\n[cut here: there are more changes; see git status and git diff]\n"

// Changes describes what is not committed yet, for the prompt of a run that
// goes on with another's work: the list of changed files, the untracked ones,
// and the diff, at most ChangesMax bytes, cut with a mark. Empty: nothing is
// changed. Outside a git repository it says so. Odd names are quoted as git does.
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

// diff returns summary and diff of the tracked files against HEAD; before the
// first commit, of what is staged.
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

// quoted keeps a name on one line and its end visible.
func quoted(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) || r == '"' || r == utf8.RuneError }) {
		return strconv.Quote(name)
	}
	return name
}

// cutTo cuts s between runes so that it fits with the mark.
func cutTo(s string, limit int, mark string) string {
	if len(s) <= limit {
		return s
	}
	end := limit - len(mark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}
