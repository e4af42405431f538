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
	"strconv"
	"strings"
	"sync"
	"syscall"

	"questboard/agents/git"
)

// configMax is the largest repository configuration that is read. What people and git
// write there has some kilobytes.
const configMax = 1 << 20

// setting is one line of a configuration, as data.
type setting struct{ key, value string }

// settings are what we use of a repository's configuration and of the user's own. They
// name no program, except the user's own git-lfs.
type settings struct {
	format   string // object format: "" (SHA-1) or "sha256"
	carried  []setting
	remotes  []setting // of the repository: addresses, and which one a branch uses
	name     string
	email    string
	excludes string // the user's own list of what git ignores everywhere; a path
	lfs      []setting
	partial  bool // a partial clone: objects may be missing
	sparse   bool
	bare     bool // the common git directory has no files of its own, only linked worktrees
}

// carriedKeys say how files become objects and back on this machine and for this user.
// git in our directories must do the same as in the user's.
var carriedKeys = []string{
	"core.autocrlf", "core.eol", "core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode", "core.protecthfs",
	"core.protectntfs", "core.trustctime", "core.checkstat", "core.compression", "core.sparsecheckout", "core.sparsecheckoutcone",
}

// lfsKeys are those of git-lfs in the user's own configuration.
var lfsKeys = []string{"filter.lfs.clean", "filter.lfs.smudge", "filter.lfs.process", "filter.lfs.required"}

// Known extensions of a repository's format. We cannot know what others change.
var knownExtensions = []string{"objectformat", "worktreeconfig", "noop", "noop-v1", "partialclone", "preciousobjects", "relativeworktrees"}

// settingsOf reads the configuration of a folder's repository and of its user. Both are
// read as data: git parses them and obeys nothing.
func (g Git) settingsOf(ctx context.Context, f found, view string) (settings, error) {
	local, err := g.parsed(ctx, filepath.Join(f.common, "config"))
	if err != nil {
		return settings{}, err
	}
	var s settings
	for _, c := range local {
		if extension, ok := strings.CutPrefix(c.key, "extensions."); ok && !slices.Contains(knownExtensions, extension) {
			return s, odd("%s: Questboard does not know the extension %q (reftable is left by `git refs migrate --ref-format=files`)", f.top,
				extension)
		}
		switch {
		case c.key == "extensions.objectformat":
			s.format = strings.ToLower(c.value)
		case c.key == "extensions.partialclone", strings.HasPrefix(c.key, "remote.") && strings.HasSuffix(c.key, ".promisor"):
			s.partial = true
		case c.key == "core.bare":
			s.bare = isTrue(c.value)
		case c.key == "core.worktree" && f.gitdir == f.common && !same(relativeTo(f.common, c.value), f.top):
			return s, odd("core.worktree in %s says that the files are in %s: remove that line, or work with a clone",
				filepath.Join(f.common, "config"), c.value)
		}
	}
	if slices.ContainsFunc(local, func(c setting) bool { return c.key == "extensions.worktreeconfig" && c.value != "false" }) {
		own, err := g.parsed(ctx, filepath.Join(f.gitdir, "config.worktree"))
		if err != nil {
			return s, err
		}
		local = append(local, own...)
		shared, err := g.parsed(ctx, filepath.Join(f.common, "config.worktree")) // "git sparse-checkout" moves core.bare there
		if err != nil {
			return s, err
		}
		for _, c := range shared {
			if c.key == "core.bare" {
				s.bare = isTrue(c.value)
			}
		}
	}
	if s.format != "" && s.format != "sha1" && s.format != "sha256" {
		return s, odd("%s: Questboard does not know the object format %q", f.top, s.format)
	}
	users, err := g.usersSettings(ctx, f, view)
	if err != nil {
		return s, err
	}
	if name := g.foreign(f); name != "" && !declaredSafe(users, f.top) {
		return s, odd("%s belongs to another user of this machine; if you trust its owner: git config --global --add safe.directory %s", name,
			shellQuoted(f.top))
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
				s.sparse = isTrue(c.value)
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

// isTrue reads a boolean as git does. A key without a value is true.
func isTrue(value string) bool {
	return slices.Contains([]string{"", "true", "1", "yes", "on"}, strings.ToLower(value))
}

func hasSuffix(key string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(key, suffix) })
}

