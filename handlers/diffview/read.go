package diffview

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"questboard/views"
)

// A larger part is not shown line by line.
const (
	laidOutRows  = 50_000
	laidOutBytes = 4 << 20
	plainMost    = 64 << 10
	pathMost     = 300
	// The parser needs quadratic time for a first line with two equal names. Paths that
	// git creates have at most 4 KiB, but a crafted tree object may have longer ones.
	firstLineMost = 16 << 10
)

// The modes of git that are not plain files.
const (
	modeSymlink   os.FileMode = 0o120000
	modeSubmodule os.FileMode = 0o160000
)

// readHead reads only the names and modes of a part. It returns nil if they cannot be
// read.
func (p *part) readHead() *gitdiff.File { return parseOne(p.head()) }

// read reads a whole part. It returns nil if it cannot be read.
func (p *part) read() *gitdiff.File { return parseOne(p.raw) }

func parseOne(patch []byte) *gitdiff.File {
	if at := bytes.IndexByte(patch, '\n'); at > firstLineMost || at < 0 && len(patch) > firstLineMost {
		return nil
	}
	files, _, err := gitdiff.Parse(bytes.NewReader(patch))
	if err != nil || len(files) != 1 {
		return nil
	}
	return files[0]
}

// latestPath is the path of the file, or its old path if it was deleted.
func latestPath(f *gitdiff.File) string {
	if f.IsDelete {
		return f.OldName
	}
	return f.NewName
}

// firstLine is the name of a part whose head cannot be read.
func (p *part) firstLine() string {
	line, _, _ := bytes.Cut(p.raw, []byte("\n"))
	return strings.TrimPrefix(string(line), "diff --git ")
}

// remarks are facts about a file that its lines do not show.
func remarks(f *gitdiff.File) []string {
	var list []string
	switch {
	case f.IsRename:
		list = append(list, "renamed from "+ShortPath(f.OldName))
	case f.IsCopy:
		list = append(list, "copied from "+ShortPath(f.OldName))
	case f.IsNew:
		list = append(list, "new file")
	case f.IsDelete:
		list = append(list, "deleted")
	}
	mode := f.NewMode
	if mode == 0 {
		mode = f.OldMode
	}
	switch mode {
	case modeSymlink:
		list = append(list, "symbolic link")
	case modeSubmodule:
		list = append(list, "submodule")
	default: // a plain file
	}
	if f.OldMode != 0 && f.NewMode != 0 && f.OldMode != f.NewMode {
		list = append(list, fmt.Sprintf("mode %06o, was %06o", f.NewMode, f.OldMode))
	} else if f.IsNew && mode&0o111 != 0 && mode != modeSymlink && mode != modeSubmodule {
		list = append(list, "executable")
	}
	if f.IsBinary {
		list = append(list, "binary: its content is not shown")
	}
	return list
}

// rowsOf returns the lines of a file, hunk by hunk.
func rowsOf(f *gitdiff.File, key string) []views.DiffRow {
	var rows []views.DiffRow
	for _, hunk := range f.TextFragments {
		before, after := int(hunk.OldPosition), int(hunk.NewPosition)
		heading, _ := shortLine(hunk.Header())
		rows = append(rows, views.DiffRow{Kind: "hunk", Text: heading})
		for _, line := range hunk.Lines {
			row := views.DiffRow{Kind: "same", Old: before, New: after, NoEnd: line.NoEOL(), On: fmt.Sprint(key, ".n", after)}
			text := line.Line
			switch line.Op {
			case gitdiff.OpAdd:
				row.Kind, row.Old = "add", 0
				after++
			case gitdiff.OpDelete:
				row.Kind, row.New, row.On = "del", 0, fmt.Sprint(key, ".o", before)
				before++
			default:
				text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
				before++
				after++
			}
			row.Text, row.Cut = shortLine(text)
			rows = append(rows, row)
		}
	}
	return rows
}

// shortLine makes a line safe to show, and says how much of it was cut off. It shows a
// carriage return as a sign, because that may be the whole change.
func shortLine(s string) (text, cut string) {
	s = strings.TrimSuffix(s, "\n")
	if len(s) > lineMost {
		end := lineMost
		for end > lineMost-utf8.UTFMax && !utf8.RuneStart(s[end]) {
			end--
		}
		cut = fmt.Sprintf("… %d more bytes", len(s)-end)
		s = s[:end]
	}
	return views.Visible(strings.ReplaceAll(s, "\r", "␍")), cut
}

// ShortPath writes a path on one line. A very long path loses its middle.
func ShortPath(path string) string {
	path = strings.ReplaceAll(strings.ReplaceAll(path, "\n", "␊"), "\t", "␉")
	path = strings.ReplaceAll(path, "\r", "␍")
	if r := []rune(path); len(r) > pathMost {
		path = string(r[:pathMost/2]) + "…" + string(r[len(r)-pathMost/2:])
	}
	return views.Visible(path)
}

// plain is the beginning of a part as plain text.
func (p *part) plain() string {
	text := p.raw
	if len(text) > plainMost {
		text = text[:plainMost]
	}
	return views.Visible(strings.ToValidUTF8(string(text), "\uFFFD"))
}
