package service

import (
	"maps"

	"questboard/agents"
	"questboard/agents/claude"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// RoleText is the built-in text of a role; "" where no agent plays it.
func RoleText(role orchestration.Role) string {
	text, err := agents.RoleText(role)
	if err != nil {
		return ""
	}
	return text
}

// RoleVariable is what a role's text may name.
type RoleVariable struct{ Name, Means string }

// RoleVariables are all of them, as a text writes them.
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

// RoleSample is a run that never was, to look at a prompt with.
type RoleSample struct{ Name, Words string }

// RoleSamples are those of a role.
func RoleSamples(role orchestration.Role) []RoleSample {
	var list []RoleSample
	for _, s := range agents.Samples(role) {
		list = append(list, RoleSample{Name: s.Name, Words: s.Words})
	}
	return list
}

// SamplePrompt is the whole prompt of a sample, with a text in place of the
// built-in one, or, where it is empty, with that.
func SamplePrompt(role orchestration.Role, text, sample string) (string, error) {
	return agents.SamplePrompt(role, text, sample)
}

// RoleTools are those that a role may use, and may not, without further choice.
func RoleTools(role orchestration.Role) (allowed, denied []string) { return claude.Tools(role) }

// CheckRole names what is wrong, by field: role, prompt, model, effort, allow,
// deny.
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
