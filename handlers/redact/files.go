package redact

import (
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
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

// files knows the secrets in files of repositories. It reads a repository's files again
// if a size or a time has changed.
type files struct {
	mu    sync.Mutex
	known map[string]remembered // by folder
	// also is the redactor that Also returned last, and alsoOf for which secrets.
	also   *Redactor
	alsoOf []string
}

type remembered struct {
	seen     []sight
	redactor *Redactor
}

// sight has what changes when a file changes.
type sight struct {
	name string
	size int64
	at   time.Time
}

func newFiles() *files { return &files{known: map[string]remembered{}} }

// In returns a redactor that also knows the secrets in files called .env or credentials,
// in the folder of a repository and in the folders directly below it, and the passwords of its
// remotes.
func (r *Redactor) In(dir string) *Redactor {
	if dir == "" {
		return r
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return r // the folder is gone, and its secrets too
	}
	defer func() { _ = root.Close() }()
	seen := look(root)
	r.files.mu.Lock()
	defer r.files.mu.Unlock()
	if was, ok := r.files.known[dir]; ok && slices.Equal(was.seen, seen) {
		return was.redactor
	}
	if len(r.files.known) >= mostRemembered {
		clear(r.files.known)
	}
	now := remembered{seen, r}
	var values []string
	for _, file := range seen {
		of := secretsOfLine
		if file.name == gitConfig {
			of = secretsOf
		}
		values = append(values, valuesIn(contentOf(root, file.name), of)...)
	}
	if len(values) > 0 {
		now.redactor = r.with(values[:min(len(values), mostSecrets)])
	}
	r.files.known[dir] = now
	return now.redactor
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
