package transcript

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// whole checks cheaply whether a line can be a JSON object. gjson does not validate, and
// it need not: after a wrong guess some fact about the run is missing, but the run goes
// on.
func whole(line []byte) bool {
	i, j := 0, len(line)
	for i < j && space(line[i]) {
		i++
	}
	for j > i && space(line[j-1]) {
		j--
	}
	return j-i >= 2 && line[i] == '{' && line[j-1] == '}'
}

func space(b byte) bool { return b == ' ' || b == '\n' || b == '\r' || b == '\t' }

// header has all members of a line that this package uses. One pass finds them.
type header struct {
	kind, subtype, session, parent string
	minion                         string // the name of the sub-agent that did it
	message, err                   gjson.Result
	line                           string
}

func head(line string) header {
	h := header{line: line}
	gjson.Parse(line).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "type":
			h.kind = value.String()
		case "subtype":
			h.subtype = value.String()
		case "session_id":
			h.session = value.String()
		case "parent_tool_use_id":
			h.parent = value.String()
		case minionName:
			h.minion = shorten(value.Str)
		case "message":
			h.message = value
		case "error":
			h.err = value
		}
		return true
	})
	return h
}

// block is one piece of a message's content, read in one pass because its input may be
// a whole file. Text is what it says or thinks.
type block struct {
	kind, id, name string
	text, input    gjson.Result
}

func readBlock(r gjson.Result) block {
	var b block
	r.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "type":
			b.kind = value.Str
		case "id":
			b.id = value.Str
		case "name":
			b.name = value.Str
		case "text", "thinking":
			b.text = value
		case "input":
			b.input = value
		}
		return true
	})
	return b
}

// targets lists the fields of a tool's input that name what it works on, the most
// useful first.
var targets = []string{"command", "file_path", "notebook_path", "pattern", "description", "url", "query", "path"}

// sureTargets is how many of the first targets are good enough to stop reading.
const sureTargets = 2

// target returns what a tool works on; "" if its input does not say.
func target(input gjson.Result) string {
	best, found := len(targets), ""
	input.ForEach(func(key, value gjson.Result) bool {
		rank := slices.Index(targets, key.Str)
		if rank >= 0 && rank < best && value.Type == gjson.String && value.Str != "" {
			best, found = rank, value.Str
		}
		return best >= sureTargets // a file's whole text may follow
	})
	return found
}

// maxCard is the length of a card's line, in characters.
const maxCard = 120

// shorten returns a text as one line of at most maxCard characters that is safe to show:
// valid UTF-8 without control characters and bidirectional overrides.
func shorten(text string) string {
	var b strings.Builder
	n, gap := 0, false
	for _, r := range text {
		if r == '\n' && b.Len() > 0 {
			break
		}
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			gap = b.Len() > 0
			continue
		}
		if unicode.Is(unicode.Cf, r) && r != '\u200d' {
			continue
		}
		if gap {
			b.WriteByte(' ')
			n, gap = n+1, false
		}
		if n >= maxCard-1 {
			b.WriteRune('…')
			break
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// maxText limits a kept text: enough for an agent's last words, not for a file.
const maxText = 8 << 10

// tail returns the last maxText bytes of a text as valid UTF-8. It copies them, so that
// a line of megabytes does not stay in memory because of one sentence.
func tail(text string) string {
	if len(text) > maxText {
		text = text[len(text)-maxText:]
		for len(text) > 0 && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	return strings.Clone(strings.ToValidUTF8(text, "\uFFFD"))
}
