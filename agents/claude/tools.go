package claude

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"questboard/agents"
	"questboard/orchestration"
)

// with adds the user's choices to a role's rights.
func (r rights) with(allow, deny []string) rights {
	r.allowed, r.denied = join(r.allowed, allow), join(r.denied, deny)
	return r
}

// Tools returns the tools that a role may use, and those that it may not, by default.
func Tools(role orchestration.Role) (allowed, denied []string) {
	r := rightsOf(role)
	foreign := func(rule string) bool {
		name, ours := strings.CutPrefix(rule, agents.ToolPrefix)
		return ours && !slices.Contains(agents.RightsOf(role).Own, name)
	}
	allowed = slices.DeleteFunc(slices.Clone(r.allowed), foreign)
	if r.mayChange() {
		return allowed, r.denied
	}
	for _, command := range agents.RightsOf(role).Commands {
		allowed = append(allowed, "Bash("+command+" *)")
	}
	return allowed, join(slices.DeleteFunc(slices.Clone(r.denied), func(rule string) bool { return rule == noFile }), changing)
}

const maxRulesOfTools = 50

// toolRule matches a tool's name, optionally with a use in brackets. It has no comma,
// because the CLI ends a rule there.
var toolRule = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*(\([^(),\x00-\x1f\x7f]+\))?$`)

// CheckTools returns the faults in the tools that the user adds to a role or removes
// from it, by field: allow and deny.
func CheckTools(role orchestration.Role, allow, deny []string) map[string]string {
	faults := map[string]string{}
	for field, list := range map[string][]string{"allow": allow, "deny": deny} {
		if len(list) > maxRulesOfTools {
			faults[field] = fmt.Sprintf("more than %d rules", maxRulesOfTools)
		}
		for _, rule := range list {
			if len(rule) > 200 || !toolRule.MatchString(rule) {
				faults[field] = fmt.Sprintf("%q is not a tool, such as WebSearch or Bash(npm view *)", rule)
			}
		}
	}
	_, denied := Tools(role)
	for _, rule := range allow {
		name, _, special := strings.Cut(rule, "(")
		switch {
		case slices.Contains(denied, rule) || slices.Contains(denied, name):
			faults["allow"] = name + " would bypass Questboard or the limits of this role, so it cannot be allowed"
		case !role.Writes() && name == "Bash" && (!special || strings.HasPrefix(rule, "Bash(*")):
			faults["allow"] = "this role may only read, and unrestricted Bash can change files: allow single commands, such as Bash(npm view *)"
		case slices.Contains(deny, rule):
			faults["allow"] = rule + " is also under Not allowed: remove it from one list"
		}
	}
	for _, rule := range deny {
		if strings.HasPrefix(rule, "mcp__"+agents.MCPServer) {
			faults["deny"] = rule + " cannot be denied: the role needs it to report that it is done"
		}
	}
	return faults
}
