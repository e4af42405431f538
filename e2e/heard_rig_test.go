package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"questboard/e2e/e2etest"
)

// init lets the test binary play the agent that reads late.
func init() {
	if len(os.Args) > 1 && os.Args[1] == "late-agent" {
		if err := playLate(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// lateness is the longest time after which the stand-in reads its socket.
const lateness = 500 * time.Millisecond

// playLate is a Claude Code that sends one signal, which its step's name begins
// with, reads the answer late, and does not leave by itself.
func playLate(args []string) error {
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	who := firstLine.FindStringSubmatch(string(prompt))
	if who == nil {
		return fmt.Errorf("a prompt without its first line: %.200s", prompt)
	}
	fmt.Println(hostileFirst)
	kind := kindOf(who[2])
	switch { // what follows from a step's signal ends soon
	case who[1] == "siegemaster":
		kind = "complete"
	case who[1] != "codeweaver" || who[3] != "fresh":
		kind = "needs-user-input"
	}
	fields := object{"signal": kind, "stepId": who[2]}
	switch kind {
	case "complete":
		fields["summary"] = "s"
	case "partially-complete":
		fields["progress"], fields["continuationPoint"] = "p", "c"
	case "needs-user-input":
		fields["question"], fields["context"] = "q", "c"
	default:
		fields["targetRole"], fields["reason"], fields["context"], fields["resume"] = "spiritmender", "r", "c", true
	}
	input, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	fmt.Printf(`{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":%q,"input":%s}]}}`+"\n", signalBack, input)
	text, refused, err := callLate(args, input)
	if err != nil {
		text, refused = err.Error(), true
	}
	content, _ := json.Marshal(text)
	fmt.Printf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":%v,"content":%s}]}}`+"\n",
		refused, content)
	<-time.After(time.Hour)
	return nil
}

// kindOf is the signal that a step's id begins with.
func kindOf(step string) string { return step[:max(0, strings.LastIndexByte(step, '-'))] }

// callLate calls signal-back, and reads the answer up to lateness later.
func callLate(args []string, input []byte) (text string, refused bool, err error) {
	var config struct {
		Servers map[string]struct {
			URL     string
			Headers map[string]string
		} `json:"mcpServers"`
	}
	for _, arg := range args {
		if name, ok := strings.CutPrefix(arg, "--mcp-config="); ok {
			raw, err := os.ReadFile(name)
			if err != nil {
				return "", false, err
			}
			if err := json.Unmarshal(raw, &config); err != nil {
				return "", false, err
			}
		}
	}
	server := config.Servers["quest"]
	at, err := url.Parse(server.URL)
	if err != nil {
		return "", false, err
	}
	c, err := net.Dial("tcp", at.Host)
	if err != nil {
		return "", false, err
	}
	defer c.Close()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"signal-back","arguments":%s}}`, input)
	r, err := http.NewRequest(http.MethodPost, server.URL, strings.NewReader(body))
	if err != nil {
		return "", false, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", "2025-06-18")
	r.Header.Set("Authorization", server.Headers["Authorization"])
	if err := r.Write(c); err != nil {
		return "", false, err
	}
	in := bufio.NewReader(c)
	if _, err := in.Peek(1); err != nil { // the answer is written: from now on it is late
		return "", false, err
	}
	<-time.After(rand.N(lateness))
	w, err := http.ReadResponse(in, r)
	if err != nil {
		return "", false, err
	}
	defer w.Body.Close()
	raw, err := io.ReadAll(w.Body)
	if err != nil {
		return "", false, err
	}
	var answer struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return "", false, fmt.Errorf("no answer of a tool: %s: %w", raw, err)
	}
	if len(answer.Result.Content) == 0 {
		return "", false, fmt.Errorf("an answer without content: %s", raw)
	}
	return answer.Result.Content[0].Text, answer.Result.IsError, nil
}

// lateCLI is a Claude Code that reads its socket late.
func lateCLI(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cli := filepath.Join(t.TempDir(), "claude")
	script := fmt.Sprintf(`#!/bin/sh
case "$1" in
--version) echo '%s (Claude Code)'; exit ;;
auth) echo '{"loggedIn":true}'; exit ;;
esac
exec '%s' late-agent "$@"
`, cliVersion, self)
	if err := e2etest.WriteProgram(cli, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return cli
}

// howMany reads a number of rounds from the environment.
func howMany(t *testing.T, name string, standard int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return standard
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is no number of rounds", name, text)
	}
	return n
}

// heard counts the signals of a quest by kind, and insists that the output of each run
// that signalled holds the answer.
func (s *apiServer) heard(q object, count map[string]int) {
	s.t.Helper()
	for _, r := range objects(q["runs"]) {
		signal, _ := r["signal"].(object)
		if signal == nil || r["role"] == "ward" || r["state"] != "ended" {
			continue
		}
		count[fmt.Sprint(signal["signal"])]++
		if text := s.outputOf(r); !strings.Contains(text, "Stored. ") || strings.Contains(text, `"is_error":true`) {
			s.t.Errorf("run %v signalled %v and did not hear the answer:\n%s", r["id"], signal["signal"], text)
		}
	}
}
