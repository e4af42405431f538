package redact

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Limits of what is read of a repository to know its secrets. Files with a plain name are
// always looked for. The limits apply to others, such as .env.local.
const (
	largestFile = 64 << 10
	mostFiles   = 40
	mostEntries = 400 // of one folder
	mostFolders = 60
	mostPlain   = 1000
	mostSecrets = 2000 // of one folder and those directly below it
)

// plainNames are the usual names of files with secrets.
var plainNames = []string{".env", ".envrc", "credentials"}

// gitConfigs have the addresses of the remotes, which may contain a password.
var gitConfigs = []string{"config", "config.worktree"}

// visit is one look at the folders that have secrets of a repository.
type visit struct {
	places []place
	fault  error // something could not be read that may have secrets
}

// place is one of the folders, and what was seen in it and directly below it.
type place struct {
	dir  string
	git  bool // a git directory
	root *os.Root
	seen []sight
}

// sight has what changes when a file changes.
type sight struct {
	dir, name string
	size      int64
	at        time.Time
}

// read reads the secrets of a repository. It returns was if nothing has changed since.
func read(dir string, was *looked) (*looked, error) {
	var v visit
	defer v.leave()
	v.walk(dir)
	now := &looked{}
	for _, p := range v.places {
		now.seen = append(now.seen, p.seen...)
	}
	if v.fault == nil && was != nil && slices.Equal(was.seen, now.seen) {
		return was, nil
	}
	for _, p := range v.places {
		of := secretsOfLine
		if p.git {
			of = secretsOf
		}
		var values []string
		for _, file := range p.seen {
			text, err := contentOf(p.root, file.name)
			v.misses(err)
			values = append(values, valuesIn(text, of)...)
		}
		now.values = append(now.values, values[:min(len(values), mostSecrets)]...)
	}
	return now, v.fault
}

// harmless are the errors for what has no secrets: what is not there, or is no file and no folder.
// And what this server may not read, no agent has read.
var harmless = []error{fs.ErrNotExist, fs.ErrPermission, io.EOF, syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP, syscall.EINVAL,
	syscall.ENAMETOOLONG, syscall.ENXIO, syscall.ENODEV}

// misses reports whether there was an error. Unless that is harmless, there may be secrets that
// were not seen: a disk fails, for example, or there are too many open files.
func (v *visit) misses(err error) bool {
	if err != nil && !slices.ContainsFunc(harmless, func(one error) bool { return errors.Is(err, one) }) {
		v.fault = err
	}
	return err != nil
}

func (v *visit) leave() {
	for _, p := range v.places {
		_ = p.root.Close()
	}
}

// walk looks into the git directories and then into the folders from dir up to the top of its
// checkout.
func (v *visit) walk(dir string) {
	real, err := filepath.EvalSymlinks(dir)
	if v.misses(err) {
		return
	}
	way := []string{real}
	for top := real; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); !v.misses(err) {
			v.enterGit(filepath.Join(top, ".git"))
			break
		}
		if top == filepath.Dir(top) {
			way = way[:1] // there is no checkout
			break
		}
		way = append(way, filepath.Dir(top))
	}
	for _, folder := range way {
		v.enter(folder, false)
	}
}

// enterGit looks into the git directory of a checkout, and into the one that it shares with others.
// A linked worktree or a submodule has a file in its place, which names it.
func (v *visit) enterGit(dir string) {
	if named, is := strings.CutPrefix(v.line(dir), "gitdir:"); is {
		dir = against(filepath.Dir(dir), strings.TrimSpace(named))
	}
	v.enter(dir, true)
	if common := v.line(filepath.Join(dir, "commondir")); common != "" {
		v.enter(against(dir, common), true)
	}
}

// line returns the text of a file that names a folder.
func (v *visit) line(name string) string {
	root, err := os.OpenRoot(filepath.Dir(name) + solid)
	if v.misses(err) {
		return ""
	}
	defer func() { _ = root.Close() }()
	text, err := contentOf(root, filepath.Base(name))
	v.misses(err)
	return strings.TrimSpace(text)
}

// solid, after the name of a folder that a repository names, opens no pipe: it would wait.
const solid = "/."

// against returns a path that is relative to a folder.
func against(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// enter sees the files with secrets in a folder.
func (v *visit) enter(dir string, git bool) {
	open := dir
	if git {
		open += solid
	}
	root, err := os.OpenRoot(open)
	if v.misses(err) {
		return
	}
	v.places = append(v.places, place{dir: dir, git: git, root: root})
	p := &v.places[len(v.places)-1]
	if git {
		for _, name := range gitConfigs {
			v.see(p, name)
		}
		return
	}
	v.look(p)
}

// see notes a plain file, if there is one.
func (v *visit) see(p *place, name string) {
	if info, err := p.root.Lstat(name); !v.misses(err) && info.Mode().IsRegular() {
		p.seen = append(p.seen, sight{p.dir, name, info.Size(), info.ModTime()})
	}
}

// look finds the files with secrets and opens none. Files with a plain name come first,
// then others.
func (v *visit) look(p *place) {
	folders := []string{"."}
	for _, e := range v.entries(p.root, ".", -1) {
		if e.IsDir() && e.Name() != ".git" && e.Name() != "node_modules" {
			folders = append(folders, e.Name())
		}
	}
	for _, folder := range folders {
		for _, name := range plainNames {
			if len(p.seen) < mostPlain {
				v.see(p, path.Join(folder, name))
			}
		}
	}
	most := len(p.seen) + mostFiles
	for _, folder := range folders[:min(len(folders), mostFolders)] {
		for _, e := range v.entries(p.root, folder, mostEntries) {
			if len(p.seen) < most && e.Type().IsRegular() && holdsSecrets(e.Name()) && !slices.Contains(plainNames, e.Name()) {
				v.see(p, path.Join(folder, e.Name()))
			}
		}
	}
}

// entries lists at most so many entries of a folder. A folder that cannot be read has
// none.
func (v *visit) entries(root *os.Root, name string, most int) []fs.DirEntry {
	dir, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
	if v.misses(err) {
		return nil
	}
	defer func() { _ = dir.Close() }()
	list, err := dir.ReadDir(most)
	v.misses(err)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

// holdsSecrets reports whether the name is that of a file with secrets.
func holdsSecrets(name string) bool {
	for _, example := range []string{"example", "sample", "template", "dist", "schema"} {
		if strings.HasSuffix(name, "."+example) {
			return false
		}
	}
	return name == ".env" || strings.HasPrefix(name, ".env.") || strings.HasSuffix(name, ".env") || name == "credentials" || name == ".envrc"
}

// contentOf reads a regular file. It follows no symbolic link and does not wait for a
// pipe. What is no such file has no content.
func contentOf(root *os.Root, name string) (string, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(file, largestFile))
	return string(text), err
}

// valuesIn returns the secrets in a file with lines NAME=value. of judges a line.
func valuesIn(text string, of func(name, value string) []string) []string {
	var values []string
	for line := range strings.Lines(text) {
		name, value, is := strings.Cut(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "export ")), "=")
		if !is || strings.HasPrefix(name, "#") {
			continue
		}
		value = strings.TrimSpace(value)
		if len(value) > 1 && strings.IndexByte(`"'`, value[0]) >= 0 {
			if end := strings.IndexByte(value[1:], value[0]); end >= 0 {
				value = value[1 : end+1]
			}
		} else if before, _, cut := strings.Cut(value, " #"); cut {
			value = strings.TrimSpace(before)
		}
		values = append(values, of(strings.TrimSpace(name), value)...)
	}
	return values
}
