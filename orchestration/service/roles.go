package service

import (
	"maps"

	"questboard/agents"
	"questboard/agents/claude"
	"questboard/agents/runlog"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// BuiltInPrompt returns the built-in text of a role; "" if no agent plays it.
func BuiltInPrompt(role orchestration.Role) string {
	text, err := agents.RoleText(role)
	if err != nil {
		return ""
	}
	return text
}

// RoleVariable is a variable that a role's text may use.
type RoleVariable struct{ Name, Means string }

// RoleVariables returns all variables, as a text writes them.
func RoleVariables() []RoleVariable {
	var list []RoleVariable
	for _, v := range agents.Variables() {
		shown := RoleVariable{Name: "{{code " + v.Name + "}}", Means: v.Means}
		if v.Truth {
			shown.Name = "{{if " + v.Name + "}}…{{else}}…{{end}}"
		}
		list = append(list, shown)
	}
	return list
}

// RoleSample is an invented run, for looking at a prompt.
type RoleSample struct{ Name, Words string }

// RoleSamples returns the samples of a role.
func RoleSamples(role orchestration.Role) []RoleSample {
	var list []RoleSample
	for _, s := range agents.Samples(role) {
		list = append(list, RoleSample{Name: s.Name, Words: s.Words})
	}
	return list
}

// SamplePrompt returns the whole prompt of a sample with the given settings, as a kept
// prompt is shown.
func SamplePrompt(r record.RoleSettings, sample string) (string, error) {
	system, message, err := agents.SamplePrompt(r.Role, r.Agent, agents.PromptFacts{RoleText: r.Prompt, Allow: r.Allow, Deny: r.Deny}, sample)
	if err != nil {
		return "", err
	}
	return runlog.Prompt{System: system, Message: message}.Text(), nil
}

// RoleTools returns the tools that a role may use, and those that it may not, by
// default.
func RoleTools(role orchestration.Role) (allowed, denied []string) { return claude.Tools(role) }

// CheckRole returns the faults by field: role, prompt, model, effort, allow, deny.
func CheckRole(r record.RoleSettings) map[string]string {
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
