package record_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"questboard/orchestration/record"
)

func TestAnAgentsProgramIsCheckedByField(t *testing.T) {
	t.Parallel()
	good := record.AgentProgram{Name: "my-agent2", Command: "agent", Args: []string{"--acp", ""}, Env: map[string]string{"KEY": "a=b c"}}
	with := func(change func(*record.AgentProgram)) record.AgentProgram {
		a := good
		a.Env = maps.Clone(good.Env)
		change(&a)
		return a
	}
	for want, a := range map[string]record.AgentProgram{
		"":          good,
		"name":      with(func(a *record.AgentProgram) { a.Name = "Mine" }),
		"name ":     with(func(a *record.AgentProgram) { a.Name = strings.Repeat("n", 31) }),
		"command":   with(func(a *record.AgentProgram) { a.Command = "" }),
		"command ":  with(func(a *record.AgentProgram) { a.Command = "../agent" }),
		"command  ": with(func(a *record.AgentProgram) { a.Command = "/bin/a\nb" }),
		"args":      with(func(a *record.AgentProgram) { a.Args = []string{"\x00"} }),
		"env":       with(func(a *record.AgentProgram) { a.Env["A B"] = "" }),
		"env ":      with(func(a *record.AgentProgram) { a.Env["QUESTBOARD_TOKEN"] = "" }),
		"env  ":     with(func(a *record.AgentProgram) { a.Env["KEY"] = strings.Repeat("v", 9000) }),
	} {
		if got := strings.Join(slices.Sorted(maps.Keys(a.Check())), ","); got != strings.TrimSpace(want) {
			t.Errorf("%+v: faults in %q, want %q", a, got, want)
		}
	}
}
