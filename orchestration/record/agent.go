package record

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// AgentPrefix begins the names of agents that the user has set: acp:NAME.
const AgentPrefix = "acp:"

// AgentProgram is a program of the user's that speaks the Agent Client Protocol.
type AgentProgram struct {
	Name string `json:"name"`
	// Command is an absolute path, or a name to look up in PATH. No shell reads it or Args.
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	// Env are variables by name. Their values are secrets: no page and no API shows them.
	Env map[string]string `json:"env,omitempty"`
}

var (
	agentName    = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,29}$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)
)

// IsAgentName reports whether a text can be the name of an agent that the user sets, with
// AgentPrefix.
func IsAgentName(text string) bool {
	name, is := strings.CutPrefix(text, AgentPrefix)
	return is && agentName.MatchString(name)
}

// FullName returns the agent's name for quests.
func (a AgentProgram) FullName() string { return AgentPrefix + a.Name }

// maxEnvironment is how long a value, and an argument, may be, in bytes.
const maxEnvironment = 8 << 10

// Check returns the faults by field: name, command, args, env.
func (a AgentProgram) Check() map[string]string {
	faults := map[string]string{}
	if !agentName.MatchString(a.Name) {
		faults["name"] = "a name of 1 to 30 small letters, digits and - is needed"
	}
	if a.Command == "" || strings.ContainsFunc(a.Command, isControl) || len(a.Command) > maxAddress ||
		!path.IsAbs(a.Command) && strings.Contains(a.Command, "/") {
		faults["command"] = "the absolute path of a program is needed, or a name to look up in PATH"
	}
	if slices.ContainsFunc(a.Args, func(arg string) bool { return strings.ContainsRune(arg, 0) || len(arg) > maxEnvironment }) ||
		len(a.Args) > 100 {
		faults["args"] = "these are no arguments of a program"
	}
	for name, value := range a.Env {
		switch {
		case !variableName.MatchString(name):
			faults["env"] = "the name of a variable has letters, digits and _"
		case strings.HasPrefix(name, "QUESTBOARD_"):
			faults["env"] = "variables that begin with QUESTBOARD_ are Questboard's own"
		case strings.ContainsRune(value, 0) || len(value) > maxEnvironment:
			faults["env"] = "a value has at most 8192 bytes, and no zero byte"
		}
	}
	if len(a.Env) > 100 {
		faults["env"] = "more than 100 variables"
	}
	return faults
}

// Agent returns the agent with this name, which is without AgentPrefix.
func (s Settings) Agent(name string) (AgentProgram, bool) {
	i := slices.IndexFunc(s.Agents, func(a AgentProgram) bool { return a.Name == name })
	if i < 0 {
		return AgentProgram{}, false
	}
	return s.Agents[i], true
}

// SetAgent replaces the agent with the same name, or adds one. The list is by name.
func (s *Settings) SetAgent(a AgentProgram) {
	s.RemoveAgent(a.Name)
	s.Agents = append(s.Agents, a)
	slices.SortFunc(s.Agents, func(a, b AgentProgram) int { return strings.Compare(a.Name, b.Name) })
}

// RemoveAgent removes the agent with this name.
func (s *Settings) RemoveAgent(name string) {
	s.Agents = slices.DeleteFunc(slices.Clone(s.Agents), func(a AgentProgram) bool { return a.Name == name })
}

// AgentSecrets returns the values of all agents' variables.
func (s Settings) AgentSecrets() []string {
	var all []string
	for _, a := range s.Agents {
		for _, value := range a.Env {
			all = append(all, value)
		}
	}
	slices.Sort(all)
	return all
}
