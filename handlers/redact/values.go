package redact

import (
	"regexp"
	"strings"
)

// found is a value that follows a name.
type found struct {
	start, end int
	name       string
	weight     weight
	between    string // ":", "=", ":=", "|" and so on; "" for a blank
	tight      bool   // no blank between name and value
	quoted     bool
	apart      bool // on the next line
	certain    bool // the text calls it a value
}

// assigned reports whether the form is NAME=value, where any text is the value.
func (v *found) assigned() bool { return v.between == "=" && v.tight }

// entities are quotes as HTML writes them.
var entities = []string{"&quot;", "&#34;", "&#39;"}

// separators are what people and programs write between a name and its value. A longer
// one precedes its beginning.
var separators = []string{"===", "!==", ":=", "::", "=>", "->", "?=", "+=", "==", "!=", "||=", "||", "|>", ":", "=", "|", "：", "＝", "→",
	",", "("}

// valueAfter finds the value of the name s[at:end], and reports whether to hide it.
func valueAfter(s string, at, end int, w weight) (found, bool) {
	v := found{name: s[at:end], weight: w}
	p := skip(s, end, "\\\"'`*~])’”»", 200)
	for _, mark := range entities {
		p += len(mark) * strings.Count(s[p:min(len(s), p+len(mark))], mark)
	}
	quotedName := p > end && at > 0 && strings.IndexByte("\"'`", s[at-1]) >= 0
	if inElement(s[:at]) { // the value is the text of the element
		if close := strings.IndexByte(s[p:min(len(s), p+300)], '>'); close >= 0 {
			if v.start = p + close + 1; s[v.start-2] == '/' {
				return v, false
			}
			length := strings.IndexAny(s[v.start:], "<\n")
			if length < 0 {
				length = len(s) - v.start
			}
			v.end, v.between, v.quoted = v.start+length, "<>", strings.HasPrefix(s[v.start+length:], "</")
			return v, secret(s, v)
		}
	}
	p = skipTags(s, p)
	gap := p
	p = skip(s, p, " \t", 200)
	if p > gap && s[p-1] == '\t' && strings.HasPrefix(s[p:], "\f") { // an escaped tab
		p = skip(s, p+1, " \t", 200)
	}
	p = skipTags(s, p)
	if next := sayValue(s, p); next > 0 { // name: X, value: Y
		p, v.certain = next, true
	}
	if strings.HasPrefix(s[p:], "is:") && p > gap {
		p += len("is")
	}
	for _, sep := range separators {
		if strings.HasPrefix(s[p:], sep) {
			v.between = sep
			break
		}
	}
	switch v.between {
	case "::", "||", "|>":
		return v, false
	case "(", ",":
		if v.between == "," && !quotedName {
			return v, false
		}
	case "":
		switch {
		case opensElement(s[end:p]): // the cell of a table, a <string>
			v.between = "<>"
		case quotedName && strings.HasPrefix(s[p:], ">"): // <string name="password">X
			v.between = "<>"
			p++
		case p-gap >= 2 || p > gap && s[gap] == '\t':
			v.between = "  "
		case p == gap:
			return v, false
		}
	}
	begin := p + len(strings.TrimSpace(v.between))
	if v.between == "<>" {
		begin = p
	}
	return v.read(s, begin, at, p > gap)
}

// read reads the value after a separator.
func (v found) read(s string, p, at int, blank bool) (found, bool) {
	begin := p
	p = skipTags(s, skip(s, p, " \t*~", 200))
	v.tight = p == begin && !blank
	if v.between == ":" || v.between == "<>" {
		if q := nextLine(s, p); q > p {
			p, v.apart = q, true
		}
	}
	if v.between == "" && !v.mayFollowBlank(s, at) {
		return v, false
	}
	if end, ok := v.quote(s, p); ok {
		return v, secret(s, v)
	} else if end > 0 {
		p = end
	}
	if v.between == "(" || v.between == "," || v.between == "==" || v.between == "===" || v.between == "!=" || v.between == "!==" {
		return v, false
	}
	v.start, v.end = p, bare(s, p)
	// A type may precede the value: password: str = "X".
	if saysType(strings.TrimLeft(s[v.start:v.end], "*[]")) {
		if q := skip(s, v.end, " \t", 8); strings.HasPrefix(s[q:], "=") && !strings.HasPrefix(s[q:], "==") {
			v.between = "="
			return v.read(s, q+1, at, true)
		}
	}
	return v, secret(s, v)
}

