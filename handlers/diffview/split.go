package diffview

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"unicode/utf8"

	"questboard/views"
)

// part is what a patch says of one file. It is measured, not read: a patch
// may have 16 MiB, and a page shows little of it.
type part struct {
	raw            []byte
	key            string // names the file in URLs: its path may hold anything
	added, removed int
	rows           int
	cost           int // about the bytes of HTML that its rows become
}

const (
	// lineMost is the most that is shown of one line, in bytes.
	lineMost = 2000
	// rowCost is the markup around one line, in bytes.
	rowCost = 260
)

// split takes a patch of git's apart. A line of content begins with a
// sign, and a name with a line end is quoted, so nothing that an agent wrote
// can look like the beginning of a file.
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
		if seen[one.key]++; seen[one.key] > 1 { // a file that became a symbolic link is there twice
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

// hash tells whether a file that was looked at has changed since.
func (p *part) hash() string { return digest(p.raw) }

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:5])
}

// head is what stands before the first hunk.
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

// htmlCost is how long a text gets when it is cleaned and escaped.
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
