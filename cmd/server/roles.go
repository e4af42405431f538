package main

import (
	"maps"

	"questboard/agents"
	"questboard/agents/claude"
	"questboard/agents/ward"
	"questboard/handlers"
	"questboard/orchestration"
)

// roleBook tells the pages and the API of the roles.
type roleBook struct{}

// Text implements handlers.RoleBook.
func (roleBook) Text(role orchestration.Role) string {
	text, err := agents.RoleText(role)
	if err != nil {
		return "" // no agent plays it
	}
	return text
}

// Variables implements handlers.RoleBook.
func (roleBook) Variables() []handlers.RoleVariable {
	var list []handlers.RoleVariable
	for _, v := range agents.Variables() {
		shown := handlers.RoleVariable{Name: "{{code " + v.Name + "}}", Means: v.Means}
		if v.Truth {
			shown.Name = "{{if " + v.Name + "}}…{{else}}…{{end}}"
		}
		list = append(list, shown)
	}
	return list
}

// Samples implements handlers.RoleBook.
func (roleBook) Samples(role orchestration.Role) []handlers.RoleSample {
	var list []handlers.RoleSample
	for _, s := range agents.Samples(role) {
		list = append(list, handlers.RoleSample{Name: s.Name, Words: s.Words})
	}
	return list
}

// Sample implements handlers.RoleBook.
func (roleBook) Sample(role orchestration.Role, text, sample string) (string, error) {
	return agents.SamplePrompt(role, text, sample)
}

// Tools implements handlers.RoleBook.
func (roleBook) Tools(role orchestration.Role) (allowed, denied []string) { return claude.Tools(role) }

// Check implements handlers.RoleBook.
func (roleBook) Check(r orchestration.RoleSettings) map[string]string {
	faults := r.Check()
	if faults["role"] != "" {
		return faults
	}
	maps.Copy(faults, claude.CheckTools(r.Role, r.Allow, r.Deny))
	if r.Prompt != "" {
		if err := agents.CheckRoleText(r.Role, r.Prompt); err != nil {
			faults["prompt"] = err.Error()
		}
	}
	return faults
}

// started is what the settings page tells of the flags.
func (c Config) started() handlers.Started {
	return handlers.Started{Slots: c.Slots, Model: c.Model, Arguments: c.ClaudeArgs, Given: c.Given,
		Timeouts: orchestration.Timeouts{Stuck: c.StuckAfter, Run: c.RunTimeout, Grace: c.Grace, Backoff: c.Backoff, Ward: ward.Timeout}}
}
