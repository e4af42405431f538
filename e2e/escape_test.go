package e2e_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"questboard/agents/agentstest"
)

// waysOut are the known ways in which programs leave processes behind, as commands of
// an agent. TAG is replaced, and n is the number of processes.
var waysOut = []struct {
	script string
	n      int
}{
	{`sleep TAG & wait`, 1},
	{`nohup sleep TAG >/dev/null 2>&1 & echo`, 1},
	{`setsid sleep TAG & wait`, 1},
	{`(setsid sh -c 'sleep TAG & ' </dev/null >/dev/null 2>&1 &); echo`, 1},
	{`env -i /bin/sleep TAG & wait`, 1},
	{`(env -i /usr/bin/setsid /bin/sh -c '/bin/sleep TAG & ' </dev/null >/dev/null 2>&1 &); echo`, 1},
	{`trap '' TERM HUP INT PIPE; sleep TAG & wait`, 1},
	{`f(){ (setsid sh -c 'trap "" TERM; sleep TAG' &) ; }; for i in 1 2 3 4 5 6 7 8 9 10; do f; done; wait`, 10},
}

// docs/hardening.md#processes, T2.1: no process of a run outlives the run, whatever it
// does and however the run ends. No other process is touched. QUESTBOARD_ESCAPE_ROUNDS
// makes this a long test, in which the promised times count.
func TestNoProcessOutlivesItsRun(t *testing.T) {
	t.Parallel()
	for _, e := range waysToEnd(8 * time.Second) {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			p := newPack(t)
			var scenario strings.Builder
			steps := make([]string, len(waysOut))
			for i, way := range waysOut {
				fmt.Fprintf(&scenario, "- {role: codeweaver, step: e%d, visit: 1, do: [{run: %s}, {hang: true}]}\n", i, jsonText(strings.ReplaceAll(way.script, "TAG", p.tag(way.n))))
				steps[i] = fmt.Sprintf(`{"id":"e%d","title":"E","files":["e%d"]}`, i, i)
			}
			scenario.WriteString("- {role: codeweaver, do: [{hang: true}]}\n")
			file := t.TempDir() + "/scenario.yaml"
			write(t, file, scenario.String())
			p.outlivedBy(e, number(t, "QUESTBOARD_ESCAPE_ROUNDS", 1), `"plan":{"steps":[`+strings.Join(steps, ",")+"]}", func() *launched {
				return launch(t, nil, append(e.flags, "-data", t.TempDir(), "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", file,
					"-slots", fmt.Sprint(len(waysOut)))...)
			})
		})
	}
}

// The same with an agent of the settings, which speaks the Agent Client Protocol: one process
// leaves all of them behind, and hears nothing more.
func TestNoProcessOutlivesARunOfAnAgentOfTheSettings(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range waysToEnd(8 * time.Second) {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			p := newPack(t)
			var scripts []string
			for _, way := range waysOut {
				scripts = append(scripts, strings.ReplaceAll(way.script, "TAG", p.tag(way.n)))
			}
			agent := jsonText(object{"agents": object{"test": object{"command": exe, "args": []string{ownAgentArg},
				"env": object{ownAgentEscapes: strings.Join(scripts, "\n")}}}})
			p.outlivedBy(e, number(t, "QUESTBOARD_ESCAPE_ROUNDS", 1), `"agent":"acp:test","plan":{"steps":[{"id":"a","title":"A"}]}`, func() *launched {
				s := launch(t, nil, append(e.flags, "-data", t.TempDir(), "-addr", "127.0.0.1:0", "-agent", "simulated")...)
				s.send("PATCH", "/api/v1/settings", agent).want(200)
				return s
			})
		})
	}
}

// docs/hardening.md#processes, T2.2: the same with the real CLI, whose Bash tool gives
// every command its own session.
func TestNoProcessOutlivesARunOfTheRealCLI(t *testing.T) {
	t.Parallel()
	cli := claudeCLI(t, cliVersion)
	for _, e := range waysToEnd(30 * time.Second) {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			p := newPack(t)
			bash := strings.ReplaceAll("setsid sleep TAG & (env -i nohup sleep TAG >/dev/null 2>&1 &); sleep TAG", "TAG", p.tag(3))
			never := make(chan struct{})
			model := agentstest.NewModel(t, func(r agentstest.Request) agentstest.Reply {
				prompt, turn := r.Since("[questboard] quest=")
				if turn == 0 && strings.Contains(prompt, "visit=1") {
					return agentstest.Say(run(bash))
				}
				return agentstest.Say(say("I go on.")).After(never)
			})
			t.Cleanup(func() { close(never) })
			home := t.TempDir()
			p.outlivedBy(e, number(t, "QUESTBOARD_ESCAPE_CLI_ROUNDS", 1), `"plan":{"steps":[{"id":"a","title":"A"}]}`, func() *launched {
				return launch(t, model.Env(home), append(e.flags, "-data", t.TempDir(), "-addr", "127.0.0.1:0", "-claude", cli)...)
			})
		})
	}
}
