package e2e_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// With -sandbox each real agent works, asks, and is resumed after a restart of the server. It
// does not see what is in the user's home: neither a secret nor a login, so it needs a key.
func TestRealAgentsWorkInTheSandbox(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	greedy := func(r toldRun, turn int) move {
		m := errand(r, turn)
		if r.role == "codeweaver" && m.command != "" {
			m.command = `sh -c 'cat "$HOME/.netrc"' >greeting.txt; echo hello >>greeting.txt` // opencode asks about a path that it sees
		}
		return m
	}
	for name, agent := range realAgents(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := agent.model(t, greedy)
			env := agent.env(t, model.url)
			home, _ := strings.CutPrefix(env[0], "HOME=")
			write(t, filepath.Join(home, ".netrc"), "CANARY")
			s, start := startACP(t, name, agent.program.Path, agent.program.Path, env, "-sandbox")
			carry(t, s, start, model, name, regexp.MustCompile("."))
		})
	}
}
