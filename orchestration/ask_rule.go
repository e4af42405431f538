package orchestration

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of a list of rules that ask.
const (
	maxAskRules      = 50
	maxAskCharacters = 10_000
)

var askRule = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*)(?:\(([^()\x00-\x1f\x7f]+)\))?$`)

// askTools are the tools of the agent's program for which a rule can ask, and what such a
// rule may have in brackets; "": nothing.
var askTools = map[string]string{
	"Bash": "a command, such as Bash(git push *)", "Edit": "a path, such as Edit(/infra/**)", "Read": "a path, such as Read(/secrets/**)",
	"WebFetch": "a domain, such as WebFetch(domain:example.org)", "WebSearch": "", "Skill": "", "Agent": "", "Glob": "", "Grep": "",
}

// CheckAskRules says what is wrong with the rules that name the calls before which a person
// is asked; "": nothing.
func CheckAskRules(rules []string) string {
	total := 0
	for i, rule := range rules {
		total += utf8.RuneCountInString(rule)
		if why := ruleFault(rule, asking); why != "" {
			return why
		}
		if slices.Contains(rules[:i], rule) {
			return clip(rule) + " is there twice"
		}
	}
	switch {
	case total > maxAskCharacters:
		return fmt.Sprintf("the rules have %d characters, and 10,000 are allowed", total)
	case len(rules) > maxAskRules:
		return fmt.Sprintf("there are %d rules, and %d are allowed", len(rules), maxAskRules)
	}
	return ""
}

// purpose is what a rule is for, in the sentences about its faults.
type purpose struct{ ours, all string }

var (
	asking   = purpose{" would ask before a call by which the agent reports to Questboard", "asking before every call stops all work"}
	allowing = purpose{" is for the server alone: what an agent may report to Questboard, its role says",
		"a rule allows what a person has looked at"}
)

// ruleFault says what is wrong with a rule; "": nothing.
func ruleFault(rule string, why purpose) string {
	if n := utf8.RuneCountInString(rule); n > maxAskCharacters {
		return fmt.Sprintf("a rule has %d characters, and 10,000 are allowed", n)
	}
	parts := askRule.FindStringSubmatch(rule)
	if parts == nil {
		return fmt.Sprintf("%q cannot be read: a rule is a tool with a use in brackets, such as Bash(git push *)", clip(rule))
	}
	tool, use := parts[1], parts[2]
	takes, known := askTools[tool]
	switch {
	case tool == "mcp__quest" || strings.HasPrefix(tool, "mcp__quest__"):
		return clip(rule) + why.ours
	case tool == "Write" || tool == "NotebookEdit":
		return "write Edit in place of " + tool + ": a rule of Edit matches every tool that changes files"
	case strings.HasPrefix(tool, "mcp__") && use == "":
		return ""
	case !known:
		return fmt.Sprintf("there is no tool %q; a rule can name %s, or a tool of an MCP server", clip(tool),
			strings.Join(sortedKeys(askTools), ", "))
	case takes == "" && use != "":
		return tool + " takes nothing in brackets"
	case (tool == "Bash" || tool == "Edit" || tool == "Read") && strings.Trim(use, "*/.: ?") == "":
		return clip(rule) + " matches everything, and " + why.all + ": name " + takes
	case strings.HasPrefix(use, "~") && (tool == "Edit" || tool == "Read"):
		return clip(rule) + " cannot be read: write the path of the home folder with two slashes before it, such as //home/me/.ssh/**"
	case tool == "WebFetch" && use != "" && !strings.HasPrefix(use, "domain:"):
		return clip(rule) + " cannot be read: WebFetch takes " + takes
	}
	return ""
}
