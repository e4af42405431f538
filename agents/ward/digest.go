package ward

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"questboard/agents/runlog"
)

// DigestMax is how much of the end of the output goes to Spiritmender, in bytes
// (docs/state-machine.md#the-check).
const DigestMax = 8 << 10

// tail keeps the end of the output, and somewhat more than the digest needs, because
// colours are removed later.
type tail struct{ buf []byte }

const tailKept = 4 * DigestMax

func (t *tail) add(line []byte) {
	t.buf = append(append(t.buf, line[max(0, len(line)-tailKept):]...), '\n')
	if len(t.buf) > 4*tailKept {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-tailKept:]...)
	}
}

// digest returns the last DigestMax bytes as clean text, from the start of a line if
// possible.
func (t *tail) digest() string {
	kept := t.buf[max(0, len(t.buf)-tailKept):]
	whole := len(kept) == len(t.buf) && len(t.buf) < tailKept
	text := plain(runlog.Presentable(kept))
	if len(text) > DigestMax {
		text, whole = text[len(text)-DigestMax:], false
	}
	if whole {
		return text
	}
	if _, rest, ok := strings.Cut(text, "\n"); ok && rest != "" {
		return rest
	}
	for text != "" && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}

// colour is a terminal's control sequence: it means nothing in a prompt.
var colour = regexp.MustCompile("\x1b\\[[0-9;:?]*[ -/]*[@-~]")

func plain(text string) string {
	if !bytes.ContainsRune([]byte(text), '\x1b') {
		return text
	}
	return colour.ReplaceAllString(text, "")
}
