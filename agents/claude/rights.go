package claude

import (
	"slices"

	"questboard/agents"
	"questboard/orchestration"
)

// rights say which tools a role may use. Every role sees the same list of tools, so that
// all requests of a quest begin with the same bytes. What a role may not do is denied when
// it tries.
type rights struct {
	mode            string // --permission-mode
	allowed, denied []string
}

// unfit lists tools that bypass the orchestrator: they ask a person who is not there,
// leave the working tree, or work after the run. No role has them. The bare name of a
// tool under --disallowedTools removes it from the list.
var unfit = []string{
	"AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "EnterWorktree", "ExitWorktree",
	"ScheduleWakeup", "CronCreate", "CronDelete", "CronList", "RemoteTrigger",
	"SendMessage", "ListAgents", "Monitor", "Workflow", "ReportFindings",
}

// changing are the tools that change files. A role that only reads sees them and may not
// use them: noFile denies them for every path, and wins over each rule that allows one.
var changing = []string{"Edit", "Write", "NotebookEdit"}

// noFile is a rule of Edit, which the CLI applies to all tools that change files
// (docs/hardening.md#how-it-starts).
const noFile = "Edit(//**)"

// rightsOf returns what a role may do (agents.RightsOf) as the CLI's rules.
func rightsOf(role orchestration.Role) rights {
	var ours []string
	for _, name := range agents.MCPTools() { // the endpoint refuses a foreign one, and says what the role may call
		ours = append(ours, tool(name))
	}
	// Glob and Grep are named although they need no permission: releases that search
	// through Bash offer them only if they are named. Task is the older name of Agent.
	own := agents.RightsOf(role)
	if own.Commands == nil {
		return rights{mode: "acceptEdits", allowed: join([]string{"Task"}, own.Tools, ours), denied: unfit}
	}
	return rights{
		mode:    "default", // acceptEdits would allow touch, rm, mv and output redirection (seen in 2.1.329)
		allowed: join([]string{"Task"}, own.Tools, ours),
		denied:  join(unfit, []string{noFile}),
	}
}

// mayChange reports whether a role's rights let it change files.
func (r rights) mayChange() bool { return !slices.Contains(r.denied, noFile) }

func tool(name string) string { return agents.ToolPrefix + name }

func join(lists ...[]string) []string {
	var all []string
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}
