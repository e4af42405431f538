package transcript_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"questboard/agents/transcript"
	"questboard/e2e/e2etest"
	"questboard/orchestration"
)

// fixtures are recorded runs of the real CLI, of two releases; README.md beside
// them says what happened in each.
func fixtures(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/claude-stream*/*.jsonl")
	if err != nil || len(paths) < 28 {
		t.Fatalf("found %d recorded runs, want 16 of 2.1.197 and 12 of 2.1.329 (%v)", len(paths), err)
	}
	files := map[string][]byte{}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(p), ".jsonl")
		if _, version, ok := strings.Cut(filepath.Base(filepath.Dir(p)), "claude-stream-"); ok {
			name = version + "-" + name
		}
		files[name] = data
	}
	return files
}

func feed(data []byte) *transcript.Stream {
	var s transcript.Stream
	for line := range bytes.Lines(data) {
		s.Feed(line)
	}
	return &s
}

func TestStreamTellsTheFactsOfEveryRecordedRun(t *testing.T) {
	t.Parallel()
	for name, data := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s transcript.Stream
			var out strings.Builder
			for line := range bytes.Lines(data) {
				seen := s.Feed(line)
				fmt.Fprintf(&out, "%-17s %-18s", seen.Type, seen.Subtype)
				fmt.Fprintf(&out, " progress=%-5v open=%d", seen.Progress, s.OpenTools())
				if seen.SignalAnswered {
					out.WriteString("  signal answered")
				}
				if seen.Line != "" {
					fmt.Fprintf(&out, "  %q", seen.Line)
				}
				out.WriteByte('\n')
			}
			writeFacts(&out, &s)
			e2etest.Golden(t, filepath.Join("stream", name+".txt"), out.String())
		})
	}
}

func writeFacts(out *strings.Builder, s *transcript.Stream) {
	f := s.Facts()
	fmt.Fprintf(out, "\nsession  %s opened=%v version=%s cost=%g\n", f.SessionID, f.Opened, f.Version, f.Cost)
	fmt.Fprintf(out, "server   %q signal-back=%v\n", f.Server, f.HasSignalBack)
	fmt.Fprintf(out, "last     %q\n", f.LastText)
	fmt.Fprintf(out, "fault    %q retrying=%q 401s=%d\n", f.Fault, f.Retrying, f.AuthFailures)
	fmt.Fprintf(out, "limit    %+v denied=%q\n", f.Limit, f.Denied)
	fmt.Fprintf(out, "tokens   %+v\n", s.Tokens())
	fmt.Fprintf(out, "lines    %d garbage=%d\n", f.Lines, f.Garbage)
	if f.Result == nil {
		out.WriteString("result   none\n")
		return
	}
	fmt.Fprintf(out, "result   %+v\n", *f.Result)
}

func TestStreamNeverFailsOnWhatIsNoLineOfOurs(t *testing.T) {
	t.Parallel()
	lines := []string{
		"", "\n", "{", "}", "{}", "null", "[]", "[{}]", "\x00\xff\xfe", "not json",
		`{"type":"assistant","message":{"content":[{"type":"te`,
		`{"type":5}`, `{"type":"assistant"}`, `{"type":"assistant","message":7}`,
		`{"type":"user","message":{"content":"a plain text"}}`,
		`{"type":"system","subtype":"from_the_future","x":[{}]}`,
		`{"type":"a_new_type"}`, `{"type":"result"}`, `{"type":"result","usage":[1,2],"permission_denials":{}}`,
		`{"type":"rate_limit_event"}`, "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"\xff\xfe\"}]}}",
	}
	var s transcript.Stream
	for _, line := range lines {
		s.Feed([]byte(line))
	}
	f := s.Facts()
	if f.Lines != len(lines) {
		t.Errorf("counted %d lines of %d", f.Lines, len(lines))
	}
	if f.Garbage < 11 {
		t.Errorf("counted %d garbage lines, want at least 11", f.Garbage)
	}
	if f.LastText != "\uFFFD" {
		t.Errorf("invalid UTF-8 became %q, want one replacement character", f.LastText)
	}
}

func TestStreamKeepsNoMoreThanTheEndOfALongText(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("ä", 1<<20) + "the end"
	line := `{"message":{"content":[{"text":"` + text + `","type":"text"}],"id":"m"},"type":"assistant"}`
	var s transcript.Stream
	seen := s.Feed([]byte(line))
	last := s.Facts().LastText
	if len(last) > 8<<10 || !strings.HasSuffix(last, "the end") {
		t.Errorf("kept %d bytes that end in %q", len(last), last[max(0, len(last)-10):])
	}
	if n := len([]rune(seen.Line)); n > 120 {
		t.Errorf("the card's line has %d characters, want at most 120", n)
	}
}

func TestStreamFindsKeysInAnyOrder(t *testing.T) {
	t.Parallel()
	var s transcript.Stream
	seen := s.Feed([]byte(`{"tools":["mcp__quest__signal-back"],"mcp_servers":[{"status":"connected","name":"quest"}],` +
		`"session_id":"s-1","subtype":"init","type":"system"}`))
	f := s.Facts()
	if !seen.Opened || f.SessionID != "s-1" || !f.HasSignalBack || f.NoWayToSignal() {
		t.Errorf("seen %+v, facts %+v: the type need not be the first key", seen, f)
	}
}

func TestStreamReadsASubscriptionsLimit(t *testing.T) {
	t.Parallel()
	var s transcript.Stream
	s.Feed([]byte(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1795230000,"rateLimitType":"five_hour"}}`))
	want := transcript.Limit{Status: "rejected", Kind: "five_hour", ResetsAt: 1795230000}
	if got := s.Facts().Limit; got != want {
		t.Errorf("limit %+v, want %+v", got, want)
	}
}

func TestStreamCountsTheUsageOfAMessageOnce(t *testing.T) {
	t.Parallel()
	var s transcript.Stream
	for _, out := range []int{1, 7, 20} {
		s.Feed(fmt.Appendf(nil, `{"type":"assistant","message":{"id":"m1","usage":{"input_tokens":100,"output_tokens":%d}}}`, out))
	}
	s.Feed([]byte(`{"type":"assistant","message":{"id":"m2","usage":{"input_tokens":10,"output_tokens":2,"cache_read_input_tokens":5}}}`))
	got := s.Tokens()
	if got.Input != 110 || got.Output != 22 || got.CacheRead != 5 {
		t.Errorf("tokens %+v: usage is cumulative within a message and adds up over messages", got)
	}
}

// With --include-partial-messages the pieces of a message tell what it reads before it is
// there, and at its end what it wrote. The message between the two tells less.
func TestStreamCountsTheUsageOfTheMessageThatIsBeingWritten(t *testing.T) {
	t.Parallel()
	var s transcript.Stream
	for _, step := range []struct {
		line string
		want orchestration.Tokens
	}{
		{`{"type":"stream_event","event":{"type":"message_start","message":{"id":"m1","model":"opus","usage":{"input_tokens":4,"cache_read_input_tokens":100,"output_tokens":1}}},"parent_tool_use_id":null}`,
			orchestration.Tokens{Input: 4, CacheRead: 100, Output: 1}},
		{`{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"usage"}},"parent_tool_use_id":null}`,
			orchestration.Tokens{Input: 4, CacheRead: 100, Output: 1}},
		{`{"type":"stream_event","event":{"type":"message_start","message":{"id":"m2","model":"haiku","usage":{"input_tokens":7}}},"parent_tool_use_id":"t1"}`,
			orchestration.Tokens{Input: 11, CacheRead: 100, Output: 1}},
		{`{"type":"assistant","message":{"id":"m1","model":"opus","usage":{"input_tokens":4,"cache_read_input_tokens":100,"output_tokens":1},"content":[]},"parent_tool_use_id":null}`,
			orchestration.Tokens{Input: 11, CacheRead: 100, Output: 1}},
		{`{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":50}},"parent_tool_use_id":null}`,
			orchestration.Tokens{Input: 11, CacheRead: 100, Output: 50}},
		{`{"type":"assistant","message":{"id":"m1","model":"opus","usage":{"input_tokens":4,"cache_read_input_tokens":100,"output_tokens":1},"content":[]},"parent_tool_use_id":null}`,
			orchestration.Tokens{Input: 11, CacheRead: 100, Output: 50}},
		{`{"type":"stream_event","event":{"type":"message_stop"},"parent_tool_use_id":null}`, orchestration.Tokens{Input: 11, CacheRead: 100, Output: 50}},
		{`{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":9000}},"parent_tool_use_id":null}`, // of none
			orchestration.Tokens{Input: 11, CacheRead: 100, Output: 50}},
	} {
		s.Feed([]byte(step.line))
		if got := s.Tokens(); got != step.want {
			t.Errorf("after %s: %+v, want %+v", step.line, got, step.want)
		}
	}
	if f := s.Facts(); f.Model != "opus" || f.Context != 154 {
		t.Errorf("model %q, context %d: those of a sub-agent do not count", f.Model, f.Context)
	}
}

// A run that talks for hours needs no more memory than a short one, and the figures of
// the result count however many messages came before.
func TestStreamCountsAnyNumberOfMessagesInLittleMemory(t *testing.T) { // alone: it measures memory
	const n = 100_000
	var s transcript.Stream
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range n {
		s.Feed(fmt.Appendf(nil, `{"type":"assistant","message":{"id":"m%d","usage":{"input_tokens":2,"output_tokens":1}}}`, i))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if got := s.Tokens(); got.Input != 2*n || got.Output != n {
		t.Errorf("tokens %+v of %d messages", got, n)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("%d messages are kept in %d KiB", n, grown>>10)
	}
	s.Feed([]byte(`{"type":"result","usage":{"input_tokens":7,"output_tokens":9}}`))
	if got := s.Tokens(); got.Input != 7 || got.Output != 9 {
		t.Errorf("tokens %+v, want the result's own", got)
	}
}

func FuzzStreamFeed(f *testing.F) {
	for _, data := range fixtures(f) {
		for line := range bytes.Lines(data) {
			if len(line) < 4096 {
				f.Add(line)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s transcript.Stream
		for line := range bytes.Lines(data) {
			if seen := s.Feed(line); len([]rune(seen.Line)) > 120 {
				t.Errorf("a card's line of %d characters", len([]rune(seen.Line)))
			}
		}
		transcript.Classify(transcript.Ending{Facts: s.Facts(), Tokens: s.Tokens()})
	})
}

func BenchmarkStreamFeed(b *testing.B) {
	line := []byte(`{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"toolu_1","name":"Write","input":{"file_path":"a.go","content":"` +
		strings.Repeat("package a // text\\n", 80) + `"}}],"usage":{"input_tokens":100,"output_tokens":1}},"parent_tool_use_id":null,"session_id":"s","uuid":"u"}`)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	var s transcript.Stream
	for b.Loop() {
		s.Feed(line)
	}
}

func TestStreamTellsWhenASignalWasAnswered(t *testing.T) {
	t.Parallel()
	use := func(id, tool string) string {
		return `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"` + id + `","name":"` + tool + `","input":{}}]}}`
	}
	result := func(id, failed string) string {
		return `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"` + id +
			`","content":"Stored.","is_error":` + failed + `}]}}`
	}
	const signal = "mcp__quest__signal-back"
	tests := []struct {
		rule  string
		lines []string
		want  bool // of the last line
	}{
		{"the result of the call", []string{use("a", signal), result("a", "false")}, true},
		{"the call alone", []string{use("a", signal)}, false},
		{"a refused call", []string{use("a", signal), result("a", "true")}, false},
		{"the call after a refused one", []string{use("a", signal), result("a", "true"), use("b", signal), result("b", "false")}, true},
		{"another tool", []string{use("a", "Bash"), result("a", "false")}, false},
		{"another tool beside it", []string{use("a", signal), use("b", "Bash"), result("b", "false")}, false},
		{"a result without a call, such as of an earlier run", []string{result("a", "false")}, false},
	}
	for _, tt := range tests {
		var s transcript.Stream
		var seen transcript.Seen
		for _, line := range tt.lines {
			seen = s.Feed([]byte(line))
		}
		if seen.SignalAnswered != tt.want {
			t.Errorf("%s: answered %v, want %v", tt.rule, seen.SignalAnswered, tt.want)
		}
	}
}
