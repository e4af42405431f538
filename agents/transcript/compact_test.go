package transcript_test

import (
	"strings"
	"testing"

	"questboard/agents/transcript"
	"questboard/orchestration"
)

const compactLine = `{"type":"system","subtype":"compact_boundary","session_id":"s","uuid":"u","compact_metadata":{"trigger":"auto","pre_tokens":160000}}`

// Compactions of the agent's own conversation count, those of its minions do not.
func TestCompactionsAreCountedFromTheStartOfTheRun(t *testing.T) {
	t.Parallel()
	var s transcript.Stream
	for i, tt := range []struct {
		line string
		n    int
		full bool
	}{
		{`{"type":"system","subtype":"compact_boundary","parent_tool_use_id":"t1"}`, 0, false},
		{`{"type":"system","subtype":"status","status":"compacting"}`, 0, false},
		{`{"type":"assistant","message":{"content":[{"type":"text","text":"{\"type\":\"system\",\"subtype\":\"compact_boundary\"}"}]}}`, 0, false},
		{compactLine, 1, false},
		{`{"subtype":"compact_boundary","type":"system"}`, 2, true},
		{compactLine, 3, true},
	} {
		seen := s.Feed([]byte(tt.line))
		if f := s.Facts(); f.Compactions != tt.n || f.ContextFull() != tt.full {
			t.Errorf("line %d: %d compactions, full %v", i, f.Compactions, f.ContextFull())
		}
		if tt.n > 0 && (!seen.Progress || seen.Line != "context compacted") {
			t.Errorf("line %d: the card is told %+v", i, seen)
		}
	}
}

// However the process that was ended for it exits, the context was full.
func TestTheEndAfterASecondCompactionIsAFullContext(t *testing.T) {
	t.Parallel()
	facts := transcript.Facts{Opened: true, Server: transcript.Connected, HasSignalBack: true, Compactions: 2, LastText: "Now the tests."}
	done := facts
	done.Result = &transcript.Result{Subtype: "success"}
	for name, e := range map[string]transcript.Ending{
		"TERM":            {Facts: facts, Cut: transcript.CutFull, Code: 143},
		"KILL":            {Facts: facts, Cut: transcript.CutFull, Signal: "SIGKILL"},
		"a clean goodbye": {Facts: done, Cut: transcript.CutFull},
	} {
		end, exit := transcript.Classify(e)
		if end != orchestration.EndContext || exit.LastText != "Now the tests." || exit.Killed || !strings.Contains(exit.Why, "compacted 2 times") {
			t.Errorf("%s: %s %+v", name, end, exit)
		}
	}
	if end, _ := transcript.Classify(transcript.Ending{Facts: done}); end != orchestration.EndClean {
		t.Errorf("an agent that ended its turn by itself: %s", end)
	}
}

func TestACompactionIsALineOfTheOutput(t *testing.T) {
	t.Parallel()
	if l := transcript.Read([]byte(compactLine)); l.Kind != transcript.KindNote || l.Head != "Compacted" ||
		l.Text != "the context was full, so the conversation was summarised (160000 tokens before)" {
		t.Errorf("%+v", l)
	}
}
