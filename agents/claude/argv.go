package claude

import (
	"cmp"
	"strings"

	"questboard/agents"
)

// Argv returns the command line of one run (docs/hardening.md#how-it-starts). The prompt
// is not in it: it goes to standard input. Every value is joined to its flag with "=",
// because several flags would take all words that follow as their values.
func (r *Runner) Argv(spec agents.Spec, files Files) []string {
	rights := rightsOf(spec.Role).with(spec.Allow, spec.Deny)
	argv := []string{
		r.cfg.Path,
		"-p",
		"--verbose", // required with -p and stream-json
		"--output-format=stream-json",
		sessionFlag(spec),
		"--mcp-config=" + files.MCP,
		"--setting-sources=" + settingSources(spec),
		"--permission-mode=" + rights.mode,
		"--allowedTools=" + strings.Join(rights.allowed, ","),
		"--disallowedTools=" + strings.Join(rights.denied, ","),
		// The working directory and git's state are told in the first message: each run
		// has its own, and the system prompt is the same for all of a quest.
		"--exclude-dynamic-system-prompt-sections",
	}
	if !spec.Trusted {
		// Only our server. Without the flag, the servers in .mcp.json and the user's own
		// servers would also start.
		argv = append(argv, "--strict-mcp-config")
	}
	if files.System != "" {
		argv = append(argv, "--append-system-prompt-file="+files.System)
	}
	if model := cmp.Or(spec.Model, r.cfg.Model); model != "" {
		argv = append(argv, "--model="+model)
	}
	if spec.Effort != "" {
		argv = append(argv, "--effort="+spec.Effort)
	}
	// The user's own arguments come last, because the last value of a flag wins.
	return append(argv, r.cfg.Args...)
}

func sessionFlag(spec agents.Spec) string {
	if spec.Resume {
		return "--resume=" + spec.SessionID
	}
	return "--session-id=" + spec.SessionID
}

// settingSources excludes a repository's own settings until the user trusts the
// repository. Its hooks would run with our rights, and its environment could send our
// key elsewhere (docs/hardening.md#how-it-starts).
func settingSources(spec agents.Spec) string {
	if spec.Trusted {
		return "user,project,local"
	}
	return "user"
}
