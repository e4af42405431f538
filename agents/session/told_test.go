package session_test

import (
	"slices"
	"testing"

	"questboard/orchestration"
)

// What each line tells of what the run uses is passed on once: its messages as they come,
// and at the end what the result says.
func TestWhatARunUsesIsToldWhileItWorks(t *testing.T) {
	t.Parallel()
	message := func(id string, more string) string {
		return `print {"type":"assistant","message":{"id":"` + id + `","model":"opus","usage":{"input_tokens":10,"output_tokens":1},"content":[]}` + more + `}`
	}
	p := start(t, 0, "do it", first, message("m1", ""), message("m1", ""), message("m2", `,"parent_tool_use_id":"t1"`), good)
	p.wait(t)
	p.watcher.mu.Lock()
	defer p.watcher.mu.Unlock()
	want := []orchestration.Told{
		{Model: "opus", Tokens: orchestration.Tokens{Input: 10, Output: 1}, Context: 11},
		{Model: "opus", Tokens: orchestration.Tokens{Input: 20, Output: 2}, Context: 11},
		{Model: "opus", Tokens: orchestration.Tokens{Input: 7}, Context: 11, SessionCost: 0.5},
	}
	if !slices.Equal(p.watcher.told, want) {
		t.Errorf("told %+v\nwant %+v", p.watcher.told, want)
	}
}
