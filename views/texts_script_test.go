package views_test

import (
	"regexp"
	"strings"
)

var (
	// What may precede a regular expression but not a division.
	beforePattern = regexp.MustCompile(`(^|[(,=:\[!&|?{};]|=>|return)\s*$`)
	cssContent    = regexp.MustCompile(`(?m)^(\S.*?) \{ content: "([^"]*[A-Za-z][^"]*)"`)
	jsFunction    = regexp.MustCompile(`^(?:export )?(?:async )?(?:function|const|let|class) (\w+)`)
	jsValue       = regexp.MustCompile(`\$\{([^{}]*)\}`)
	jsNoText      = regexp.MustCompile(`^[.#\[:>*]|\[|^\w+[.#>]|=>|^(use strict|error not-sent|h2 a|h1, h2, h3|\(max-width.*|\$?\{new URL.*|[a-z-]+(, ?[.#]?[a-z-]+)+)$`)
)

// jsTexts finds the strings of a script that are for people. It knows only comments,
// strings and regular expressions of the language.
func jsTexts(source string) []text {
	var found []text
	in, start := "", 0
	for i := 0; i < len(source); i++ {
		if i == 0 || source[i-1] == '\n' {
			start = i
			if name := jsFunction.FindStringSubmatch(source[i:]); name != nil {
				in = name[1]
			}
		}
		switch c := source[i]; {
		case strings.HasPrefix(source[i:], "//"):
			i += lengthTo(source[i:], "\n") - 1
		case strings.HasPrefix(source[i:], "/*"):
			i += lengthTo(source[i:], "*/") + 1
		case c == '/' && beforePattern.MatchString(source[start:i]):
			i += closing(source[i+1:], '/') + 1
		case c == '\'' || c == '"' || c == '`':
			end := closing(source[i+1:], c)
			words := jsValue.ReplaceAllString(source[i+1:i+1+end], "{$1}")
			if isText(words) && !jsNoText.MatchString(words) && !strings.HasPrefix(strings.TrimSpace(source[start:i]), "import") {
				found = append(found, text{in, "", strings.ReplaceAll(words, `\'`, "'")})
			}
			i += end + 1
		}
	}
	return found
}

func lengthTo(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i
	}
	return len(s)
}

// closing returns where a string or a regular expression ends.
func closing(s string, quote byte) int {
	class := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case quote == '/' && s[i] == '[':
			class = true
		case quote == '/' && s[i] == ']':
			class = false
		case s[i] == quote && !class:
			return i
		}
	}
	return len(s)
}
