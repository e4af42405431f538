package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents/git"
)

// configMax is the largest configuration of a repository that is read. What
// people and git write there has some kilobytes.
const configMax = 1 << 20

// setting is one line of a configuration, as data.
type setting struct{ key, value string }

// settings are what we take over of a repository's configuration and of the
// user's own. Nothing in them names a program, but for the user's own git-lfs.
type settings struct {
	format   string // of objects: "" (SHA-1) or "sha256"
	carried  []setting
	remotes  []setting // of the repository: addresses, and which one a branch uses
	name     string
	email    string
	excludes string // the user's own list of what git ignores everywhere; a path
	lfs      []setting
	partial  bool // a partial clone: objects may be missing
	sparse   bool
}

// carriedKeys say how files become objects and back, on this machine and for
// this user: git in our directories must do as git in the user's.
var carriedKeys = []string{
	"core.autocrlf", "core.eol", "core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode", "core.protecthfs",
	"core.protectntfs", "core.trustctime", "core.checkstat", "core.compression", "core.sparsecheckout", "core.sparsecheckoutcone",
}

// lfsKeys are those of git-lfs in the user's own configuration.
var lfsKeys = []string{"filter.lfs.clean", "filter.lfs.smudge", "filter.lfs.process", "filter.lfs.required"}

// known extensions of a repository's format; of others we cannot know what
// they change.
var knownExtensions = []string{"objectformat", "worktreeconfig", "noop", "noop-v1", "partialclone", "preciousobjects", "relativeworktrees"}

// settingsOf reads what the repository of a folder and its user have
// configured. Both are read as data: git parses them and heeds nothing.
func (g Git) settingsOf(ctx context.Context, f found, view string) (settings, error) {
	local, err := g.parsed(ctx, filepath.Join(f.common, "config"))
	if err != nil {
		return settings{}, err
	}
	var s settings
	for _, c := range local {
		if extension, ok := strings.CutPrefix(c.key, "extensions."); ok && !slices.Contains(knownExtensions, extension) {
			return s, odd("%s: Questboard does not know the extension %q (reftable is left by `git refs migrate --ref-format=files`)", f.top, extension)
		}
		switch {
		case c.key == "extensions.objectformat":
			s.format = strings.ToLower(c.value)
		case c.key == "extensions.partialclone", strings.HasPrefix(c.key, "remote.") && strings.HasSuffix(c.key, ".promisor"):
			s.partial = true
		case c.key == "core.worktree" && f.gitdir == f.common && !same(relativeTo(f.common, c.value), f.top):
			return s, odd("core.worktree in %s says that the files are in %s: remove that line, or work with a clone", filepath.Join(f.common, "config"), c.value)
		}
	}
	if slices.ContainsFunc(local, func(c setting) bool { return c.key == "extensions.worktreeconfig" && c.value != "false" }) {
		own, err := g.parsed(ctx, filepath.Join(f.gitdir, "config.worktree"))
		if err != nil {
			return s, err
		}
		local = append(local, own...)
	}
	if s.format != "" && s.format != "sha1" && s.format != "sha256" {
		return s, odd("%s: Questboard does not know the object format %q", f.top, s.format)
	}
	users, err := g.usersSettings(ctx, f, view)
	if err != nil {
		return s, err
	}
	if name := g.foreign(f); name != "" && !declaredSafe(users, f.top) {
		return s, odd("%s belongs to another user of this machine; if you trust its owner: git config --global --add safe.directory %s", name, shellQuoted(f.top))
	}
	s.take(users, true)
	s.take(local, false)
	return s, nil
}

func relativeTo(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// take adds settings; later ones win.
func (s *settings) take(all []setting, users bool) {
	for _, c := range all {
		switch {
		case slices.Contains(carriedKeys, c.key):
			s.carried = append(slices.DeleteFunc(s.carried, func(old setting) bool { return old.key == c.key }), c)
			if c.key == "core.sparsecheckout" {
				s.sparse = c.value == "" || strings.EqualFold(c.value, "true") || c.value == "1" || strings.EqualFold(c.value, "yes") || strings.EqualFold(c.value, "on")
			}
		case c.key == "user.name":
			s.name = c.value
		case c.key == "user.email":
			s.email = c.value
		case users && c.key == "core.excludesfile":
			s.excludes = c.value
		case users && slices.Contains(lfsKeys, c.key):
			s.lfs = append(s.lfs, c)
		case !users && (strings.HasPrefix(c.key, "remote.") && hasSuffix(c.key, ".url", ".pushurl", ".fetch") ||
			strings.HasPrefix(c.key, "branch.") && hasSuffix(c.key, ".remote", ".merge")):
			s.remotes = append(s.remotes, c)
		}
	}
}

func hasSuffix(key string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(key, suffix) })
}

