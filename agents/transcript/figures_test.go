package transcript_test

import (
	"math"
	"testing"
	"time"

	"questboard/agents/transcript"
	"questboard/orchestration"
)

// A cost that is no number could not be stored, and neither could the end of the run: the step and
// its slot would wait until the server is started again.
func TestAFigureThatNoRunCanReachIsNotTaken(t *testing.T) {
	t.Parallel()
	for _, cost := range []string{"1e999", `"NaN"`, `"Inf"`, "-1", "1e7", "-1e999"} {
		var s transcript.Stream
		s.Feed([]byte(`{"type":"result","subtype":"success","is_error":false,"total_cost_usd":0.5}`))
		s.Feed([]byte(`{"type":"result","subtype":"success","is_error":false,"total_cost_usd":` + cost + `}`))
		if got := s.Facts().Cost; got != 0.5 {
			t.Errorf("stream-json, %s: $%g", cost, got)
		}
		a := &transcript.ACP{}
		feedACP(a, recorded(t, "work")[:4])
		for _, amount := range []string{"0.5", cost} {
			a.Feed([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,` +
				`"cost":{"amount":` + amount + `,"currency":"USD"}}}}`))
		}
		if got := a.Facts().Cost; got != 0.5 {
			t.Errorf("ACP, %s: $%g", cost, got)
		}
	}
	var s transcript.Stream
	s.Feed([]byte(`{"type":"result","subtype":"success","is_error":false,"usage":{"input_tokens":9223372036854775807,"output_tokens":9223372036854775807}}`))
	if got := s.Tokens().All(); got < 0 || got > 2*orchestration.MostTokens {
		t.Errorf("%d tokens", got)
	}
}

func TestAnAccountIsHeldForNoLongerThanALimitLasts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	for resets, held := range map[int64]bool{now.Add(time.Hour).Unix(): true, now.Add(time.Hour).UnixMilli(): false, 1 << 62: false,
		math.MaxInt64: false, 1: false} {
		facts := transcript.Facts{Limit: transcript.Limit{Status: "rejected", ResetsAt: resets}, Result: &transcript.Result{IsError: true}}
		end, exit := transcript.Classify(transcript.Ending{Facts: facts, At: now, Code: 1})
		if exit.ResetsAt.IsZero() == held || held != (end == orchestration.EndUsageLimit) {
			t.Errorf("%d: %s until %v", resets, end, exit.ResetsAt)
		}
	}
}
