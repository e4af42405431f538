package claude

import (
	"cmp"
	"strings"

	"questboard/agents"
)

// Argv is the command line of one run (docs/hardening.md#how-it-starts). The
// prompt is not in it: it goes by standard input. Every value is joined to its
// flag with "=", for several flags take as many words as follow.
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
	}
	if !spec.Trusted {
		// Our server alone. Without the flag those of .mcp.json start, and
		// the user's own.
		argv = append(argv, "--strict-mcp-config")
	}
	if files.Rules != "" {
		argv = append(argv, "--append-system-prompt-file="+files.Rules)
	}
	if model := cmp.Or(spec.Model, r.cfg.Model); model != "" {
		argv = append(argv, "--model="+model)
	}
	if spec.Effort != "" {
		argv = append(argv, "--effort="+spec.Effort)
	}
	// The user's own come last: the last one of a flag counts.
	return append(argv, r.cfg.Args...)
}

func sessionFlag(spec agents.Spec) string {
	if spec.Resume {
		return "--resume=" + spec.SessionID
	}
	return "--session-id=" + spec.SessionID
}

// settingSources keeps a repository's own settings out, for its hooks would run
// as us and its environment could send our key elsewhere
// (docs/hardening.md#how-it-starts), until the user trusts the repository.
func settingSources(spec agents.Spec) string {
	if spec.Trusted {
		return "user,project,local"
	}
	return "user"
}
