package redact

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"questboard/patience"
)

// Limits of what is read of a repository to know its secrets. Files with a plain name are
// always looked for. The limits apply to others, such as .env.local.
const (
	largestFile    = 64 << 10
	mostFiles      = 40
	mostEntries    = 400 // of one folder
	mostFolders    = 60
	mostPlain      = 1000
	mostSecrets    = 2000
	mostRemembered = 64 // repositories
)

// files knows the secrets in files of repositories. What it says of a folder is made again if
// what was found there has changed.
type files struct {
	looks *looks

	mu    sync.Mutex // never held while a file is read
	known map[string]remembered
	// also is the redactor that Also returned last, and alsoOf for which secrets.
	also   *Redactor
	alsoOf []string
}

type remembered struct {
	of       *looked
	redactor *Redactor
}

func newFiles(l *looks) *files { return &files{looks: l, known: map[string]remembered{}} }

// In returns a redactor that also knows the secrets in files called .env or credentials,
// in the folder of a repository and in the folders directly below it, and the passwords of its
// remotes. If the folder does not answer within two seconds, or ctx ends, it returns one that
// shows nothing.
func (r *Redactor) In(ctx context.Context, dir string) *Redactor {
	if dir == "" {
		return r
	}
	now, err := r.files.looks.at(ctx, dir)
	if err != nil {
		blind := *r
		blind.blind = true
		return &blind
	}
	if len(now.values) == 0 {
		return r
	}
	r.files.mu.Lock()
	defer r.files.mu.Unlock()
	if was, ok := r.files.known[dir]; ok && was.of == now {
		return was.redactor
	}
	if len(r.files.known) >= mostRemembered {
		clear(r.files.known)
	}
	wider := r.with(now.values)
	r.files.known[dir] = remembered{now, wider}
	return wider
}

// lookWait is how long a text waits for the files of a repository.
const lookWait = 2 * time.Second

// looks reads the files of repositories: one look at a time at each, because a folder on a network
// that is away holds who opens it. It reads a repository's files again if a size or a time has
// changed.
type looks struct {
	calls patience.Calls

	mu   sync.Mutex // never held while a file is read
	last map[string]*looked
}

// looked is what a look has found.
type looked struct {
	seen   []sight
	values []string
}

// sight has what changes when a file changes.
type sight struct {
	name string
	size int64
	at   time.Time
}

func (l *looks) at(ctx context.Context, dir string) (*looked, error) {
	return patience.Wait(ctx, &l.calls, dir, lookWait, func() (*looked, error) {
		l.mu.Lock()
		was := l.last[dir]
		l.mu.Unlock()
		now, err := read(dir, was)
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if len(l.last) >= mostRemembered {
			clear(l.last)
		}
		l.last[dir] = now
		return now, nil
	})
}

// read returns was if nothing has changed since.
func read(dir string, was *looked) (*looked, error) {
	root, err := os.OpenRoot(dir)
	switch {
	case gone(err):
		return &looked{}, nil // and its secrets too
	case err != nil:
		return nil, err
	}
	defer func() { _ = root.Close() }()
	now := &looked{seen: look(root)}
	if was != nil && slices.Equal(was.seen, now.seen) {
		return was, nil
	}
	for _, file := range now.seen {
		of := secretsOfLine
		if file.name == gitConfig {
			of = secretsOf
		}
		now.values = append(now.values, valuesIn(contentOf(root, file.name), of)...)
	}
	now.values = now.values[:min(len(now.values), mostSecrets)]
	return now, nil
}

// gone reports whether an error says that there is nothing that this server, or an agent of it,
// could read. A disk that fails is not gone.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR)
}

// plainNames are the usual names of files with secrets.
var plainNames = []string{".env", ".envrc", "credentials"}

// gitConfig has the addresses of the remotes, which may contain a password.
const gitConfig = ".git/config"

// look finds the files with secrets and opens none. Files with a plain name come first,
// then others.
func look(root *os.Root) []sight {
	folders := []string{"."}
	for _, e := range entries(root, ".", -1) {
		if e.IsDir() && e.Name() != ".git" && e.Name() != "node_modules" {
			folders = append(folders, e.Name())
		}
	}
	var found []sight
	if info, err := root.Lstat(gitConfig); err == nil && info.Mode().IsRegular() {
		found = append(found, sight{gitConfig, info.Size(), info.ModTime()})
	}
	for _, folder := range folders {
		for _, name := range plainNames {
			name = path.Join(folder, name)
			if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() && len(found) < mostPlain {
				found = append(found, sight{name, info.Size(), info.ModTime()})
			}
		}
	}
	most := len(found) + mostFiles
	for _, folder := range folders[:min(len(folders), mostFolders)] {
		for _, e := range entries(root, folder, mostEntries) {
			if len(found) >= most || !e.Type().IsRegular() || !holdsSecrets(e.Name()) || slices.Contains(plainNames, e.Name()) {
				continue
			}
			if info, err := e.Info(); err == nil {
				found = append(found, sight{path.Join(folder, e.Name()), info.Size(), info.ModTime()})
			}
		}
	}
	return found
}

// entries lists at most so many entries of a folder. A folder that cannot be read has
// none.
func entries(root *os.Root, name string, most int) []fs.DirEntry {
	dir, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	list, _ := dir.ReadDir(most)
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
// pipe.
func contentOf(root *os.Root, name string) string {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, _ := io.ReadAll(io.LimitReader(file, largestFile))
	return string(text)
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
