package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"questboard/agents/agentstest"
	"questboard/orchestration"
)

// docs/state-machine.md#a-run-that-ends-without-a-signal: the test provokes faults with
// the real CLI and checks which row of the table each one is.
func TestRealCLIEndings(t *testing.T) {
	t.Parallel()
	always := func(reply agentstest.Reply) agentstest.Script {
		return func(agentstest.Request) agentstest.Reply { return reply }
	}
	tests := []struct {
		rule   string
		script agentstest.Script
		change func(*rig)
		end    orchestration.End
		why    string
	}{
		{"an exit without a signal", always(agentstest.Say(agentstest.Text("I forgot."))), nil, orchestration.EndClean, "ended its turn"},
		{"a 429, then it goes on", once(agentstest.RateLimited(), done), nil, orchestration.EndClean, ""},
		{"overloaded to the end", always(agentstest.Overloaded()), nil, orchestration.EndOverloaded, "overloaded"},
		{"context overflow", always(agentstest.ContextFull()), nil, orchestration.EndContext, "context window"},
		{"the connection is cut", always(agentstest.Cut()), nil, orchestration.EndOverloaded, "reached"},
		{"401", always(agentstest.Unauthorized()), nil, orchestration.EndLogin, "not logged in"},
		{"our MCP server cannot be reached", done, func(r *rig) { r.spec.MCPURL = "http://127.0.0.1:1/mcp" }, orchestration.EndInfrastructure, "MCP server"},
		{"our MCP server refuses the token", done, func(r *rig) { r.spec.Token = "another" }, orchestration.EndInfrastructure, "MCP server"},
		{"the user's settings forbid signal-back", done, func(r *rig) {
			write(r.t, filepath.Join(r.home(), ".claude", "settings.json"), `{"permissions":{"deny":["`+signalBack+`"]}}`)
		}, orchestration.EndInfrastructure, "signal-back"},
		{"an unknown session", done, func(r *rig) { r.spec.Resume, r.spec.SessionID = true, uuid.NewString() }, orchestration.EndUnknownSession, "not there"},
		{"no key and no login", done, func(r *rig) { r.config.Environ = without(r.config.Environ, "ANTHROPIC_API_KEY") }, orchestration.EndLogin, "log in"},
		{"a bad argument of the user's", done, func(r *rig) { r.config.Args = []string{"--no-such-flag"} }, orchestration.EndCrashed, "no-such-flag"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, cliVersion, orchestration.Codeweaver, tt.script)
			if tt.change != nil {
				tt.change(r)
			}
			ended := r.play()
			if ended.End != tt.end || !strings.Contains(ended.Exit.Why, tt.why) {
				t.Errorf("%s (%s), want %s (… %s …); its output:\n%s", ended.End, ended.Exit.Why, tt.end, tt.why, r.output())
			}
		})
	}
}

// once answers the first request with a reply, the others by the script.
func once(reply agentstest.Reply, script agentstest.Script) agentstest.Script {
	return func(r agentstest.Request) agentstest.Reply {
		if r.N == 0 {
			return reply
		}
		return script(r)
	}
}

func (r *rig) home() string {
	for _, entry := range r.config.Environ {
		if home, ok := strings.CutPrefix(entry, "HOME="); ok {
			return home
		}
	}
	r.t.Fatal("no HOME")
	return ""
}

func without(env []string, name string) []string {
	var kept []string
	for _, entry := range env {
		if !strings.HasPrefix(entry, name+"=") {
			kept = append(kept, entry)
		}
	}
	return kept
}
