package transcript

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"
)

// minionName is the member of a minion's lines that has its name. Not every release writes
// it.
const minionName = "task_description"

// callsMinion reports whether a tool starts a sub-agent, a minion. Newer releases call it
// Agent.
func callsMinion(tool string) bool { return tool == "Task" || tool == "Agent" }

// minionWords says which minion is called, and what it is asked: its name and the first
// line of its task. The name is the one that the agent chose, or the short description of
// the task.
func minionWords(input gjson.Result) string {
	field := func(name string) string { return strings.TrimSpace(input.Get(name).Str) }
	name := cmp.Or(field("name"), field("description"), field("subagent_type"))
	asked, _, _ := strings.Cut(field("prompt"), "\n")
	if name == "" || asked == "" {
		return name + asked
	}
	return name + ": " + asked
}
