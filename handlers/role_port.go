package handlers

import "questboard/orchestration"

// RoleBook is what the program knows of its roles.
type RoleBook interface {
	// Text is the built-in text of a role, and Variables what one may name.
	Text(role orchestration.Role) string
	Variables() []RoleVariable
	// Samples are runs that never were; Sample is the whole prompt of one, with
	// a text in place of the built-in one, or, where it is empty, with that.
	Samples(role orchestration.Role) []RoleSample
	Sample(role orchestration.Role, text, sample string) (string, error)
	// Tools are those that a role may use, and may not, without further choice.
	Tools(role orchestration.Role) (allowed, denied []string)
	// Check names what is wrong, by field: prompt, model, effort, allow, deny.
	Check(r orchestration.RoleSettings) map[string]string
}

// RoleVariable is what a role's text may name.
type RoleVariable struct{ Name, Means string }

// RoleSample is a run to look at a prompt with.
type RoleSample struct{ Name, Words string }

// Started is what the server was started with. It counts where the settings
// say nothing.
type Started struct {
	Slots    int
	Timeouts orchestration.Timeouts
	Model    string // of every agent; empty: the agent's own choice
	// Arguments are further ones for every agent; they come last and win.
	Arguments []string
	// Given are the flags that were named, with where: "flag", or the name of an
	// environment variable.
	Given map[string]string
}
