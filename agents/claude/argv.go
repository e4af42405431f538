package claude

import (
	"cmp"
	"encoding/json"
	"strconv"
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
	}
	argv = append(argv, sessionFlags(spec)...)
	argv = append(argv,
		"--mcp-config="+files.MCP,
		"--setting-sources="+settingSources(spec),
		"--permission-mode="+rights.mode,
		"--allowedTools="+strings.Join(rights.allowed, ","),
		"--disallowedTools="+strings.Join(rights.denied, ","),
		// Whom the CLI asks before a call that needs a permission. Every role has it, so that
		// all see the same tools: the CLI hides this one from the model.
		"--permission-prompt-tool="+tool(agents.PermitTool),
		// The working directory and git's state are told in the first message: each run
		// has its own, and the system prompt is the same for all of a quest.
		"--exclude-dynamic-system-prompt-sections",
	)
	if ask := asksFirst(spec, rights); ask != "" {
		argv = append(argv, "--settings="+ask)
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
	if spec.Cap.USD > 0 { // of this process alone, also if it resumes a session
		argv = append(argv, "--max-budget-usd="+strconv.FormatFloat(spec.Cap.USD, 'f', -1, 64))
	}
	// The user's own arguments come last, because the last value of a flag wins.
	return append(argv, r.cfg.Args...)
}

// asksFirst returns the settings that make the CLI ask us before some calls: what a person
// wants to be asked about (Spec.Ask), and, of a role that only reads, every command and every
// call of a server that is not ours (agents.Refusal). "": it never asks first.
//
// A rule that asks goes before all that allows: the user's rules and hooks, what skills
// bring, the mode of an agent, but not Claude's own sandbox, so that may not allow commands by
// itself. If nobody answers, the CLI refuses. All this was seen in 2.1.163 and 2.1.329, except
// that the older one does not ask for servers.
func asksFirst(spec agents.Spec, rights rights) string {
	var ask []string
	for _, rule := range spec.Ask {
		ask = append(ask, agents.AskRuleIn(spec.Dir, rule))
	}
	if !rights.mayChange() {
		ask = append(ask, "Bash")
		if spec.Trusted { // only then do other servers load
			ask = append(ask, "mcp__*")
		}
	}
	if len(ask) == 0 {
		return ""
	}
	settings, err := json.Marshal(map[string]any{
		"permissions": map[string][]string{"ask": ask},
		"sandbox":     map[string]bool{"autoAllowBashIfSandboxed": false},
	})
	if err != nil {
		panic("encode settings: " + err.Error()) // texts always encode
	}
	return string(settings)
}

func sessionFlags(spec agents.Spec) []string {
	switch {
	case spec.Resume:
		return []string{"--resume=" + spec.SessionID}
	case spec.ForkOf != "":
		return []string{"--resume=" + spec.ForkOf, "--fork-session", "--session-id=" + spec.SessionID}
	default:
		return []string{"--session-id=" + spec.SessionID}
	}
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
