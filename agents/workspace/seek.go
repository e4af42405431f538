package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"questboard/orchestration"
)

// Limits for a search in a tree. An agent wrote the tree, and waits for the answer.
const (
	seekTime  = 10 * time.Second
	seekFiles = 200_000   // files and folders that are listed
	seekNames = 32 << 20  // bytes of their paths
	seekBatch = 1000      // entries of a folder that are read at once
	seekBytes = 512 << 20 // of all reads, also of the same file
	seekFile  = 4 << 20   // a larger file is not searched for a test
	placeMax  = 64 << 20  // a place in a larger file is not looked for
)

// neverSought are folders that other people's code fills.
var neverSought = []string{".git", "node_modules", ".venv", "__pycache__"}

// errTooMuch ends a search that takes too long or reads too much.
var errTooMuch = errors.New("the search took too long or had to read too much, so name a test or a place in a smaller file")

// Seek looks in a working tree for the tests and places that evidence names. It reads
// only plain files within the tree: no link is followed, no pipe opened, no large file
// read. It returns one answer for each piece of evidence. For other kinds of evidence
// the answer says nothing.
func Seek(ctx context.Context, dir string, evidence []orchestration.Evidence) []orchestration.Sought {
	ctx, done := context.WithTimeout(ctx, seekTime)
	defer done()
	found := make([]orchestration.Sought, len(evidence))
	root, err := os.OpenRoot(dir)
	if err != nil {
		for i := range found {
			found[i].Why = "the tree cannot be read"
		}
		return found
	}
	defer root.Close()
	s := &seeker{root: root, dir: dir, ended: ctx.Err, left: seekBytes}
	var open []sought
	for i, e := range evidence {
		if s.spent() {
			found[i].Why = errTooMuch.Error()
			continue
		}
		switch e.Kind {
		case orchestration.ByPlace:
			found[i] = s.place(e.How)
		case orchestration.ByTest:
			file, names, ok := orchestration.TestOf(e.How)
			switch {
			case !ok:
				found[i].Why = "this is no name of a test"
			case file != "":
				found[i] = s.testIn(file, names)
			default:
				open = append(open, sought{i, names})
			}
		case orchestration.ByCommand, orchestration.Unproven:
		}
	}
	if len(open) > 0 {
		s.tests(open, found)
	}
	return found
}

// sought is a test without a file, and where its answer belongs.
type sought struct {
	at    int
	names []string
}

type seeker struct {
	root  *os.Root
	dir   string
	ended func() error // says that the time is over
	left  int64        // bytes that may still be read
}

// spent reports whether the search must end.
func (s *seeker) spent() bool { return s.left <= 0 || s.ended() != nil }

// sparing reads a file as long as the search may read.
type sparing struct {
	*seeker
	f *os.File
}

func (r sparing) Read(p []byte) (int, error) {
	if r.spent() {
		return 0, errTooMuch
	}
	n, err := r.f.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	return n, err
}

// place looks for a file and a line in it.
func (s *seeker) place(how string) orchestration.Sought {
	name, line, ok := orchestration.PlaceOf(how)
	if !ok {
		return orchestration.Sought{Why: "this is no file and line"}
	}
	name, why := s.local(name)
	if why != "" {
		return orchestration.Sought{Why: why}
	}
	f, why := s.open(name, placeMax)
	if why != "" {
		return orchestration.Sought{Why: why}
	}
	defer f.Close()
	n, err := linesUpTo(sparing{s, f}, line)
	switch {
	case errors.Is(err, errTooMuch):
		return orchestration.Sought{Why: err.Error()}
	case n < line:
		return orchestration.Sought{Why: fmt.Sprintf("%s has %d lines", quoted(name), n)}
	}
	return orchestration.Sought{Is: true}
}

// testIn looks for a test in the file that the evidence names.
func (s *seeker) testIn(name string, names []string) orchestration.Sought {
	name, why := s.local(name)
	if why != "" {
		return orchestration.Sought{Why: why}
	}
	f, why := s.open(name, seekFile)
	if why != "" {
		return orchestration.Sought{Why: why}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(sparing{s, f}, seekFile))
	switch {
	case err == nil && s.holdsAny(text, names):
		return orchestration.Sought{Is: true}
	case s.spent():
		return orchestration.Sought{Why: errTooMuch.Error()}
	}
	return orchestration.Sought{Why: quoted(name) + " does not have this name"}
}

// local returns a path within the tree. An agent may name it from the root of the disk.
func (s *seeker) local(name string) (within, why string) {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		if rest, err := filepath.Rel(s.dir, name); err == nil {
			name = rest
		}
	}
	if !filepath.IsLocal(name) {
		return "", quoted(name) + " is no path inside the tree"
	}
	return filepath.Clean(name), ""
}

