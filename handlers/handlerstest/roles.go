package handlerstest

import (
	"errors"
	"strings"
	"time"

	"questboard/handlers"
	"questboard/orchestration"
)

// RoleBook knows a short text of each role. It refuses texts with "{{.Nope}}"
// and tools with "!".
type RoleBook struct{}

// Text is a few lines.
func (RoleBook) Text(role orchestration.Role) string {
	return "You are **" + string(role) + "**.\n\n# Your job\n\nWork on {{code .Line}}.\n"
}

// Variables are two.
func (RoleBook) Variables() []handlers.RoleVariable {
	return []handlers.RoleVariable{{Name: "{{code .Line}}", Means: "the step's id"}, {Name: "{{if .Whole}}…{{else}}…{{end}}", Means: "the work is for the whole quest"}}
}

// Samples are two.
func (RoleBook) Samples(orchestration.Role) []handlers.RoleSample {
	return []handlers.RoleSample{{Name: "step", Words: "a step"}, {Name: "review", Words: "the review"}}
}

// Sample says which sample it is, and how to signal.
func (b RoleBook) Sample(role orchestration.Role, text, sample string) (string, error) {
	if sample == "" {
		return "", errors.New("there is no such sample")
	}
	if text == "" {
		text = b.Text(role)
	}
	return "[questboard] sample=" + sample + "\n\n" + text + "\n# How you end: `signal-back`\n", nil
}

// Tools are a few.
func (RoleBook) Tools(orchestration.Role) (allowed, denied []string) {
	return []string{"Read", "Edit", "Bash"}, []string{"AskUserQuestion"}
}

// Check refuses what is said above, and what the rules refuse.
func (RoleBook) Check(r orchestration.RoleSettings) map[string]string {
	faults := r.Check()
	if strings.Contains(r.Prompt, "{{.Nope}}") {
		faults["prompt"] = "there is no variable .Nope"
	}
	for field, list := range map[string][]string{"allow": r.Allow, "deny": r.Deny} {
		if strings.Contains(strings.Join(list, ""), "!") {
			faults[field] = "that is no tool"
		}
	}
	return faults
}

// Started is what a server without flags was started with.
func Started() handlers.Started {
	return handlers.Started{Slots: 3, Given: map[string]string{"stuck-after": "QUESTBOARD_STUCK_AFTER"}, Timeouts: orchestration.Timeouts{
		Stuck: 10 * time.Minute, Run: 4 * time.Hour, Grace: 10 * time.Second, Backoff: time.Minute, Ward: 30 * time.Minute}}
}
