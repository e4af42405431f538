package workspace

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoted keeps a name on one line and its end visible.
func quoted(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) || r == '"' || r == utf8.RuneError }) {
		return strconv.Quote(name)
	}
	return name
}

// cutTo cuts s between runes so that it fits together with the mark.
func cutTo(s string, limit int, mark string) string {
	if len(s) <= limit {
		return s
	}
	end := limit - len(mark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}

// listed lists the first few of many files.
func listed(files []string) string {
	var names []string
	for _, name := range files[:min(len(files), 10)] {
		names = append(names, quoted(name))
	}
	if more := len(files) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// formatSize formats a number of bytes.
func formatSize(bytes int64) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	default:
		return fmt.Sprintf("%d bytes", bytes)
	}
}

// shellQuoted quotes a word for a person's shell, never for one of ours.
func shellQuoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// cQuoted quotes a name as git does in a diff.
func cQuoted(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c >= '\a' && c <= '\r':
			b.WriteString(`\` + string("abtnvfr"[c-'\a']))
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	if b.Len() == len(name) {
		return name
	}
	return `"` + b.String() + `"`
}

// globQuoted quotes a path for filepath.Glob.
func globQuoted(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
