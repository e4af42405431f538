package ward_test

import (
	"strings"
	"testing"
	"time"

	"questboard/agents"
	"questboard/agents/ward"
	"questboard/orchestration"
)

func (r rig) setup() rig {
	r.commands = &ward.Setup{Shell: r.runner.Shell}
	return r
}

func TestWhatTheEndOfASetupMeans(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]struct {
		end orchestration.End
		why string
	}{
		"echo ready": {orchestration.EndClean, "passed"},
		"echo one; printf 'no such\\033[31m package\\n\\n'; exit 3": {orchestration.EndSetupFailed, "exit 3: no such package"},
		"exit 3":          {orchestration.EndSetupFailed, "exit 3"},
		"no-such-command": {orchestration.EndSetupFailed, "command not found: no-such-command"},
		"kill -KILL $$":   {orchestration.EndSetupFailed, "killed by another process or the system (signal 9), perhaps because memory ran out"},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			got, log := newRig(t).setup().run(t, newSpec(command))
			if got.End != want.end || got.Exit.Why != want.why || got.Exit.Faults != nil {
				t.Errorf("ended %+v, want %+v", got, want)
			}
			if log[0]["type"] != "setup" || log[0]["command"] != command || log[len(log)-1]["subtype"] != "end" {
				t.Errorf("log %v", log)
			}
		})
	}
}

func TestASetupThatTakesTooLongFails(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.runner.Timeout = 50 * time.Millisecond
	if got, _ := r.setup().run(t, newSpec("sleep 300")); got.End != orchestration.EndSetupFailed || !strings.HasPrefix(got.Exit.Why, "took longer than 50ms; ") {
		t.Errorf("ended %+v", got)
	}
}

func TestASetupEndedByUsIsInterrupted(t *testing.T) {
	t.Parallel()
	p, o := newRig(t).setup().start(t, newSpec("echo npm at work; sleep 300"))
	o.until(t, "echo npm at work; sleep 300")
	o.until(t, "npm at work")
	p.End(0)
	if got := p.Wait(); got.End != orchestration.EndInterrupted {
		t.Errorf("ended %+v", got)
	}
}

// The output of the run comes after the output of its set-up.
func TestTheRunsOutputGoesOnBehindTheSetups(t *testing.T) {
	t.Parallel()
	r, spec := newRig(t), newSpec("echo ready")
	r.setup().run(t, spec)
	_, log := r.run(t, agents.Spec{RunID: spec.RunID, Command: "echo checked"})
	var told []any
	for _, e := range log {
		if e["text"] != nil {
			told = append(told, e["type"], e["text"])
		}
	}
	want := []any{"setup", "ready", "ward", "checked"}
	if len(told) != len(want) {
		t.Fatalf("told %v", told)
	}
	for i := range want {
		if told[i] != want[i] {
			t.Errorf("told %v, want %v", told, want)
			break
		}
	}
}
