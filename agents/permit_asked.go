package agents

import (
	"cmp"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"questboard/orchestration"
)

// Asked is a call about which an agent's program asks that knows none of our rules.
type Asked struct {
	// Tool is the tool's name as RightsOf has it, or as the program calls it.
	Tool  string
	Input json.RawMessage // of Bash: an object with "command"
	// Files are those that the call is about, absolute.
	Files []string
	// Title says what the call would do, where the program tells no input; "": it does not say all.
	Title string
}

// RefusalOf says why a run may not make a call, and what it may do instead; "": it may. It
// is the rule of Refusal for programs that ask about everything: what the role has, in the
// run's own folder, is allowed, and what the person forbids is not. A call that a rule in Ask
// matches is up to the person; waits: they are asked now.
func RefusalOf(spec Spec, call Asked) (no string, waits bool) {
	if rules := call.matched(spec.Deny, spec.Dir); len(rules) > 0 {
		return "Refused, nothing ran: the person forbids " + code(rules[0]) + ".", false
	}
	no = refusalOf(spec, call)
	rules := call.matched(spec.Ask, spec.Dir)
	if len(rules) == 0 || no != "" && !spec.Role.Writes() && (call.Tool == "Bash" || asksForTool("Edit", call.Tool)) {
		return no, false // a role that only reads runs what reads and edits nothing, so nobody is asked
	}
	asked := orchestration.Call{Tool: call.Tool, Text: call.text(), Rules: rules}
	if asked.Text == "" {
		return TooLong, false
	}
	return spec.Permit(asked)
}

func refusalOf(spec Spec, call Asked) string {
	rights := RightsOf(spec.Role)
	switch {
	case call.Tool == "Bash" && rights.Commands == nil, slices.Contains(spec.Allow, call.Tool):
		return ""
	case (call.Tool != "Edit" || spec.Role.Writes()) && call.allowedBy(spec.Allow, spec.Dir):
		return ""
	case call.Tool != "Bash" && slices.Contains(rights.Tools, call.Tool) &&
		!slices.ContainsFunc(call.Files, func(file string) bool { return !spec.sees(file) }):
		return ""
	}
	return Refusal(spec.Role, spec.Allow, call.Tool, call.Input)
}

// text says what the call would do, in full; "": it is too long for a person, or unknown.
func (c Asked) text() string {
	var fields map[string]any
	_ = json.Unmarshal(c.Input, &fields) // on an error there are none
	if len(fields) > 0 {
		return callText(c.Tool, fields, c.Input)
	}
	return readable(cmp.Or(strings.Join(c.Files, "\n"), c.Title))
}

// matched returns the rules that stand for the call. Of a call whose files or address are
// not known, or of a line that is too long to be read, every rule for such calls does.
func (c Asked) matched(rules []string, dir string) (all []string) {
	var fields map[string]any
	_ = json.Unmarshal(c.Input, &fields) // on an error there is no command
	command, _ := fields["command"].(string)
	address, _ := fields["url"].(string)
	unknown := len(command) > maxLine || c.Tool == "WebFetch" && address == ""
	for _, rule := range rules {
		name, use, special := strings.Cut(strings.TrimSuffix(rule, ")"), "(")
		switch {
		case !asksForTool(name, c.Tool) && (name != "Write" || c.Tool != "Edit"): // the protocol has one kind for both
		case !special:
			all = append(all, rule)
		case c.Tool == "Bash" || c.Tool == "WebFetch":
			if unknown || useMatches(c.Tool, use, dir, fields) {
				all = append(all, rule)
			}
		case len(c.Files) == 0 || slices.ContainsFunc(c.Files, func(file string) bool { return pathAsks(use, dir, file) }):
			all = append(all, rule)
		}
	}
	return all
}

// TooLong refuses a call that no person could read.
const TooLong = "Refused, nothing ran: this call is too long to be shown to a person. Make a shorter one."

// NotStored makes an agent wait until the server can store again. It does not mention a
// full disk, because the agent might begin to delete files.
const NotStored = "The server cannot store this right now. Nothing changed, and nothing of your work is lost. " +
	"This is not your task to mend: do not end your turn, wait a minute (sleep 60), and make the same call again until it is stored."

// PermitWords says to an agent what became of PermissionAsked: why it may not make the call
// now ("": it may), and whether it is because a person is asked. err is that of the commit.
func PermitWords(q *orchestration.Quest, run string, call orchestration.Call, err error) (no string, waits bool) {
	var rule *orchestration.Error
	switch {
	case errors.As(err, &rule) && rule.Code != orchestration.CodeUnavailable:
		return "Refused, nothing ran: " + rule.Message, false
	case err != nil:
		return NotStored, false
	case q.AskedAbout(run, call):
		return waitsWords, true
	}
	return "", false
}

// waitsWords answers a call that a person has to decide about.
const waitsWords = "Nothing ran: the human is asked whether you may make this call. This session is resumed with the decision. " +
	"Do nothing more and end your turn now."

// sees reports whether a file is in the run's folder, or named in its prompt.
func (s Spec) sees(file string) bool {
	rel, err := filepath.Rel(s.Dir, file)
	return err == nil && filepath.IsLocal(rel) || slices.Contains(s.Reads, filepath.Clean(file))
}
