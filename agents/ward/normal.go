package ward

import (
	"regexp"
	"strings"
	"unicode"
)

// normal removes from a line what differs between runs although nothing else failed:
// times, durations, line numbers, addresses, temporary folders, process ids, the name
// of the tree. Other digits have a meaning and stay.
func (f *faults) normal(line string) string {
	line = visible(line)
	for _, root := range f.roots {
		line = strings.ReplaceAll(line, root+"/", "")
		line = strings.ReplaceAll(line, root, ".")
	}
	line = f.temp.ReplaceAllString(line, "/tmp/*")
	if strings.ContainsAny(line, "0123456789") {
		for _, n := range passing {
			line = n.what.ReplaceAllString(line, n.by)
		}
	}
	return strings.Join(strings.Fields(line), " ")
}

// visible returns a line as a terminal would finally show it.
func visible(line string) string {
	if strings.IndexFunc(line, unicode.IsControl) >= 0 {
		line = strings.TrimRight(title.ReplaceAllString(plain(line), ""), "\r")
		line = line[strings.LastIndexByte(line, '\r')+1:] // what a progress bar wrote over
		line = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) && r != '\t' {
				return -1
			}
			return r
		}, line)
	}
	return strings.ToValidUTF8(line, "\uFFFD")
}

// title is a terminal's control sequence that carries a text.
var title = regexp.MustCompile("\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)?|\x1b.?")

// inPath is the rest of a path in a line.
const inPath = `[^\s:,;'"` + "`" + `)\]]+`

const duration = `(?:\d+h)?(?:\d+m ?)?\d+(?:\.\d+)?(?: ?(?:ns|us|µs|μs|ms|s|secs?|seconds?|minutes?)|[mh])\b`

// passing lists what differs between runs and its replacement, in this order.
var passing = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`\d{4}[-/]\d\d[-/]\d\d[T_ ]\d\d[:_]\d\d(?:[:_]\d\d)?(?:[.,_]\d+)?(?:Z|[+-]\d\d:?\d\d\b)?`), "*"},
	{regexp.MustCompile(`\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b`), "*"},
	{regexp.MustCompile(`(?:/private)?/(?:tmp|var/tmp|var/folders)/` + inPath), "/tmp/*"},
	{regexp.MustCompile(`0x[0-9a-fA-F]+`), "0x*"},
	{regexp.MustCompile(`\s*[\[(] *` + duration + ` *[\])]`), ""},
	{regexp.MustCompile(`\b` + duration), "*"},
	{regexp.MustCompile(`(?i)\b(time|elapsed|duration(?:_ms)?)(["']?\s*[:=]\s*["']?)\d[\d.]*`), "$1$2*"},
	{regexp.MustCompile(`\[ *\d+%\]`), ""},
	{regexp.MustCompile(`(\b(?:localhost|\d+\.\d+\.\d+\.\d+)|\[::1?\]):\d+`), "$1:*"},
	{regexp.MustCompile(`((?:[./\\][^\s:]*|\b\w*file)):\d+(?:[:-]\d+)*`), "$1"}, // a.go:12:3
	{regexp.MustCompile(`(\.\w+):?[(\[]\d+, ?\d+[)\]]`), "$1"},                  // a.ts(12,5), A.java:[12,5]
	{regexp.MustCompile(`\b([Ll]ine) \d+`), "$1 *"},
	{regexp.MustCompile(`^(\S+): \d+: `), "$1: "}, // sh: 12: x: not found
	{regexp.MustCompile(`^(\w*)\[\d+\](:|\s|$)|(\w)\[\d{3,}\]:`), "$1$3$2"},
	{regexp.MustCompile(`(?i)\b(pid)([ :=]+)\d+`), "$1$2*"},
	{regexp.MustCompile(`('|\bmain) \(\d+\) panicked`), "$1 panicked"},
	{regexp.MustCompile(`^(\s*)\d+\) `), "$1*) "},                    // the first fault may be another's second
	{regexp.MustCompile(`^(\s*not ok)(?: \d+)?(?: -)?`), "$1"},       // so may a test's number
	{regexp.MustCompile(`^\s*\d+:\d+(?:-\d+)?\s+(warning)\b`), "$1"}, // eslint
}
