package redact

import (
	"regexp"
	"strings"
)

// typeWords stand in the place of a value but are not one.
var typeWords = words(`string str text char varchar bytes byte bool boolean int int64 int32 integer number float object array any none null nil
	undefined unknown void true false yes no on off empty unset missing absent present set required optional redacted hidden masked removed secret
	omitted changed unchanged invalid valid expired revoked todo tbd n/a see the a an is are was be must not and or if for with from of in to by
	basic bearer oauth oauth2 digest json yaml prompt file env stdin never always default example option result`)

// constants are not secret anywhere.
var constants = words("none null nil undefined true false")

// saysType reports whether a text is a type or the like. Words in capitals are not,
// because they may be passwords.
func saysType(text string) bool {
	return text != "" && typeWords[strings.ToLower(text[:1])+text[1:]]
}

// secret reports whether to hide a value. In doubt it does. It keeps what is clearly not
// secret, because otherwise the page would be unreadable.
func secret(s string, v found) bool {
	text := s[v.start:v.end]
	if len(text) > longestValue {
		return true
	}
	tail := s[v.end:]
	if !v.quoted {
		text = strings.Trim(text, `"',;.)]}`)
		if isCode(text, tail, v) {
			return false
		}
	}
	switch {
	case blank(text), v.tight && v.between == ":" && places.MatchString(text): // file.go:12:5
		return false
	case constants[strings.ToLower(text)]:
		return false
	case !v.assigned() && (saysType(text) || isNameItself(text)):
		return false
	}
	if v.weight == maybe {
		return random(text, shouted(v.name))
	}
	if v.weight == many {
		return mixed(text) && len(text) >= shortestSecret && !isPath(text)
	}
	if v.quoted {
		switch v.between {
		case ",":
			text = strings.Trim(text, "\"'`")
			return (mixed(text) || shouted(v.name) && !shouted(text)) && !strings.ContainsAny(text, " \t\n")
		case "(", "==", "===", "!=", "!==", "->":
			return mixed(text) && !strings.ContainsAny(text, " \t\n")
		case "", "  ": // PASSWORD 'X', password "X"
			return (shouted(v.name) || mixed(text)) && !strings.ContainsAny(text, " \t\n")
		}
		return !isPath(text) || strings.HasPrefix(text, "//")
	}
	return bareSecret(text, tail, s[:v.start], v)
}

// isCode reports whether a value is a call, a type or other code.
func isCode(text, tail string, v found) bool {
	core := strings.TrimLeft(text, "([{*&!")
	switch v.between {
	case "", "  ":
		if text != core || assigned.MatchString(core) || strings.EqualFold(v.name, "pwd") {
			return true
		}
	}
	return core == "" || saysType(core) && !v.assigned() || called.MatchString(core) ||
		strings.HasPrefix(tail, "<") && !strings.HasPrefix(tail, "</") && isWord(core)
}

