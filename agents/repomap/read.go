package repomap

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"questboard/agents"
	"questboard/agents/workspace"
)

// Limits of one reading. What is beyond them is estimated or left out, and the text
// says so.
const (
	listFor  = 15 * time.Second // to list the files
	readFor  = 5 * time.Second  // to read files
	maxReads = 100_000          // source files
	maxBytes = 64 << 20         // of them and their names, together
	maxBlob  = 1 << 20          // of one file; a larger one is seldom written by hand
	maxRules = 8 << 10          // of AGENTS.md
)

// Read describes the files of a commit. It starts nothing but git, which reads objects.
// An error says that nothing is known.
func Read(ctx context.Context, c workspace.Contents) (agents.RepoMap, error) {
	return readWithin(ctx, c, listFor, readFor)
}

func readWithin(ctx context.Context, c workspace.Contents, listFor, readFor time.Duration) (agents.RepoMap, error) {
	r := &reader{}
	if err := r.list(ctx, c, listFor); err != nil {
		return agents.RepoMap{}, err
	}
	if err := r.read(ctx, c, readFor); err != nil {
		return agents.RepoMap{}, err
	}
	m := agents.RepoMap{Commit: c.Commit, Text: r.survey.Text(), Builds: r.builds, Notes: r.notes()}
	if r.rules != nil {
		text := strings.ToValidUTF8(string(r.rules[:min(len(r.rules), maxRules)]), "\uFFFD")
		m.Rules, m.RulesCut = strings.TrimSpace(text), len(r.rules) > maxRules
	}
	return m, nil
}

// reader is one reading.
type reader struct {
	survey  Survey
	special []workspace.Entry // files whose text matters, not only their lines
	sources []workspace.Entry
	bytes   int64 // of sources, with their names
	claude  bool  // there is a CLAUDE.md
	builds  []agents.BuildFile
	rules   []byte
}

const rulesFile = "AGENTS.md"

func (r *reader) list(ctx context.Context, c workspace.Contents, listFor time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, listFor)
	defer cancel()
	err := c.List(limited, r.entry)
	switch {
	case errors.Is(err, workspace.ErrMany), err != nil && limited.Err() != nil && ctx.Err() == nil && r.survey.files+len(r.sources) > 0:
		r.survey.Stopped()
	case err != nil:
		return errors.Join(err, ctx.Err())
	}
	rank := func(e workspace.Entry) int { // those of languages first, and near the top
		deep := strings.Count(e.Name, "/")
		if aroundBuilds[buildFiles[path.Base(e.Name)].toolchain] {
			deep += 1 << 16
		}
		return deep
	}
	slices.SortStableFunc(r.special, func(a, b workspace.Entry) int { return rank(a) - rank(b) })
	r.special = r.special[:min(len(r.special), maxBuilds)]
	return nil
}

// maxSpecial is how many build files are remembered while a commit is listed.
const maxSpecial = 1000

// entry counts a file, or remembers that it is to be read.
func (r *reader) entry(e workspace.Entry) {
	if e.Mode == "160000" {
		r.survey.Submodule(e.Name)
		return
	}
	r.claude = r.claude || e.Name == "CLAUDE.md" || e.Name == ".claude/CLAUDE.md"
	plain := strings.HasPrefix(e.Mode, "100")
	if plain && (e.Name == rulesFile || r.survey.isBuild(e.Name) && len(r.special) < maxSpecial) {
		r.special = append(r.special, e)
	}
	f := File{Path: e.Name, Plain: plain, Size: e.Size}
	if plain && r.survey.isSource(e.Name) {
		all := r.bytes + e.Size + int64(len(e.Name))
		if e.Size >= 0 && e.Size <= maxBlob && len(r.sources) < maxReads && all <= maxBytes {
			r.sources, r.bytes = append(r.sources, e), all
			return
		}
		f.Lines = Unknown
	}
	r.survey.Add(f)
}

// read reads the special files and counts the lines of the source files.
func (r *reader) read(ctx context.Context, c workspace.Contents, readFor time.Duration) error {
	var small []workspace.Entry
	for _, e := range r.special {
		most := int64(maxBuildFile)
		if e.Name == rulesFile {
			most = maxBlob
		}
		if e.Size >= 0 && e.Size <= most {
			small = append(small, e)
		} else if b, ok := BuildOf(e.Name, ""); ok {
			b.Unread = true
			r.builds = append(r.builds, b)
		}
	}
	var ids []string
	for _, e := range slices.Concat(small, r.sources) {
		ids = append(ids, e.Blob)
	}
	limited, cancel := context.WithTimeout(ctx, readFor)
	defer cancel()
	var text []byte
	lines, ended, binary, read := 0, true, false, 0
	err := c.Read(limited, ids, func(n int, piece []byte) {
		switch {
		case n < len(small) && piece == nil:
			r.text(small[n].Name, text)
			text = nil
		case n < len(small):
			text = append(text, piece...)
		case piece == nil:
			if !ended {
				lines++
			}
			if binary {
				lines = 0
			}
			e := r.sources[n-len(small)]
			r.survey.Add(File{Path: e.Name, Plain: true, Size: e.Size, Lines: lines})
			lines, ended, binary, read = 0, true, false, n-len(small)+1
		default:
			lines += bytes.Count(piece, []byte("\n"))
			ended = piece[len(piece)-1] == '\n'
			binary = binary || bytes.IndexByte(piece, 0) >= 0
		}
	})
	if ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	for _, e := range r.sources[read:] { // git was too slow or failed: the size is known
		r.survey.Add(File{Path: e.Name, Plain: true, Size: e.Size, Lines: Unknown})
	}
	return nil
}

// text takes the text of a special file.
func (r *reader) text(name string, text []byte) {
	if name == rulesFile {
		if !r.claude && len(bytes.TrimSpace(text)) > 0 {
			r.rules = text
		}
		return
	}
	if b, ok := BuildOf(name, string(text)); ok {
		r.builds = append(r.builds, b)
	}
}

// maxNotes is how many documents are named.
const maxNotes = 12

func (r *reader) notes() []string {
	var names []string
	for _, n := range r.survey.notes.kept[:min(len(r.survey.notes.kept), maxNotes)] {
		names = append(names, n.path)
	}
	return names
}