// mayFollowBlank reports whether only a blank may separate name and value: after a flag,
// in a .netrc file or in a Dockerfile. Elsewhere the value must look secret.
func (v *found) mayFollowBlank(s string, at int) bool {
	line := lastLine(s[:at])
	switch {
	case v.weight != surely, strings.HasSuffix(line, "etc/"): // a file
		return false
	case strings.HasSuffix(line, "-"):
		v.between = "-"
	case strings.HasPrefix(v.name, "passw") && inNetrc(s[max(0, at-longestName):at]), v.name == strings.ToUpper(v.name) &&
		strings.TrimSpace(line) != "" &&
		exporters[lastWord(line)]:
		v.between = "-"
	}
	return true
}

var (
	netrc     = regexp.MustCompile(`(?:\bmachine\s+\S+|\blogin\s+\S+)\s+$`)
	exporters = words("ENV ARG setenv set -x -gx setx")
)

func inNetrc(before string) bool {
	return (strings.Contains(before, "machine") || strings.Contains(before, "login")) && netrc.MatchString(before)
}

// lastLine returns the last line of a text.
func lastLine(s string) string {
	s = s[max(0, len(s)-2*longestName):]
	return s[strings.LastIndexAny(s, "\n\f")+1:]
}

func lastWord(line string) string {
	line = strings.TrimSpace(line)
	return line[strings.LastIndexAny(line, " \t")+1:]
}

// quote finds the end of a value in quotes, however often they are escaped. Without a
// closing quote the value ends with its line. If there is no quote, it returns where the
// value begins, and false.
func (v *found) quote(s string, p int) (int, bool) {
	start := p
	for _, mark := range entities {
		if strings.HasPrefix(s[p:], mark) {
			v.start, v.quoted = p+len(mark), true
			v.end = v.start + until(s[v.start:], mark)
			return 0, true
		}
	}
	if p+1 < len(s) && (isLetter(s[p]) || s[p] == '@' || s[p] == '$') && strings.IndexByte(`"'`, s[p+1]) >= 0 { // r"X", $'X'
		p++
	}
	slashes := skip(s, p, `\`, 4096) - p
	p += slashes
	if p >= len(s) {
		return start, false
	}
	mark := s[p : p+1]
	switch {
	case mark == `"` || mark == "'" || mark == "`":
	case strings.HasPrefix(s[p:], "“"), strings.HasPrefix(s[p:], "‘"), strings.HasPrefix(s[p:], "«"), strings.HasPrefix(s[p:], "„"):
		v.start, v.quoted = p+len("“"), true
		if mark = "«"; strings.HasPrefix(s[p:], mark) {
			v.start = p + len(mark)
		}
		v.end = v.start + untilAny(s[v.start:], "”’»“\n")
		return 0, true
	default:
		return start, false
	}
	if slashes == 0 && v.tight && closesString(s, p) {
		v.start, v.end, v.quoted = p, p, true
		return 0, true
	}
	run := 1
	for run < 3 && strings.HasPrefix(s[p+run:], mark) {
		run++
	}
	if run == 2 && slashes == 0 { // an empty string
		v.start, v.end, v.quoted = p+1, p+1, true
		return 0, true
	}
	if run != 3 || slashes > 0 {
		run = 1
	}
	v.start, v.quoted = p+run, true
	v.end = v.start + closes(s[v.start:], mark[0], slashes)
	return 0, true
}

// closesString reports whether a quote ends a string in code, as in "TOKEN=" + x.
func closesString(s string, p int) bool {
	if strings.Count(lastLine(s[:p]), s[p:p+1])%2 == 0 {
		return false
	}
	next := skip(s, p+1, " \t", 4)
	return next == len(s) || strings.IndexByte("+,;)]}\n", s[next]) >= 0
}

// longestValue limits the search for a closing quote and the length of a value that is
// judged. Longer values are hidden without reading them again, so the time stays linear.
const longestValue = 1 << 10

