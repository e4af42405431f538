package claude

import (
	"questboard/agents"
	"questboard/orchestration"
)

// rights say which tools a role may use.
type rights struct {
	mode            string // --permission-mode
	allowed, denied []string
}

// unfit lists tools that bypass the orchestrator: they ask a person who is not there,
// leave the working tree, or work after the run.
var unfit = []string{
	"AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "EnterWorktree", "ExitWorktree",
	"ScheduleWakeup", "CronCreate", "CronDelete", "CronList", "RemoteTrigger",
	"SendMessage", "ListAgents", "Monitor", "Workflow", "ReportFindings",
}

// rightsOf returns what a role may do. Writers read, edit, run and delegate; the two
// planners read and delegate.
func rightsOf(role orchestration.Role) rights {
	ours := []string{tool("signal-back"), tool("get-quest")}
	// Glob and Grep are named although they need no permission: releases that search
	// through Bash offer them only if they are named.
	read := []string{"Read", "Glob", "Grep", "Task", "Agent"}
	if role.Writes() {
		return rights{
			mode:    "acceptEdits",
			allowed: join(read, []string{"Edit", "Write", "NotebookEdit", "Bash"}, ours),
			denied:  unfit,
		}
	}
	if own := role.Tool(); own != "" {
		ours = append(ours, tool(own))
	}
	return rights{
		// acceptEdits would allow touch, rm, mv and output redirection (seen in
		// 2.1.329). dontAsk denies everything that is not allowed by name or known to
		// only read.
		mode:    "dontAsk",
		allowed: join(read, []string{"Bash(git log *)", "Bash(git diff *)"}, ours),
		denied: join(unfit, []string{
			"Edit", "Write", "NotebookEdit",
			"Bash(git log *--output*)", "Bash(git diff *--output*)", // they write files
		}),
	}
}

func tool(name string) string { return agents.ToolPrefix + name }

func join(lists ...[]string) []string {
	var all []string
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}
