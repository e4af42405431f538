package claude

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"questboard/agents"
	"questboard/orchestration"
)

// with lays what the user chose over a role's rights.
func (r rights) with(allow, deny []string) rights {
	r.allowed, r.denied = join(r.allowed, allow), join(r.denied, deny)
	return r
}

// Tools are those that a role may use and may not use without further choice.
func Tools(role orchestration.Role) (allowed, denied []string) {
	r := rightsOf(role)
	return r.allowed, r.denied
}

const maxRulesOfTools = 50

// toolRule is a tool's name, with what it may be used for in brackets. No comma:
// the CLI takes it for the end of the rule.
var toolRule = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*(\([^(),\x00-\x1f\x7f]+\))?$`)

// CheckTools names what is wrong with the tools that the user allows a role
// beyond its own, or takes from it: by field, allow and deny.
func CheckTools(role orchestration.Role, allow, deny []string) map[string]string {
	faults := map[string]string{}
	for field, list := range map[string][]string{"allow": allow, "deny": deny} {
		if len(list) > maxRulesOfTools {
			faults[field] = fmt.Sprintf("more than %d rules", maxRulesOfTools)
		}
		for _, rule := range list {
			if len(rule) > 200 || !toolRule.MatchString(rule) {
				faults[field] = fmt.Sprintf("%q is no tool, such as WebSearch or Bash(npm view *)", rule)
			}
		}
	}
	own := rightsOf(role)
	for _, rule := range allow {
		name, _, special := strings.Cut(rule, "(")
		switch {
		case slices.Contains(own.denied, rule) || slices.Contains(own.denied, name):
			faults["allow"] = name + " goes around Questboard, or around what this role is for: it cannot be allowed"
		case !role.Writes() && name == "Bash" && (!special || strings.HasPrefix(rule, "Bash(*")):
			faults["allow"] = "this role only reads, and Bash for everything can change files: name the command, as in Bash(npm view *)"
		case slices.Contains(deny, rule):
			faults["allow"] = rule + " is denied below"
		}
	}
	for _, rule := range deny {
		if strings.HasPrefix(rule, "mcp__"+agents.MCPServer) {
			faults["deny"] = rule + ": without its own tools a role cannot say that it is done"
		}
	}
	return faults
}