// parsed returns a configuration file as git reads it, without includes.
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
	out, _, err := g.Run(ctx, git.Command{Dir: "/", Limit: 4 * configMax, GitDir: none, Input: append(text, '\n'),
		Args: []string{"config", "--file", "-", "--no-includes", "--null", "--list"}})
	if err != nil {
		if !git.Exited(err) {
			return nil, err
		}
		return nil, odd("%s: %w", name, err)
	}
	return listed0(out), nil
}

// usersSettings returns the settings of the user and the machine. git gets the
// repository's own directory, for includeIf, but view, an empty one, as its common
// directory. So the conditions gitdir: and onbranch: work, and the repository's own
// settings are not read.
func (g Git) usersSettings(ctx context.Context, f found, view string) ([]setting, error) {
	out, _, err := g.Run(ctx, git.Command{Dir: "/", Limit: 4 * configMax, Users: true,
		GitDir: f.gitdir, Common: view, Args: []string{"config", "--includes", "--null", "--list"}})
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

// identity returns the author and committer of our commits: the user, or our own name
// if git knows none.
func (s settings) identity() []string {
	name, email := s.name, s.email
	if strings.Trim(name, ` .,:;<>"\'`) == "" || strings.Trim(email, ` .,:;<>"\'`) == "" {
		name, email = "Questboard", "questboard@localhost"
	}
	return []string{"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + email, "GIT_COMMITTER_NAME=" + name, "GIT_COMMITTER_EMAIL=" + email}
}

// keptSettings caches the settings of a repository and its user while the files they
// come from are unchanged. A file that the user's file includes is read again when the
// including file changes, or after a start.
var keptSettings = struct {
	sync.Mutex
	of map[string]struct {
		stamp string
		is    settings
	}
}{of: map[string]struct {
	stamp string
	is    settings
}{}}

// lately is settingsOf with a cache.
func (g Git) lately(ctx context.Context, f found, none string) (settings, error) {
	home, xdg := g.Variable("HOME"), g.Variable("XDG_CONFIG_HOME")
	global, system := g.Variable("GIT_CONFIG_GLOBAL"), g.Variable("GIT_CONFIG_SYSTEM")
	var stamp strings.Builder
	for _, name := range []string{filepath.Join(f.common, "config"), filepath.Join(f.gitdir, "config.worktree"),
		filepath.Join(f.common, "config.worktree"), filepath.Join(home, ".gitconfig"),
		filepath.Join(home, ".config/git/config"), filepath.Join(xdg, "git/config"), "/etc/gitconfig", global, system,
		filepath.Join(f.gitdir, "HEAD")} {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprintf(&stamp, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	key := strings.Join([]string{f.gitdir, home, global, system}, "\x00")
	keptSettings.Lock()
	kept, ok := keptSettings.of[key]
	keptSettings.Unlock()
	if ok && kept.stamp == stamp.String() {
		return kept.is, nil
	}
	s, err := g.settingsOf(ctx, f, none)
	if err != nil {
		return s, err
	}
	keptSettings.Lock()
	defer keptSettings.Unlock()
	kept.stamp, kept.is = stamp.String(), s
	keptSettings.of[key] = kept
	return s, nil
}

// foreign returns the part of a repository that belongs to another user of this
// machine, by git's rules: a user who may write there decides what git does here. A
// folder that everybody may write to, such as /tmp, may contain another user's .git
// above ours.
func (g Git) foreign(f found) string {
	mine := []int{os.Geteuid()}
	if mine[0] == 0 {
		if sudo, err := strconv.Atoi(g.Variable("SUDO_UID")); err == nil {
			mine = append(mine, sudo)
		}
	}
	for _, name := range []string{f.top, filepath.Join(f.top, ".git"), f.gitdir, f.common} {
		info, err := os.Lstat(name)
		if err != nil {
			continue // a missing file is reported where it is needed
		}
		owner, ok := info.Sys().(*syscall.Stat_t)
		if ok && int(owner.Uid) != mine[0] && int(owner.Uid) != mine[len(mine)-1] {
			return name
		}
	}
	return ""
}

// declaredSafe reports whether the user's own configuration allows another user's
// repository. An empty value revokes the earlier ones.
func declaredSafe(users []setting, top string) bool {
	safe := false
	for _, s := range users {
		if s.key != "safe.directory" {
			continue
		}
		within, isWithin := strings.CutSuffix(s.value, "/*")
		switch {
		case s.value == "":
			safe = false
		case s.value == "*", s.value == top, isWithin && strings.HasPrefix(top, within+"/"):
			safe = true
		}
	}
	return safe
}