// closes finds the quote that ends a string whose opening quote is escaped. Quotes within
// the string have more backslashes.
func closes(s string, quote byte, slashes int) int {
	limit := min(len(s), longestValue)
	before := 0
	for i := range limit {
		switch s[i] {
		case '\\':
			before++
			continue
		case quote:
			if before < slashes || before%(2*(slashes+1)) == slashes || quote == '`' {
				return i - before + before/(2*(slashes+1))*(2*(slashes+1))
			}
		}
		before = 0
	}
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

// bare returns the end of a value without quotes: a blank, or a character after which
// something else clearly begins. A password may contain any character. A part that is
// redacted already stays whole.
func bare(s string, p int) int {
	for i := p; i < len(s); i++ {
		switch c := s[i]; {
		case c == Hidden[0] && strings.HasPrefix(s[i:], Hidden):
			i += len(Hidden) - 1
		case isSpace(c), c == '<', c == '`', c == 0x1b:
			return i
		case strings.IndexByte(`"',;|&)]}\`, c) >= 0:
			if i > p && endsHere(s[i:]) {
				return i
			}
		}
	}
	return len(s)
}

// endsHere reports whether only closing characters follow up to a blank, or the next name
// with its value.
func endsHere(s string) bool {
	i := skip(s, 0, `"',;|&)]}\.`, 16)
	if i == len(s) || isSpace(s[i]) || s[i] == '<' {
		return true
	}
	if s[0] == ')' || s[0] == ']' || s[0] == '}' || s[0] == '|' {
		return false
	}
	for end := min(len(s), i+40); i < end && (isName(s[i]) || s[i] == '.' || s[i] == '-'); i++ {
	}
	i = skip(s, i, `\"'`, 8)
	return i < len(s) && (s[i] == '=' || s[i] == ':')
}

// skip skips up to n characters of a set.
func skip(s string, p int, set string, n int) int {
	for end := min(len(s), p+n); p < end; p++ {
		if s[p] < 0x80 && strings.IndexByte(set, s[p]) < 0 || s[p] >= 0x80 {
			if size := wide(s[p:], set); size > 0 {
				p += size - 1
				continue
			}
			return p
		}
	}
	return min(p, len(s))
}

// wide is the length of a multi-byte character of the set at the start of s, or 0.
func wide(s, set string) int {
	if s[0] < 0x80 {
		return 0
	}
	for _, r := range []string{"’", "”", "»"} {
		if strings.HasPrefix(s, r) && strings.Contains(set, r) {
			return len(r)
		}
	}
	return 0
}

// skipTags skips the ends and beginnings of elements, such as </td><td>.
func skipTags(s string, p int) int {
	from := p
	for range 8 {
		q := p
		if p > from { // blanks may separate elements
			q = skip(s, p, " \t\r\n\f\\", 100)
		}
		if q+1 >= len(s) || s[q] != '<' || s[q+1] != '/' && !isLetter(s[q+1]) {
			return p
		}
		end := strings.IndexByte(s[q:min(len(s), q+80)], '>')
		if end < 0 {
			return p
		}
		p = q + end + 1
	}
	return p
}

// sayValue returns the position after the word "value" if that comes next, as in a list
// of variables with name: X, value: Y. Otherwise it returns 0.
func sayValue(s string, p int) int {
	p = skip(s, p, ", \t\r\n\f\\\"'", 64)
	if len(s) < p+len("value") || !strings.EqualFold(s[p:p+len("value")], "value") {
		return 0
	}
	p = skip(s, p+len("value"), "\\\"' ", 12)
	if p < len(s) && (s[p] == ':' || s[p] == '=') {
		return p
	}
	return 0
}

// inElement reports whether a text ends within the name of an element.
func inElement(before string) bool {
	before = strings.TrimRight(before[max(0, len(before)-40):], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:")
	return strings.HasSuffix(before, "<")
}

// opensElement reports whether a text ends with an opening tag.
func opensElement(s string) bool {
	last := strings.LastIndexByte(s, '<')
	return last >= 0 && strings.HasSuffix(strings.TrimRight(s, " \t\r\n\f\\"), ">") && !strings.HasPrefix(s[last:], "</")
}

// nextLine returns where the text of the next line begins, if only the sign of a YAML
// block precedes it.
func nextLine(s string, p int) int {
	q := p
	if q < len(s) && (s[q] == '|' || s[q] == '>') {
		q = skip(s, q+1, "+-", 1)
	}
	if q = skip(s, q, "\r\\", 9); q >= len(s) || s[q] != '\n' && s[q] != '\f' {
		return p
	}
	return skip(s, q, " \t\r\n\f\\", 200)
}

func untilAny(s, marks string) int {
	if i := strings.IndexAny(s[:min(len(s), longestValue)], marks); i >= 0 {
		return i
	}
	return until(s, "\n")
}

func until(s, mark string) int {
	if i := strings.Index(s[:min(len(s), longestValue)], mark); i >= 0 {
		return i
	}
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}
