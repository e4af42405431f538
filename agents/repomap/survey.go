// Package repomap describes a repository for agents, so that they need not look for
// what the server can count: folders and their sizes, the largest files, where programs
// begin, where tests lie, which versions the build files ask for. A Survey counts files
// and writes the text; it is pure. Read fills one from the objects of a commit.
//
// Others wrote the names. The text is bounded, and no name can begin a line of it.
package repomap

import (
	"cmp"
	"slices"
	"strings"
)

// Unknown is the number of lines of a file that was not read. They are estimated from
// its size.
const Unknown = -1

// File is one file of a commit.
type File struct {
	Path  string // with slashes; any bytes but NUL
	Plain bool   // no link and no submodule
	Size  int64
	Lines int // of a source file; Unknown: it was not read
}

// Limits that keep a survey small, whatever a repository holds.
const (
	maxFolders = 200_000 // what lies in further ones counts for the folder above
	maxDepth   = 64
	maxKept    = 2_000 // helpers and folders of copied code that are told apart
)

// Survey counts the files of a commit. The zero value is ready.
type Survey struct {
	root    folder
	folders int
	crowded bool // maxFolders or maxDepth was reached

	files            int
	copied           map[string]int // folder: files
	generated        int
	code, texts      amount
	languages        map[string]*amount
	largest, heavy   best // by lines; not read, by bytes
	largestTexts     best
	entries, modules best
	notes, top       best           // documents for those who work here; files at the top
	helpers          map[string]int // folder or file: files
	testData         map[string]int
	stopped          bool

	at place // of the last file
	in *folder
}

// folder is a folder of the repository with the files in it, not below.
type folder struct {
	name        string
	inside      map[string]*folder
	files       int
	tests       int
	code, texts amount
}

// amount is a number of files, the lines of those that were read, and the bytes of both.
type amount struct {
	files, lines int
	read, unread int64 // bytes
}

func (a *amount) add(f File) {
	a.files++
	if f.Lines == Unknown {
		a.unread += max(f.Size, 0)
	} else {
		a.lines, a.read = a.lines+f.Lines, a.read+f.Size
	}
}

func (a amount) plus(b amount) amount {
	return amount{a.files + b.files, a.lines + b.lines, a.read + b.read, a.unread + b.unread}
}

// ranked is a path with a number, by which it is ranked.
type ranked struct {
	path string
	n    int64
}

// Add counts a file.
func (s *Survey) Add(f File) {
	base := s.enter(f.Path)
	if s.in == nil {
		s.in = s.folderOf(s.at.parts)
	}
	s.files++
	s.in.files++
	if len(s.at.parts) == 0 {
		s.top.add(ranked{f.Path, 0})
	}
	switch language := languageOf(base); {
	case s.at.copied != "":
		count(&s.copied, s.at.copied)
		return
	case notes[base]:
		s.notes.add(ranked{f.Path, -int64(len(s.at.parts))})
	case s.at.testData != "":
		count(&s.testData, s.at.testData)
	case language != "":
		if helper := s.at.helper(base, language); helper != "" {
			count(&s.helpers, helper)
		}
	}
	s.source(f, base)
}

// source counts a file if it is one of source.
func (s *Survey) source(f File, base string) {
	language := languageOf(base)
	switch {
	case language == "" || !f.Plain:
		return
	case generated(base):
		s.generated++
		return
	}
	if s.languages == nil {
		s.languages = map[string]*amount{}
	}
	if s.languages[language] == nil {
		s.languages[language] = &amount{}
	}
	s.languages[language].add(f)
	if prose[language] {
		s.in.texts.add(f)
		s.texts.add(f)
		if s.at.testData == "" && !notes[base] {
			s.largestTexts.add(ranked{f.Path, int64(f.Lines)})
		}
		return
	}
	s.in.code.add(f)
	s.code.add(f)
	switch {
	case s.at.isTest(base):
		s.in.tests++
		return
	case s.at.testData != "":
		return
	case s.at.isEntry(base):
		s.entries.add(ranked{f.Path, -int64(len(s.at.parts))})
	}
	if f.Lines == Unknown {
		s.heavy.add(ranked{f.Path, f.Size})
	} else {
		s.largest.add(ranked{f.Path, int64(f.Lines)})
	}
}

// enter turns to the folder of a path, and returns the name of the file.
func (s *Survey) enter(path string) (base string) {
	at := strings.LastIndexByte(path, '/') + 1
	if dir := path[:at]; dir != s.at.dir {
		s.at, s.in = placeOf(strings.Clone(dir)), nil
	}
	return path[at:]
}

// isSource reports whether the lines of a file count, by its path.
func (s *Survey) isSource(path string) bool {
	base := s.enter(path)
	return s.at.copied == "" && languageOf(base) != "" && !generated(base)
}

// isBuild reports whether a build file is worth reading: it is not the work of others,
// and no data of tests.
func (s *Survey) isBuild(path string) bool {
	_, known := buildFiles[s.enter(path)]
	return known && s.at.copied == "" && s.at.testData == ""
}

// Submodule notes a submodule, whose files are in another repository.
func (s *Survey) Submodule(path string) {
	s.modules.add(ranked{path, -int64(strings.Count(path, "/"))})
}

// Stopped notes that not all files were added.
func (s *Survey) Stopped() { s.stopped = true }

// folderOf returns the folder, made if there is room for it.
func (s *Survey) folderOf(parts []string) *folder {
	at := &s.root
	for depth, name := range parts {
		next := at.inside[name]
		if next == nil {
			if s.folders == maxFolders || depth == maxDepth {
				s.crowded = true
				return at
			}
			if at.inside == nil {
				at.inside = map[string]*folder{}
			}
			next = &folder{name: strings.Clone(name)}
			at.inside[next.name] = next
			s.folders++
		}
		at = next
	}
	return at
}

// split splits a path at its slashes; empty parts are left out.
func split(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(part string) bool { return part == "" })
}

func count(in *map[string]int, what string) {
	if *in == nil {
		*in = map[string]int{}
	}
	if _, known := (*in)[what]; known || len(*in) < maxKept {
		(*in)[strings.Clone(what)]++
	}
}

// best keeps the elements that rank first, and how many there were.
type best struct {
	kept []ranked
	seen int
}

// maxBest is how many elements are kept.
const maxBest = 40

func (b *best) add(r ranked) {
	b.seen++
	if len(b.kept) == maxBest && compare(r, b.kept[maxBest-1]) >= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(b.kept, r, compare)
	r.path = strings.Clone(r.path)
	b.kept = slices.Insert(b.kept, at, r)
	b.kept = b.kept[:min(len(b.kept), maxBest)]
}

// compare puts larger numbers first, and equal ones by path.
func compare(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.path, b.path))
}
