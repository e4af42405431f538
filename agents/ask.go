package agents

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Asking is what the rules that ask say about a call.
type Asking struct {
	// Rules are those that match the call; empty: nobody has to be asked.
	Rules []string
	// Text says what the call would do, in full; "": it is too long for a person.
	Text string
	// Doubt tells the agent how to make a call of which nobody can say whether a rule
	// matches it; "": there is no doubt.
	Doubt string
}

// maxAsked is how long the text of a call may be, in bytes, for a person to read it.
const maxAsked = 200_000

// AsksAbout says which rules match a call of a tool in a folder, as Claude Code reads them
// (docs/security.md). The program has asked because it sees a match.
func AsksAbout(rules []string, dir, tool string, input json.RawMessage) Asking {
	var fields map[string]any
	_ = json.Unmarshal(input, &fields) // on an error nothing in it matches
	a := Asking{Text: callText(tool, fields, input)}
	for _, rule := range rules {
		name, use, special := strings.Cut(strings.TrimSuffix(rule, ")"), "(")
		if !asksForTool(name, tool) {
			continue
		}
		if !special || useMatches(name, use, dir, fields) {
			a.Rules = append(a.Rules, rule)
		} else if tool == "Bash" && a.Doubt == "" {
			a.Doubt = "Refused, nothing ran: it cannot be ruled out that this line runs what " + code(rule) +
				" stands for, and a person is asked about that. " +
				"Write each command as it is, without variables or substitutions in its name and arguments."
		}
	}
	return a
}

// asksForTool reports whether a rule for one tool concerns another: Edit stands for each tool
// that changes files, and Task is the older name of Agent.
func asksForTool(name, tool string) bool {
	switch tool {
	case "Write", "NotebookEdit", "MultiEdit":
		return name == "Edit"
	case "Task":
		return name == "Agent"
	}
	return name == tool || ofServer(name, tool)
}

func useMatches(tool, use, dir string, input map[string]any) bool {
	text := func(key string) string { s, _ := input[key].(string); return s }
	switch tool {
	case "Bash":
		return slices.ContainsFunc(commandsIn(text("command")), func(command string) bool { return matches(use, command) })
	case "WebFetch":
		return domainMatches(strings.TrimPrefix(use, "domain:"), text("url"))
	default:
		name := text("file_path") + text("notebook_path")
		return name != "" && pathAsks(use, dir, name)
	}
}

// wrappers are programs that run what follows. Claude Code looks behind some of them, too.
var wrappers = regexp.MustCompile(`^(?:(?:env|command|nohup|time|sudo|exec|nice(?: -n ?-?\d+)?|stdbuf(?: -\S+)*|timeout(?: -\S+)* \S+)|[A-Za-z_]\w*=\S*)\s+`)

// commandsIn lists the simple commands of a line, wherever they stand: without quotes, and
// without variables and wrappers before them.
func commandsIn(line string) []string {
	if len(line) > maxLine {
		return []string{line}
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return []string{line}
	}
	var all []string
	syntax.Walk(file, func(node syntax.Node) bool {
		call, is := node.(*syntax.CallExpr)
		if !is || len(call.Args) == 0 {
			return true
		}
		var words []string
		for _, w := range call.Args {
			if known, err := wordOf(w); err == nil {
				words = append(words, known.text)
			} else {
				words = append(words, line[w.Pos().Offset():w.End().Offset()])
			}
		}
		command := strings.Join(words, " ")
		for {
			all = append(all, command)
			inner := wrappers.ReplaceAllString(command, "")
			if inner == command {
				return true
			}
			command = inner
		}
	})
	return all
}

var host = regexp.MustCompile(`^[a-z][a-z0-9+.-]*://(?:[^/?#@]*@)?([^/?#:]+)`)

func domainMatches(domain, address string) bool {
	found := host.FindStringSubmatch(strings.ToLower(address))
	if found == nil {
		return false
	}
	domain = strings.ToLower(domain)
	if rest, any := strings.CutPrefix(domain, "*."); any {
		return strings.HasSuffix(found[1], "."+rest)
	}
	return found[1] == domain
}

// AskRuleIn returns a rule as the program has to get it: to the program a path that begins
// with one slash is relative to its file of settings, to a person it is relative to the
// repository.
func AskRuleIn(dir, rule string) string {
	for _, tool := range []string{"Edit", "Read"} {
		if use, is := strings.CutPrefix(rule, tool+"(/"); is && !strings.HasPrefix(use, "/") {
			return tool + "(/" + filepath.ToSlash(dir) + "/" + use
		}
	}
	return rule
}

// pathAsks reports whether a person is asked about a file. If it is not known where the run works, one
// is asked about every file that a rule may mean.
func pathAsks(use, dir, name string) bool {
	return dir == "" && !strings.HasPrefix(use, "//") || pathMatches(use, dir, name)
}

// pathMatches reports whether a rule for paths covers a file, as lines of .gitignore do:
// /infra/** is below the folder where the run works, infra and *.pem are anywhere below it,
// //etc/** is absolute.
func pathMatches(use, dir, name string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	name = filepath.Clean(name)
	pattern, absolute := strings.CutPrefix(use, "//")
	if absolute {
		pattern = "/" + pattern
	} else {
		rel, err := filepath.Rel(dir, name)
		if err != nil || strings.HasPrefix(rel, "..") {
			return false
		}
		name = "/" + filepath.ToSlash(rel)
		pattern = strings.TrimPrefix(pattern, "./")
		switch {
		case strings.HasPrefix(pattern, "/"):
		case strings.Contains(strings.TrimSuffix(pattern, "/"), "/"):
			pattern = "/" + pattern
		default:
			pattern = "/**/" + pattern
		}
	}
	return globOf(pattern).MatchString(name)
}

// globOf makes an expression of a pattern. What a pattern names as a folder it names with
// all that is in it.
func globOf(pattern string) *regexp.Regexp {
	text := regexp.QuoteMeta(strings.TrimSuffix(pattern, "/"))
	text = strings.NewReplacer(`/\*\*/`, `/(?:.*/)?`, `/\*\*`, `/.*`, `\*\*`, `.*`, `\*`, `[^/]*`, `\?`, `[^/]`).Replace(text)
	return regexp.MustCompile(`(?s)^` + text + `(?:/.*)?$`)
}

// callText says what a call would do, in full.
func callText(tool string, input map[string]any, raw json.RawMessage) string {
	text := func(key string) string { s, _ := input[key].(string); return s }
	shown, out := []string(nil), ""
	switch tool {
	case "Bash":
		shown, out = []string{"command", "description", "timeout"}, text("command")
	case "Edit":
		shown = []string{"file_path", "old_string", "new_string"}
		out = text("file_path") + "\n" + prefixed("-", text("old_string")) + prefixed("+", text("new_string"))
	case "Write":
		shown, out = []string{"file_path", "content"}, text("file_path")+"\n"+prefixed("+", text("content"))
	case "WebFetch":
		shown, out = []string{"url", "prompt"}, text("url")+"\n"+text("prompt")
	}
	for key := range input {
		if !slices.Contains(shown, key) { // it says more than we can show in short
			out = strings.TrimPrefix(out+"\n", "\n") + string(raw)
			break
		}
	}
	if out == "" { // it takes nothing
		out = string(raw)
	}
	return readable(out)
}

// readable returns a text that a person can read; "": it is none.
func readable(text string) string {
	if len(text) > maxAsked || !utf8.ValidString(text) || strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// prefixed puts a mark before each line.
func prefixed(mark, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(mark + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}