// bareSecret judges a value without quotes, which may be code or prose.
func bareSecret(text, tail, before string, v found) bool {
	core := strings.TrimLeft(text, "([{*&!")
	switch {
	case v.assigned():
		return !codeBehind(core, before, tail, v)
	case v.apart, v.between == "", v.between == "  ":
		return mixed(core) && len(core) >= 6 && !isPath(core) && !commit.MatchString(core) && !release.MatchString(core)
	case v.between == "<>":
		return !isPath(core)
	case isPath(core):
		return v.tight && v.between == ":" && !strings.Contains(core, "/")
	case number(core):
		return len(core) >= 4 || !strings.HasSuffix(strings.ToLower(v.name), "token")
	case !isWord(core):
		return true
	}
	// A word is secret in "password: hunter", but not in "password: at least eight
	// signs", and not in code such as Token: token.
	switch {
	case v.between == "-", v.certain, strings.HasPrefix(strings.ToLower(v.name), "x-"):
		return true
	case v.between == ":=":
		return shouted(v.name)
	case tail == "" || tail[0] == '\n' || tail[0] == '\r', strings.HasPrefix(strings.TrimLeft(tail, `\`), "\f"):
		return len(core) >= 3 && startsLine(before, v.name)
	case v.between == "|":
		return strings.HasPrefix(strings.TrimLeft(tail, " \t"), "|") && len(core) >= 8
	case isBlank(tail[0]):
		return closed(tail)
	case tail[0] == '<':
		return true
	}
	return v.tight && !strings.HasPrefix(tail, ",") && !strings.HasPrefix(tail, ")")
}

// codeBehind reports whether name=value is an argument of a call.
func codeBehind(core, before, tail string, v found) bool {
	if line := lastLine(before); !strings.Contains(line, "(") {
		return false
	}
	return !shouted(v.name) && isPath(core) && strings.Contains(core, ".") && strings.HasPrefix(tail, ")") ||
		isWord(core) && !shouted(v.name) && (strings.HasPrefix(tail, ",") || strings.HasPrefix(tail, ")")) && len(core) <= 12
}

var (
	assigned = regexp.MustCompile(`^\w+=`)
	called   = regexp.MustCompile(`^[A-Za-z_]+(?:[.:]+[A-Za-z_]+)*(?:\(|\[|\{|!\()`)
	places   = regexp.MustCompile(`^\d+(?::\d*)*(?::|$)`)
	commit   = regexp.MustCompile(`^[0-9a-f]{7,40}$`)
	release  = regexp.MustCompile(`^v?\d+(?:\.\w+)+$`)
	// filled matches a placeholder, for which somebody has to write the value.
	filled = regexp.MustCompile(`^(?:\$\{.*|\$\(.*|\$[A-Z_]+|\$[a-z_]+|\$\d|%[a-z]|%\(.*|%[A-Z_]+%|\{\{.*|\$\{\{.*|<.*>?|\.\.\.|…)$`)
)

// blank reports whether a text is empty or a placeholder.
func blank(text string) bool {
	return strings.Trim(text, "*•xX.-_#?…=: \t\n\r\\\"'") == "" || filled.MatchString(text)
}

// mixed reports whether a text has letters and other characters, as passwords do.
func mixed(text string) bool {
	letters, others, upper, lower := 0, 0, 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case isUpper(c):
			upper++
			letters++
		case isLower(c):
			lower++
			letters++
		case c != '.' && c != '_' && c != '-' && c != '/' && c != ',':
			others++
		}
	}
	return letters > 0 && others > 0 && len(text) >= 4 || len(text) >= 16 && upper > 3 && lower > 3 && !isPath(text)
}

// random reports whether a text looks generated. loud says that its name is in capitals.
func random(text string, loud bool) bool {
	if strings.ContainsAny(text, " \t\n:(") || len(text) < shortestSecret || isPath(text) || release.MatchString(text) {
		return strings.HasSuffix(text, "=") && !strings.ContainsAny(text, " \t\n(:") && mixed(text)
	}
	digits, upper, lower := 0, 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case isDigit(c):
			digits++
		case isUpper(c):
			upper++
		case isLower(c):
			lower++
		}
	}
	if loud { // a variable such as X_KEY
		return digits > 0 && upper+lower > 0
	}
	return digits > 0 && upper > 0 && lower > 0 || digits >= 4 && lower+upper >= 4 && len(text) >= 20 && !strings.Contains(text, "-") ||
		upper > 3 && lower > 3 && len(text) >= 16 && !strings.ContainsAny(text, ".-_/")
}

func number(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// isWord reports whether a text consists of letters, "_" and "-".
func isWord(text string) bool {
	for i := range len(text) {
		if !isLetter(text[i]) && text[i] != '_' && text[i] != '-' {
			return false
		}
	}
	return text != ""
}

// isPath reports whether a text consists of words joined by dots or slashes, like a field
// of a struct or the path of a file.
func isPath(text string) bool {
	if len(text) > 200 || !strings.ContainsAny(text, "./") {
		return false
	}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == '.' || r == '/' }) {
		part = strings.TrimPrefix(part, "~")
		if part != "" && !isWord(part) {
			return false
		}
	}
	return true
}

// shouted reports whether a name is in capitals, like an environment variable.
func shouted(name string) bool { return strings.ToUpper(name) == name }

// closed reports whether the line ends here, or only a comment or another name with its
// value follows.
func closed(tail string) bool {
	tail = strings.TrimLeft(tail[:min(len(tail), 80)], " \t")
	if tail == "" || tail[0] == '\n' || tail[0] == '\f' || tail[0] == '#' || tail[0] == '|' || tail[0] == '(' ||
		strings.HasPrefix(tail, "//") {
		return true
	}
	i := 0
	for i < len(tail) && isName(tail[i]) {
		i++
	}
	return i > 0 && i < len(tail) && (tail[i] == '=' || tail[i] == ':')
}

// startsLine reports whether a name is the first in its line. Marks of lists, quotes and
// diffs, and line numbers, may come before it.
func startsLine(before, name string) bool {
	line := lastLine(before)
	if i := strings.LastIndex(line, name); i >= 0 {
		line = line[:i]
	}
	return lineStart.MatchString(line)
}

var lineStart = regexp.MustCompile("^\\s*(?:[\\w./-]+:\\d+[:|-])?[\\s>*+\\-_\"'|\\d.:`]*(?:<\\w+>)*(?:[A-Za-z]{1,16} ?)?(?:\x60|\\*\\*)?$")

// isNameItself reports whether a word is the name of a secret: password: password.
func isNameItself(text string) bool {
	if !isWord(text) || shouted(text) {
		return false
	}
	parts := wordsOf(text)
	return len(parts) > 0 && weighWord(parts[len(parts)-1]) != nothing
}
