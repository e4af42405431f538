package agents

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// Asked is a call about which an agent's program asks that knows none of our rules.
type Asked struct {
	// Tool is the tool's name as RightsOf has it, or as the program calls it.
	Tool  string
	Input json.RawMessage // of Bash: an object with "command"
	// Files are those that the call is about, absolute.
	Files []string
}

// RefusalOf says why a run may not make a call, and what it may do instead; "": it may. It
// is the rule of Refusal for programs that ask about everything: what the role has, in the
// run's own folder, is allowed, and what the person forbids is not.
func RefusalOf(spec Spec, call Asked) string {
	rights := RightsOf(spec.Role)
	if rule := call.matched(spec.Deny, spec.Dir); rule != "" {
		return "Refused, nothing ran: the person forbids " + code(rule) + "."
	}
	if rule := call.matched(spec.Ask, spec.Dir); rule != "" {
		return "Refused, nothing ran: a person would have to be asked about " + code(rule) + ", and this program cannot wait for an answer."
	}
	switch {
	case call.Tool == "Bash" && rights.Commands == nil, slices.Contains(spec.Allow, call.Tool):
		return ""
	case (call.Tool != "Edit" || spec.Role.Writes()) && call.allowedBy(spec.Allow, spec.Dir):
		return ""
	case call.Tool != "Bash" && slices.Contains(rights.Tools, call.Tool) && !slices.ContainsFunc(call.Files, func(file string) bool { return !spec.sees(file) }):
		return ""
	}
	return Refusal(spec.Role, spec.Allow, call.Tool, call.Input)
}

// matched returns the first rule that stands for the call; "": none. Of a call whose files are
// not known, or of a line that is too long to be read, every rule for such calls does.
func (c Asked) matched(rules []string, dir string) string {
	var fields map[string]any
	_ = json.Unmarshal(c.Input, &fields) // on an error there is no command
	command, _ := fields["command"].(string)
	for _, rule := range rules {
		name, use, special := strings.Cut(strings.TrimSuffix(rule, ")"), "(")
		switch {
		case !asksForTool(name, c.Tool) && (name != "Write" || c.Tool != "Edit"): // the protocol has one kind for both
		case !special:
			return rule
		case c.Tool == "Bash" || c.Tool == "WebFetch":
			if len(command) > maxLine || useMatches(c.Tool, use, dir, fields) {
				return rule
			}
		case len(c.Files) == 0 || slices.ContainsFunc(c.Files, func(file string) bool { return pathMatches(use, dir, file) }):
			return rule
		}
	}
	return ""
}

// sees reports whether a file is in the run's folder, or named in its prompt.
func (s Spec) sees(file string) bool {
	rel, err := filepath.Rel(s.Dir, file)
	return err == nil && filepath.IsLocal(rel) || slices.Contains(s.Reads, filepath.Clean(file))
}
