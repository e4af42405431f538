package agents

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// maxLine bounds a command line in bytes. The parser calls itself for each bracket that
// opens, and a stack that is full ends the whole server.
const maxLine = 10_000

// readsOnly says why a command line is more than commands that read, or that match one of
// the rules; "": it is not. It accepts little of the shell's language, because only that
// means the same to every shell: names and arguments as they stand, quotes, |, &&, || and ;.
func readsOnly(line string, rules []string) string {
	if len(line) > maxLine {
		return "the line is longer than 10,000 bytes"
	}
	if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return "the line has a control character"
	}
	if slices.Contains(rules, line) {
		return ""
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return "the line cannot be read"
	}
	var fault error
	var names []string
	syntax.Walk(file, func(node syntax.Node) bool {
		if fault != nil {
			return false
		}
		switch node := node.(type) {
		case nil, *syntax.File, *syntax.Comment, *syntax.BinaryCmd:
		case *syntax.Stmt:
			fault = checkStatement(node)
		case *syntax.CallExpr:
			var name string
			name, fault = checkCall(node, line[node.Pos().Offset():node.End().Offset()], rules)
			names = append(names, name)
			return false
		case *syntax.Redirect:
			fault = checkRedirect(node)
			return false
		default:
			fault = errShell
		}
		return fault == nil
	})
	switch {
	case fault != nil:
		return fault.Error()
	case len(names) == 0:
		return "there is no command"
	case slices.Contains(names, "cd") && slices.Contains(names, "git"):
		return "cd and git stand in one line, and git obeys the configuration of the folder where it runs"
	}
	return ""
}

var errShell = errors.New("of the shell's language only plain words, quotes, |, &&, || and ; are permitted")

func checkStatement(s *syntax.Stmt) error {
	if s.Background || s.Coprocess || s.Disown {
		return errors.New("it would run in the background")
	}
	return nil
}

// checkRedirect permits to join outputs and to throw them away.
func checkRedirect(r *syntax.Redirect) error {
	to, err := wordOf(r.Word)
	if err != nil {
		return err
	}
	switch {
	case r.N != nil && strings.HasPrefix(r.N.Value, "{"):
		return errShell
	case r.Op == syntax.DplOut && (to.text == "1" || to.text == "2"):
		return nil
	case slices.Contains([]syntax.RedirOperator{syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrIn}, r.Op) &&
		to.text == "/dev/null":
		return nil
	}
	return errors.New("it redirects to or from a file")
}

// checkCall checks one simple command, and returns its name.
func checkCall(call *syntax.CallExpr, source string, rules []string) (string, error) {
	if len(call.Assigns) > 0 {
		return "", errors.New("it sets a variable")
	}
	var words []word
	for _, w := range call.Args {
		word, err := wordOf(w)
		if err != nil {
			return "", err
		}
		words = append(words, word)
	}
	name := words[0].text
	if slices.ContainsFunc(rules, func(rule string) bool { return matches(rule, source) }) {
		return name, nil
	}
	check, known := reading[name]
	if !known || words[0].open {
		return "", errors.New(code(name) + " is none of your commands")
	}
	if why := check(words[1:]); why != "" {
		return "", errors.New(code(name) + " " + why)
	}
	return name, nil
}

// matches reports whether a rule of the person covers a simple command, as Claude Code
// reads such rules: * is any text, and a last " *" or ":*" is any arguments, or none.
func matches(rule, command string) bool {
	prefix, args := strings.CutSuffix(rule, ":*")
	if !args {
		prefix, args = strings.CutSuffix(rule, " *")
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(prefix), `\*`, `.*`)
	if args {
		pattern += `([ \t].*)?`
	}
	return regexp.MustCompile(`(?s)^` + pattern + `$`).MatchString(command)
}

// word is a word of a command line. An open one has characters such as *, so the shell
// may replace it by names of files.
type word struct {
	text string
	open bool
}

var escaped = regexp.MustCompile(`\\(?s:.)`)

// option reports whether the word is an option, or may become one.
func (w word) option() bool {
	return strings.HasPrefix(w.text, "-") || w.open && strings.ContainsAny(w.text[:1], "*?[")
}

// wordOf returns what a word is once its quotes are removed.
func wordOf(w *syntax.Word) (word, error) {
	var b, bare strings.Builder // bare has what stands outside of quotes
	var out word
	if w == nil {
		return out, errShell
	}
	for i, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			bare.WriteString(part.Value)
			// Some shells split words at the byte A0, even within a letter.
			if strings.ContainsFunc(part.Value, func(r rune) bool { return r > unicode.MaxASCII }) {
				return out, errors.New("letters beyond ASCII are permitted in quotes only")
			}
			if strings.ContainsAny(part.Value, "{}") { // bash and zsh would make several words of it
				return out, errors.New("braces are permitted in quotes only")
			}
			out.open = out.open || strings.ContainsAny(escaped.ReplaceAllString(part.Value, ""), "*?[")
			b.WriteString(unescaped(part.Value, ""))
		case *syntax.SglQuoted:
			if part.Dollar {
				return out, errShell
			}
			b.WriteString(part.Value)
			bare.WriteByte('\'')
		case *syntax.DblQuoted:
			if part.Dollar {
				return out, errShell
			}
			var quoted strings.Builder
			for j, inner := range part.Parts {
				if exitCode(inner) && j == len(part.Parts)-1 {
					b.WriteByte('0')
					continue
				}
				lit, is := inner.(*syntax.Lit)
				if !is {
					return out, errShell
				}
				quoted.WriteString(lit.Value)
				b.WriteString(unescaped(lit.Value, "$`\"\\\n"))
			}
			bare.WriteByte('"')
			if zshVariable(quoted.String()) {
				return out, errShell
			}
		default:
			if !exitCode(part) || i < len(w.Parts)-1 {
				return out, errShell
			}
			b.WriteByte('0')
		}
	}
	if zshVariable(bare.String()) {
		return out, errShell
	}
	out.text = b.String()
	return out, nil
}

// exitCode reports whether a part of a word is $?, which is a number in every shell. At the
// end of a word nothing follows that zsh would take for an index.
func exitCode(part syntax.WordPart) bool {
	exp, is := part.(*syntax.ParamExp)
	return is && exp.Short && exp.Param != nil && exp.Param.Value == "?"
}

var zshNames = regexp.MustCompile(`\$[~=^+#:*]`)

// zshVariable reports whether zsh finds a variable in a text in which bash finds none: in
// zsh, $=X is the value of X as several words.
func zshVariable(text string) bool {
	return zshNames.MatchString(escaped.ReplaceAllString(text, ""))
}

// unescaped removes the backslashes before these characters; "": before all.
func unescaped(text, before string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (before == "" || strings.IndexByte(before, text[i+1]) >= 0) {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func readingCommands() []string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(reading)), func(name string) bool { return name == "git" })
	for _, sub := range gitReading {
		names = append(names, "git "+sub)
	}
	return names
}
