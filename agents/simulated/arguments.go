package simulated

import (
	"fmt"
	"slices"
	"strings"
)

// arguments is the command line: those flags of the Claude Code CLI that an adapter
// uses, and two flags of our own.
type arguments struct {
	Session   string
	Resume    string // the session to go on with; "": none
	Fork      bool   // as a copy, in the new session Session
	MCPConfig string
	Cap       string // USD: the turn is over after the message that crosses it; "": no cap
	Scenario  string // our own: see Open
	Sessions  string // our own: the folder that remembers sessions
}

// ignored lists the flags that take a value and change nothing here.
var ignored = []string{
	"--output-format", "--input-format", "--model", "--permission-mode", "--allowedTools", "--disallowedTools",
	"--append-system-prompt", "--setting-sources", "--permission-prompt-tool", "--tools", "--add-dir",
}

var switches = []string{"-p", "--print", "--verbose", "--strict-mcp-config", "--include-partial-messages"}

const (
	forkFlag = "--fork-session"
	capFlag  = "--max-budget-usd"
)

func parseArguments(args []string) (arguments, error) {
	var a arguments
	for len(args) > 0 {
		flag, value, joined := strings.Cut(args[0], "=")
		args = args[1:]
		if a.Fork = a.Fork || flag == forkFlag; flag == forkFlag || slices.Contains(switches, flag) {
			continue
		}
		target := map[string]*string{
			"--session-id": &a.Session, "--resume": &a.Resume, "--mcp-config": &a.MCPConfig,
			capFlag: &a.Cap, "--scenario": &a.Scenario, "--sessions": &a.Sessions,
		}[flag]
		if target == nil && !slices.Contains(ignored, flag) {
			return a, fmt.Errorf("error: unknown option '%s'", flag)
		}
		if !joined {
			if len(args) == 0 {
				return a, fmt.Errorf("error: option '%s' argument missing", flag)
			}
			value, args = args[0], args[1:]
		}
		if target != nil {
			*target = value
		}
	}
	if a.Resume != "" && !a.Fork {
		a.Session = a.Resume
	}
	if a.Sessions == "" {
		return a, fmt.Errorf("error: --sessions names the folder that remembers sessions")
	}
	return a, nil
}
