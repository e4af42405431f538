package workspace

import (
	"bufio"
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
	seekFiles = 200_000
	seekBytes = 512 << 20 // of all files that are read
	seekFile  = 4 << 20   // a larger file is not searched for a test
	placeMax  = 64 << 20  // a place in a larger file is not looked for
)

// neverSought are folders that other people's code fills.
var neverSought = []string{".git", "node_modules", ".venv", "__pycache__"}

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
	s := seeker{root: root, dir: dir}
	var open []sought
	for i, e := range evidence {
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
		s.tests(ctx, open, found)
	}
	return found
}

// sought is a test without a file, and where its answer belongs.
type sought struct {
	at    int
	names []string
}

type seeker struct {
	root *os.Root
	dir  string
}

// place looks for a file and a line in it.
func (s seeker) place(how string) orchestration.Sought {
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
	if n := linesUpTo(f, line); n < line {
		return orchestration.Sought{Why: fmt.Sprintf("%s has %d lines", quoted(name), n)}
	}
	return orchestration.Sought{Is: true}
}

// testIn looks for a test in the file that the evidence names.
func (s seeker) testIn(name string, names []string) orchestration.Sought {
	name, why := s.local(name)
	if why != "" {
		return orchestration.Sought{Why: why}
	}
	f, why := s.open(name, seekFile)
	if why != "" {
		return orchestration.Sought{Why: why}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, seekFile))
	if err != nil || !slices.ContainsFunc(names, func(n string) bool { return holdsWord(text, n) }) {
		return orchestration.Sought{Why: quoted(name) + " does not have this name"}
	}
	return orchestration.Sought{Is: true}
}

// local returns a path within the tree. An agent may name it from the root of the disk.
func (s seeker) local(name string) (within, why string) {
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
func (s seeker) open(name string, most int64) (f *os.File, why string) {
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

// linesUpTo counts lines, at most so many.
func linesUpTo(f io.Reader, most int) int {
	in := bufio.NewReader(io.LimitReader(f, placeMax))
	n, within := 0, false
	for n < most {
		part, err := in.ReadSlice('\n')
		switch {
		case err == nil:
			n, within = n+1, false
		case errors.Is(err, bufio.ErrBufferFull):
			within = true
		default:
			if len(part) > 0 || within { // the last line has no end
				n++
			}
			return n
		}
	}
	return n
}

// tests searches the tree's files for the names of tests, first those that look like
// tests.
func (s seeker) tests(ctx context.Context, open []sought, found []orchestration.Sought) {
	files, whole := s.files(ctx)
	left := int64(seekBytes)
	for _, name := range files {
		if len(open) == 0 {
			return
		}
		if ctx.Err() != nil || left <= 0 {
			whole = false
			break
		}
		text := s.text(name)
		left -= int64(len(text))
		open = slices.DeleteFunc(open, func(w sought) bool {
			is := slices.ContainsFunc(w.names, func(n string) bool { return holdsWord(text, n) })
			found[w.at].Is = is
			return is
		})
	}
	for _, w := range open {
		if found[w.at].Why = "no file has this name"; !whole {
			found[w.at].Why = "the tree is too large to search all of it, so put the file in front of the name, as in FILE::NAME"
		}
	}
}

// files lists the plain files that are searched, in the order of the search; whole is
// false if there are more.
func (s seeker) files(ctx context.Context) (files []string, whole bool) {
	whole = true
	_ = fs.WalkDir(s.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil, len(files) >= seekFiles:
			whole = false
			return fs.SkipAll
		case err != nil: // it is gone, or nobody may read it
			return nil
		case slices.Contains(neverSought, d.Name()):
			return skipped(d)
		case d.Type().IsRegular():
			files = append(files, name)
		}
		return nil
	})
	rank := func(name string) int {
		if lower := strings.ToLower(name); strings.Contains(lower, "test") || strings.Contains(lower, "spec") {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(files, func(a, b string) int { return rank(a) - rank(b) })
	return files, whole
}

// text returns the content of a text file that is not too large, or nothing.
func (s seeker) text(name string) []byte {
	f, why := s.open(name, seekFile)
	if why != "" {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, seekFile))
	if err != nil || bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
		return nil
	}
	return text
}

// holdsWord reports whether a text has the word, and not only as a part of a longer one.
func holdsWord(text []byte, word string) bool {
	for from := 0; ; {
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
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}
