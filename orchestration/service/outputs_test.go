package service_test

import (
	"log/slog"
	"os"
	"slices"
	"testing"

	"questboard/agents/runlog"
	"questboard/orchestration/service"
)

// What a check printed can be read as a text, and what it left out is found in it.
func TestAgentsCanReadTheOutputOfChecks(t *testing.T) {
	t.Parallel()
	logs, err := runlog.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer logs.Close()
	w, err := logs.Create("q-r1")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`{"type":"ward","subtype":"start","command":"make"}`, `{"type":"ward","stream":"output","text":"SKIPPED [1] a.py:3: no net","more":true}`,
		`{"type":"ward","stream":"output","text":"work"}`, `{"type":"ward","subtype":"end","exit_code":0}`} {
		if err := w.Append([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	outputs := &service.CheckOutputs{Logs: logs, Log: slog.New(slog.DiscardHandler)}
	const line = "SKIPPED [1] a.py:3: no network"
	if text, err := os.ReadFile(outputs.Path("q-r1")); err != nil || string(text) != line+"\n" {
		t.Errorf("%q, %v", text, err)
	}
	for range 2 {
		if got := outputs.Skipped("q-r1"); !slices.Equal(got, []string{line}) {
			t.Errorf("left out: %q", got)
		}
	}
	if path, got := outputs.Path("q-r9"), outputs.Skipped("q-r9"); path != "" || got != nil {
		t.Errorf("of a run without output: %q, %q", path, got)
	}
}
