package diffview

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"unicode/utf8"

	"questboard/views"
)

// part is the section of a patch for one file. It is measured first and parsed only when
// shown, because a patch may have 16 MiB and a page shows little of it.
type part struct {
	raw            []byte
	key            string // names the file in URLs, because its path may contain anything
	added, removed int
	rows           int
	cost           int // estimated bytes of HTML for its rows
}

const (
	// lineMost is how many bytes of a line are shown.
	lineMost = 2000
	// rowCost is how many bytes of markup a row has.
	rowCost = 260
)

// split splits a patch by files. Only git can write the first line of a section: each
// line of a file's content has a prefix, and git quotes names with line ends.
func split(patch []byte) []part {
	var parts []part
	seen := map[string]int{}
	begin := []byte("\ndiff --git ")
	for len(patch) > 0 {
		end := len(patch)
		if at := bytes.Index(patch, begin); at >= 0 {
			end = at + 1
		}
		one := part{raw: patch[:end]}
		one.key = one.name()
		if seen[one.key]++; seen[one.key] > 1 { // a file that became a symbolic link has two sections
			one.key += fmt.Sprint("-", seen[one.key])
		}
		one.measure()
		parts = append(parts, one)
		patch = patch[end:]
	}
	return parts
}

func (p *part) name() string {
	first, _, _ := bytes.Cut(p.raw, []byte("\n"))
	return digest(first)
}

// hash changes when the section does, so that a page can tell whether a file changed
// since the user viewed it.
func (p *part) hash() string { return digest(p.raw) }

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:5])
}

// head is the part before the first hunk.
func (p *part) head() []byte {
	if at := bytes.Index(p.raw, []byte("\n@@ -")); at >= 0 {
		return p.raw[:at+1]
	}
	return p.raw
}

func (p *part) measure() {
	for line := range bytes.Lines(p.raw[len(p.head()):]) {
		switch line[0] {
		case '+':
			p.added++
		case '-':
			p.removed++
		}
		p.rows++
		p.cost += rowCost + htmlCost(line[:min(len(line), lineMost)])
	}
}

// htmlCost is the length of a text after it was cleaned and escaped.
func htmlCost(text []byte) int {
	cost := 0
	for len(text) > 0 {
		if c := text[0]; c < utf8.RuneSelf {
			text = text[1:]
			switch {
			case c == '&' || c == '<' || c == '>' || c == '"' || c == '\'':
				cost += len("&#34;")
			case c < 0x20:
				cost += len("␀")
			default:
				cost++
			}
			continue
		}
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case views.Deceives(r):
			cost += len("⟨U+202E⟩")
		case r == utf8.RuneError:
			cost += len("\uFFFD")
		default:
			cost += size
		}
	}
	return cost
}
