package record

import (
	"slices"
	"strings"

	"questboard/orchestration"
)

// RoleSettings are the user's changes to one role. An empty field means the built-in
// setting.
type RoleSettings struct {
	Role orchestration.Role `json:"role"`
	// Prompt replaces the role's built-in text.
	Prompt string `json:"prompt,omitempty"`
	// Before is the text that the last change replaced, for one undo: nil if there was
	// no change yet, "" if it was the built-in text.
	Before *string `json:"before,omitempty"`
	// Agent is the program of the role in quests that begin from now on and choose none.
	Agent string `json:"agent,omitempty"`
	Model string `json:"model,omitempty"`
	// Fallback and FallbackAfter are those of orchestration.Program, of quests as for Agent.
	Fallback      []string `json:"fallback,omitempty"`
	FallbackAfter int      `json:"fallbackAfter,omitempty"`
	Effort        string   `json:"effort,omitempty"`
	// Allow lists tools that an agent may use beyond the built-in ones, Deny tools that
	// it may not use, as the agent's program calls them.
	Allow []string `json:"allow,omitempty"`
	Deny  []string `json:"deny,omitempty"`
	// Ask lists calls before which a person is asked (orchestration.CheckAskRules).
	Ask []string `json:"ask,omitempty"`
}

// Program returns what the role uses in quests that begin from now on and choose nothing.
func (r RoleSettings) Program() orchestration.Program {
	return orchestration.Program{Agent: r.Agent, Model: r.Model, Fallback: r.Fallback, FallbackAfter: r.FallbackAfter}
}

// Efforts are the levels of effort for a model, from the lowest.
var Efforts = []string{"low", "medium", "high", "xhigh", "max"}

// Changed reports whether anything differs from the built-in settings.
func (r RoleSettings) Changed() bool {
	return r.Prompt != "" || !r.Program().IsZero() || r.Effort != "" || len(r.Allow)+len(r.Deny)+len(r.Ask) > 0
}

// SetPrompt sets the role's text and keeps the earlier one for an undo.
func (r *RoleSettings) SetPrompt(text string) {
	if text != r.Prompt {
		before := r.Prompt
		r.Before, r.Prompt = &before, text
	}
}

// UndoPrompt exchanges the text and the one that the last change replaced.
func (r *RoleSettings) UndoPrompt() {
	if r.Before != nil {
		r.SetPrompt(*r.Before)
	}
}

// OfRole returns the settings of a role. If there are none, only the role is filled in.
func (s Settings) OfRole(role orchestration.Role) RoleSettings {
	for _, r := range s.Roles {
		if r.Role == role {
			return r
		}
	}
	return RoleSettings{Role: role}
}

// SetRole replaces the settings of a role.
func (s *Settings) SetRole(r RoleSettings) {
	s.Roles = slices.DeleteFunc(slices.Clone(s.Roles), func(old RoleSettings) bool { return old.Role == r.Role })
	if r.Changed() || r.Before != nil {
		s.Roles = append(s.Roles, r)
	}
}

// Check returns the faults by field: role, effort, ask, and those of Program. It leaves the text and the
// tools to code that knows the agent's program.
func (r RoleSettings) Check() map[string]string {
	faults := r.Program().Check()
	if !r.Role.Agent() {
		faults["role"] = "there is no agent of that role"
	}
	if r.Effort != "" && !slices.Contains(Efforts, r.Effort) {
		faults["effort"] = "one of " + strings.Join(Efforts, ", ") + ", or nothing"
	}
	if why := orchestration.CheckAskRules(r.Ask); why != "" {
		faults["ask"] = why
	}
	return faults
}

// Asks returns the rules of each role that ask a person.
func (s Settings) Asks() map[orchestration.Role][]string {
	asks := map[orchestration.Role][]string{}
	for _, r := range s.Roles {
		if len(r.Ask) > 0 {
			asks[r.Role] = r.Ask
		}
	}
	return asks
}
