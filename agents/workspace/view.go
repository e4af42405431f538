package workspace

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents/git"
)

// A view is a folder of ours that git uses instead of the common part of a git
// directory (GIT_COMMON_DIR). It has a configuration, excludes and attributes that we
// wrote, no hooks, and links to the refs and objects of that git directory. A git with
// a view reads no other configuration.
//
// Below Git.Dir every quest has a folder with two parts: "trees", the git directory
// that the quest's worktrees name, and "ours", our view of it. The folder "_users" has
// the views of the users' repositories. No tree names a view, and no sandbox shows one
// to an agent.
const (
	treesDir = "trees"
	oursView = "ours"
	usersDir = "_users"
)

// viewed lists the parts of a git directory that a view links to.
var viewed = []string{"refs", "packed-refs", "objects", "logs", "shallow"}

// Git asks git about folders. It is safe for concurrent use.
type Git struct {
	git.Runner
	// Dir is our folder for git directories and their settings: absolute, <data>/git.
	Dir string
}

// home returns Git.Dir without links, and makes it if needed.
func (g Git) home() (string, error) {
	if !filepath.IsAbs(g.Dir) {
		return "", fmt.Errorf("the folder for git directories, %q: %w", g.Dir, ErrName)
	}
	if err := os.MkdirAll(g.Dir, 0o700); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(g.Dir)
}

// viewOf returns our folder for the view of a user's git directory.
func (g Git) viewOf(common string) (string, error) {
	dir, err := g.home()
	if err != nil {
		return "", err
	}
	name := sha256.Sum256([]byte(common))
	return filepath.Join(dir, usersDir, hex.EncodeToString(name[:12])), nil
}

// plainView returns an empty git directory, for commands that need no repository.
func (g Git) plainView() (string, error) {
	dir, err := g.home()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "_none")
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err == nil {
		return dir, nil
	}
	return dir, makeGitDir(dir, "[core]\n\trepositoryformatversion = 0\n\tbare = true\n", "refs/heads/none")
}

// makeGitDir makes an empty bare git directory, or completes one that a kill left half
// made.
func makeGitDir(dir, config, branch string) error {
	for _, name := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "worktrees"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			return err
		}
	}
	if err := writeIfChanged(filepath.Join(dir, "config"), []byte(config)); err != nil {
		return err
	}
	return writeIfChanged(filepath.Join(dir, "HEAD"), []byte("ref: "+branch+"\n")) // last: it shows that the rest is complete
}

// makeView makes the view of a git directory.
func (g Git) makeView(dir, of string, s settings, f found) error {
	exclude, err := textIn(f.common, "info/exclude")
	if err != nil {
		return err
	}
	attributes, err := textIn(f.common, "info/attributes")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "info"), 0o700); err != nil {
		return err
	}
	for _, name := range viewed {
		if _, err := os.Lstat(filepath.Join(of, name)); err != nil && name != "packed-refs" { // git makes packed-refs when it needs it
			_ = os.Remove(filepath.Join(dir, name))
			continue
		}
		if err := ensureLink(filepath.Join(dir, name), filepath.Join(of, name)); err != nil {
			return err
		}
	}
	if err := linkLFS(dir, f.common); err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		text []byte
	}{{"config", []byte(viewConfig(s, dir, of))}, {"info/exclude", exclude}, {"info/attributes", attributes}, {"excludes", g.usersExcludes(s)},
		{"HEAD", []byte("ref: refs/heads/none\n")}} {
		if err := writeIfChanged(filepath.Join(dir, file.name), file.text); err != nil {
			return err
		}
	}
	return nil
}

// viewConfig returns the configuration of a view.
func viewConfig(s settings, dir, of string) string {
	version := "0"
	var format []setting
	if s.format == "sha256" {
		version, format = "1", []setting{{"extensions.objectformat", s.format}}
	}
	_, err := os.Lstat(filepath.Join(of, "logs"))
	logs := err == nil
	all := slices.Concat([]setting{{"core.repositoryformatversion", version}, {"core.bare", "false"},
		{"core.excludesfile", filepath.Join(dir, "excludes")}, {"core.attributesfile", os.DevNull}, {"core.hookspath", os.DevNull},
		{"core.logallrefupdates", fmt.Sprint(logs)}}, format, s.carried)
	return configText(all)
}

// configText formats settings as a configuration file.
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

// usersExcludes returns the user's own list of ignored files.
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

// linkLFS gives our git directory the files that git-lfs keeps in the user's. If the user had none,
// git-lfs may have made a folder there, and what is in it is nowhere else: then it stays.
func linkLFS(dir, users string) error {
	at, kept := filepath.Join(dir, "lfs"), filepath.Join(users, "lfs")
	if info, err := os.Lstat(at); err == nil && info.IsDir() && os.Remove(at) != nil {
		return nil
	}
	if info, err := os.Lstat(kept); err != nil || !info.IsDir() {
		return ignoreGone(os.Remove(at))
	}
	return ensureLink(at, kept)
}

// textIn returns a small plain file of a git directory, or nothing.
func textIn(dir, name string) ([]byte, error) {
	f, err := openPlain(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		if ignoreGone(err) == nil {
			return nil, nil
		}
		return nil, odd("%w", err)
	}
	defer f.Close()
	text, err := readAtMost(f, configMax)
	if err != nil {
		return nil, odd("%s: %w", f.Name(), err)
	}
	return text, nil
}

// writeIfChanged writes a complete file unless it already has that content.
func writeIfChanged(name string, content []byte) error {
	if is, err := readPlain(name); err == nil && bytes.Equal(is, content) {
		return nil
	}
	temporary, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".new-*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(content)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), name)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
	}
	return err
}

// ensureLink makes a symbolic link, or corrects one.
func ensureLink(name, target string) error {
	if is, err := os.Readlink(name); err == nil && is == target {
		return nil
	}
	temporary := name + ".new-" + rand.Text() // others may do the same at the same time
	if err := os.Symlink(target, temporary); err != nil {
		return err
	}
	return os.Rename(temporary, name)
}
