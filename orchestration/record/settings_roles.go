package record

import (
	"regexp"
	"slices"
	"strings"

	"questboard/orchestration"
)

// RoleSettings are what the user changed of one role. What is empty is built in.
type RoleSettings struct {
	Role orchestration.Role `json:"role"`
	// Prompt is the role's text in place of the built-in one.
	Prompt string `json:"prompt,omitempty"`
	// Before is the text that the last change of it replaced, for one undo; nil
	// where nothing was changed yet, "" where that was the built-in one.
	Before *string `json:"before,omitempty"`
	Model  string  `json:"model,omitempty"`
	Effort string  `json:"effort,omitempty"`
	// Allow are tools that an agent may use beyond the built-in ones, Deny those
	// that it may not; in the words of the agent's program.
	Allow []string `json:"allow,omitempty"`
	Deny  []string `json:"deny,omitempty"`
}

// Efforts are how hard a model may be told to think, from the least on.
var Efforts = []string{"low", "medium", "high", "xhigh", "max"}

// Changed reports whether anything differs from what is built in.
func (r RoleSettings) Changed() bool {
	return r.Prompt != "" || r.Model != "" || r.Effort != "" || len(r.Allow)+len(r.Deny) > 0
}

// SetPrompt puts a text in place of the role's; the one before is kept.
func (r *RoleSettings) SetPrompt(text string) {
	if text != r.Prompt {
		before := r.Prompt
		r.Before, r.Prompt = &before, text
	}
}

// UndoPrompt brings the text back that the last change replaced, and keeps the
// other one in its place.
func (r *RoleSettings) UndoPrompt() {
	if r.Before != nil {
		r.SetPrompt(*r.Before)
	}
}

// OfRole returns the settings of a role; where there are none, only the role is
// filled in.
func (s Settings) OfRole(role orchestration.Role) RoleSettings {
	for _, r := range s.Roles {
		if r.Role == role {
			return r
		}
	}
	return RoleSettings{Role: role}
}

// SetRole puts the settings of a role in place of those it had.
func (s *Settings) SetRole(r RoleSettings) {
	s.Roles = slices.DeleteFunc(slices.Clone(s.Roles), func(old RoleSettings) bool { return old.Role == r.Role })
	if r.Changed() || r.Before != nil {
		s.Roles = append(s.Roles, r)
	}
}

// modelName is what may stand on a command line as the name of a model:
// aliases, versions, names of a cloud, and a suffix such as [1m].
var modelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]*(\[[A-Za-z0-9]+\])?$`)

// Check names what is wrong, by field: role, model, effort. The text and the
// tools are for those who know the agent's program.
func (r RoleSettings) Check() map[string]string {
	faults := map[string]string{}
	if !r.Role.Agent() || !slices.Contains(orchestration.Roles, r.Role) {
		faults["role"] = "there is no agent of that role"
	}
	if r.Model != "" && (len(r.Model) > 200 || !modelName.MatchString(r.Model)) {
		faults["model"] = "a name such as opus or claude-opus-4-8, without spaces"
	}
	if r.Effort != "" && !slices.Contains(Efforts, r.Effort) {
		faults["effort"] = "one of " + strings.Join(Efforts, ", ") + ", or nothing"
	}
	return faults
}