// parsed is a configuration file as git reads it, includes left out.
func (g Git) parsed(ctx context.Context, name string) ([]setting, error) {
	none, err := g.plainView()
	if err != nil {
		return nil, err
	}
	f, err := openPlain(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, odd("%w", err)
	}
	defer f.Close()
	text, err := readAtMost(f, configMax)
	if err != nil {
		return nil, odd("%s: %w", name, err)
	}
	out, _, err := g.Run(ctx, git.Command{Dir: "/", Limit: 4 * configMax, Env: []string{"GIT_DIR=" + none}, Input: append(text, '\n'), Args: []string{"config", "--file", "-", "--no-includes", "--null", "--list"}})
	if err != nil {
		if !git.Exited(err) {
			return nil, err
		}
		return nil, odd("%s: %w", name, err)
	}
	return listed0(out), nil
}

// usersSettings are those of the user and the machine. An includeIf of theirs
// sees where the repository is, and nothing of what stands in it.
func (g Git) usersSettings(ctx context.Context, f found, view string) ([]setting, error) {
	out, _, err := g.Run(ctx, git.Command{Dir: "/", Limit: 4 * configMax, Users: true,
		Env: []string{"GIT_DIR=" + f.gitdir, "GIT_COMMON_DIR=" + view}, Args: []string{"config", "--includes", "--null", "--list"}})
	if err != nil {
		return nil, fmt.Errorf("read your git configuration: %w", err)
	}
	return listed0(out), nil
}

// listed0 splits what "git config --null --list" prints.
func listed0(out []byte) []setting {
	var all []setting
	for field := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		key, value, _ := strings.Cut(string(field), "\n")
		if key != "" {
			all = append(all, setting{key, value})
		}
	}
	return all
}

// identity are the author and committer of our commits: the user, or us where
// git knows none.
func (s settings) identity() []string {
	name, email := s.name, s.email
	if strings.Trim(name, ` .,:;<>"\'`) == "" || strings.Trim(email, ` .,:;<>"\'`) == "" {
		name, email = "Questboard", "questboard@localhost"
	}
	return []string{"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + email, "GIT_COMMITTER_NAME=" + name, "GIT_COMMITTER_EMAIL=" + email}
}

// text words settings as a configuration file.
func configText(all []setting) string {
	var b strings.Builder
	for _, c := range all {
		section, key := c.key, ""
		if at := strings.LastIndexByte(section, '.'); at >= 0 {
			section, key = section[:at], section[at+1:]
		}
		name, sub, is := strings.Cut(section, ".")
		if is {
			fmt.Fprintf(&b, "[%s %s]\n\t%s = %s\n", name, configQuoted(sub), key, configQuoted(c.value))
		} else {
			fmt.Fprintf(&b, "[%s]\n\t%s = %s\n", name, key, configQuoted(c.value))
		}
	}
	return b.String()
}

// configQuoted quotes a value as git reads it.
func configQuoted(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`).Replace(value) + `"`
}

// usersExcludes is the text of the user's own list of ignored files.
func (g Git) usersExcludes(s settings) []byte {
	home, xdg := g.Variable("HOME"), g.Variable("XDG_CONFIG_HOME")
	path := s.excludes
	switch {
	case strings.HasPrefix(path, "~/"):
		path = filepath.Join(home, path[2:])
	case path == "" && xdg != "":
		path = filepath.Join(xdg, "git", "ignore")
	case path == "" && home != "":
		path = filepath.Join(home, ".config", "git", "ignore")
	}
	if !filepath.IsAbs(path) {
		return nil
	}
	file, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0) // the user's own: it may be a link
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, _ := readAtMost(file, configMax)
	return text
}