// open opens a plain file of at most so many bytes.
func (s *seeker) open(name string, most int64) (f *os.File, why string) {
	if !present(s.root, name) {
		return nil, "there is no file " + quoted(name)
	}
	info, err := s.root.Lstat(name)
	switch {
	case err != nil:
		return nil, "there is no file " + quoted(name)
	case !info.Mode().IsRegular():
		return nil, quoted(name) + " is " + kindOf(info)
	case info.Size() > most:
		return nil, fmt.Sprintf("%s has %s, and files of up to %s are read", quoted(name), formatSize(info.Size()), formatSize(most))
	}
	f, err = s.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, quoted(name) + " cannot be read"
	}
	if now, err := f.Stat(); err != nil || !now.Mode().IsRegular() { // it was replaced meanwhile
		_ = f.Close()
		return nil, quoted(name) + " is no plain file"
	}
	return f, ""
}

// linesUpTo counts lines, at most about so many.
func linesUpTo(f io.Reader, most int) (n int, err error) {
	f = io.LimitReader(f, placeMax)
	part, within := make([]byte, 64<<10), false
	for n < most {
		got, err := f.Read(part)
		if got > 0 {
			n += bytes.Count(part[:got], []byte("\n"))
			within = part[got-1] != '\n'
		}
		if err != nil {
			if within { // the last line has no end
				n++
			}
			return n, err
		}
	}
	return n, nil
}

// tests searches the tree's files for the names of tests, first those that look like
// tests.
func (s *seeker) tests(open []sought, found []orchestration.Sought) {
	files, whole := s.files()
	for _, name := range files {
		if len(open) == 0 {
			return
		}
		if s.spent() {
			break
		}
		text := s.text(name)
		open = slices.DeleteFunc(open, func(w sought) bool {
			is := s.holdsAny(text, w.names)
			found[w.at].Is = is
			return is
		})
	}
	whole = whole && !s.spent()
	for _, w := range open {
		if found[w.at].Why = "no file has this name"; !whole {
			found[w.at].Why = "the tree is too large to search all of it, so put the file in front of the name, as in FILE::NAME"
		}
	}
}

// files lists the plain files that are searched, in the order of the search; whole is
// false if there are more. It reads a folder in parts, for one may have millions of
// entries.
func (s *seeker) files() (files []string, whole bool) {
	whole = true
	folders, listed, names := []string{"."}, 0, 0
	for len(folders) > 0 && whole {
		folder := folders[len(folders)-1]
		folders = folders[:len(folders)-1]
		whole = s.entries(folder, func(d fs.DirEntry) bool {
			if slices.Contains(neverSought, d.Name()) || !d.IsDir() && !d.Type().IsRegular() {
				return true
			}
			name := filepath.Join(folder, d.Name())
			if listed, names = listed+1, names+len(name); listed > seekFiles || names > seekNames {
				return false
			}
			if d.IsDir() {
				folders = append(folders, name)
			} else {
				files = append(files, name)
			}
			return true
		})
	}
	rank := func(name string) int {
		if lower := strings.ToLower(name); strings.Contains(lower, "test") || strings.Contains(lower, "spec") {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(files, func(a, b string) int { return rank(a) - rank(b) })
	return files, whole
}

// entries calls each with the entries of a folder until it says no. It reports whether
// those were all. A folder that is gone, or that nobody may read, has none.
func (s *seeker) entries(folder string, each func(fs.DirEntry) bool) (all bool) {
	f, err := s.root.OpenFile(folder, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return !s.spent()
	}
	defer f.Close()
	for !s.spent() {
		part, err := f.ReadDir(seekBatch)
		for _, d := range part {
			if !each(d) {
				return false
			}
		}
		if err != nil {
			return true
		}
	}
	return false
}

// text returns the content of a text file that is not too large, or nothing.
func (s *seeker) text(name string) []byte {
	f, why := s.open(name, seekFile)
	if why != "" {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(sparing{s, f}, seekFile))
	if err != nil || bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
		return nil
	}
	return text
}

// holdsAny reports whether a text has one of the words, and not only as a part of a
// longer one.
func (s *seeker) holdsAny(text []byte, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return s.holds(text, word) })
}

func (s *seeker) holds(text []byte, word string) bool {
	for from := 0; s.ended() == nil; {
		at := bytes.Index(text[from:], []byte(word))
		if at < 0 {
			return false
		}
		begin := from + at
		end := begin + len(word)
		before, _ := utf8.DecodeLastRune(text[:begin])
		after, _ := utf8.DecodeRune(text[end:])
		first, _ := utf8.DecodeRuneInString(word)
		last, _ := utf8.DecodeLastRuneInString(word)
		if goesOn := inWord(before) && inWord(first) || inWord(after) && inWord(last); !goesOn {
			return true
		}
		from = begin + 1
	}
	return false
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}
