package agents

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"questboard/orchestration"
)

// maxDenied bounds what is kept of a call that was denied, in bytes.
const maxDenied = 2 << 10

// plainUse is what a rule can have in its brackets and still name one command or one file:
// nothing that the program reads as a pattern, or as the end of the rule.
var plainUse = regexp.MustCompile(`^[^()*?\[\],\\\x00-\x1f\x7f]+$`)

// Denied returns what is kept of a call that was denied.
func Denied(tool string, input json.RawMessage) orchestration.DeniedCall {
	var fields map[string]any
	_ = json.Unmarshal(input, &fields) // on an error, all that is known is the text
	text := func(key string) string { s, _ := fields[key].(string); return s }
	call := orchestration.DeniedCall{Tool: cutText(tool, 200)}
	switch tool {
	case "Bash":
		call.Text = text("command")
		if plainUse.MatchString(call.Text) && !strings.HasSuffix(call.Text, ":") && strings.TrimSpace(call.Text) == call.Text {
			call.Rule = "Bash(" + call.Text + ")"
		}
	case "Edit", "Write", "MultiEdit", "NotebookEdit", "Read":
		call.Text = text("file_path") + text("notebook_path")
		call.Rule = fileRule(tool, call.Text)
	case "WebFetch":
		call.Text = text("url")
		if found := host.FindStringSubmatch(strings.ToLower(call.Text)); found != nil && plainUse.MatchString(found[1]) {
			call.Rule = "WebFetch(domain:" + found[1] + ")"
		}
	default:
		call.Text, call.Rule = string(input), tool
	}
	if orchestration.CheckAllowRule(orchestration.Codeweaver, call.Rule) != "" { // nobody could store it
		call.Rule = ""
	}
	call.Text, call.Rule = cutText(call.Text, maxDenied), strings.Clone(call.Rule)
	return call
}

// fileRule names one file.
func fileRule(tool, file string) string {
	if !filepath.IsAbs(file) || !plainUse.MatchString(file) {
		return ""
	}
	if tool != "Read" {
		tool = "Edit"
	}
	return tool + "(/" + filepath.ToSlash(filepath.Clean(file)) + ")"
}

// cutText returns a text in its first so many bytes, without what is no text.
func cutText(text string, most int) string {
	if len(text) > most {
		for most--; most > 0 && !utf8.RuneStart(text[most]); most-- {
		}
		text = text[:most]
	}
	return strings.ToValidUTF8(strings.Clone(text), "\uFFFD")
}

// Denied returns what is kept of a call of a program that knows none of our rules.
func (c Asked) Denied() orchestration.DeniedCall {
	call := Denied(c.Tool, c.Input)
	if len(c.Files) > 0 && (c.Tool == "Edit" || c.Tool == "Read") {
		if call.Text, call.Rule = cutText(strings.Join(c.Files, "\n"), maxDenied), ""; len(c.Files) == 1 {
			call.Rule = fileRule(c.Tool, c.Files[0])
		}
	}
	return call
}

// allowedBy reports whether rules of a person cover the whole call. Commands are judged
// elsewhere.
func (c Asked) allowedBy(rules []string, dir string) bool {
	var fields map[string]any
	_ = json.Unmarshal(c.Input, &fields) // on an error nothing in it matches
	covered := func(file string) bool {
		return slices.ContainsFunc(rules, func(rule string) bool {
			use, is := strings.CutPrefix(strings.TrimSuffix(rule, ")"), c.Tool+"(")
			return is && pathMatches(use, dir, file)
		})
	}
	switch c.Tool {
	case "Edit", "Read":
		return len(c.Files) > 0 && !slices.ContainsFunc(c.Files, func(file string) bool { return !covered(file) })
	case "WebFetch":
		return slices.ContainsFunc(rules, func(rule string) bool {
			use, is := strings.CutPrefix(strings.TrimSuffix(rule, ")"), "WebFetch(")
			return is && useMatches("WebFetch", use, dir, fields)
		})
	}
	return false
}
