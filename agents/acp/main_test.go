package acp_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"questboard/agents/process"
)

// TestMain lets the test binary also act as the supervisor and as an agent.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case process.Subcommand:
			os.Exit(process.Supervise(os.Args[2:]))
		case "agent":
			os.Exit((&agent{in: bufio.NewReaderSize(os.Stdin, 1<<20), out: bufio.NewWriter(os.Stdout)}).work(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}

// agent speaks the protocol and does what its arguments say: before "|" what it can do and
// what it does before its session is there, after it what it does in its turn.
type agent struct {
	in  *bufio.Reader
	out *bufio.Writer

	told int // messages that say what it saw
}

func (a *agent) print(line string) { _, _ = a.out.WriteString(line + "\n") }

func (a *agent) update(update string) {
	a.print(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"theirs","update":` + update + `}}`)
}

// read returns the next message; false: there is none.
func (a *agent) read() (gjson.Result, bool) {
	_ = a.out.Flush()
	line, err := a.in.ReadBytes('\n')
	return gjson.ParseBytes(line), err == nil
}

func (a *agent) reply(to gjson.Result, result string) {
	a.print(`{"jsonrpc":"2.0","id":` + to.Get("id").Raw + `,` + result + `}`)
}

// play says what a program said in a recorded exchange, each answer after its request.
func (a *agent) play(file string) int {
	recorded, err := os.ReadFile(file)
	if err != nil {
		return 1
	}
	heard := map[string]gjson.Result{}
	await := func(id string) gjson.Result {
		for ok := true; ok && !heard[id].Exists(); {
			var m gjson.Result
			m, ok = a.read()
			heard[m.Get("id").Raw] = m
		}
		return heard[id]
	}
	for line := range bytes.Lines(bytes.TrimSpace(recorded)) {
		said := gjson.ParseBytes(line)
		asks, id := said.Get("method").Exists(), said.Get("id").Raw
		if !asks {
			await(id)
		}
		a.print(string(bytes.TrimSpace(line)))
		if asks && id != "" {
			a.saw("answer " + await(id).Get("result").Raw)
		}
	}
	for ok := true; ok; {
		_, ok = a.read()
	}
	return 0
}

func (a *agent) work(args []string) int {
	if len(args) > 1 && args[0] == "play" {
		return a.play(args[1])
	}
	before, turn := args, []string(nil)
	for i, arg := range args {
		if arg == "|" {
			before, turn = args[:i], args[i+1:]
		}
	}
	sessions := `"loadSession":true,"sessionCapabilities":{"resume":{}},`
	for {
		m, ok := a.read()
		if !ok {
			return 0
		}
		switch m.Get("method").Str {
		case "initialize":
			version := ""
			for _, do := range before {
				verb, what, _ := strings.Cut(do, " ")
				switch verb {
				case "version":
					version = what
				case "load-only":
					sessions = `"loadSession":true,`
				case "no-sessions":
					sessions = ""
				case "signed-out":
					a.reply(m, `"error":{"code":-32000,"message":"Authentication required"}`)
				}
			}
			a.reply(m, `"result":{"protocolVersion":1,"agentInfo":{"name":"theirs","version":"`+version+`"},"agentCapabilities":{`+sessions+`"mcpCapabilities":{"http":true}}}`)
		case "session/new", "session/load", "session/resume":
			if m.Get("method").Str != "session/resume" {
				a.do(before, m)
			}
			a.reply(m, `"result":{"sessionId":"theirs","configOptions":[{"id":"m","category":"model","options":[{"value":"good"}]}]}`)
			a.saw("opened with " + m.Get("method").Str + " " + m.Get("params").Raw)
		case "session/set_config_option":
			a.saw("model " + m.Get("params.value").Str)
			a.reply(m, `"result":{}`)
		case "session/prompt":
			a.saw("told " + m.Get("params.prompt.0.text").Str)
			if !a.do(turn, m) {
				continue
			}
			a.reply(m, `"result":{"stopReason":"end_turn"}`)
		case "session/cancel":
			a.print(`{"jsonrpc":"2.0","id":"session/prompt","result":{"stopReason":"cancelled","_meta":{"quota":{"token_count":{"inputTokens":100,"outputTokens":20}}}}}`)
		}
	}
}

// saw says something in words of its own message.
func (a *agent) saw(text string) {
	word, _ := json.Marshal(text)
	a.told++
	a.update(`{"sessionUpdate":"agent_thought_chunk","messageId":"told ` + strconv.Itoa(a.told) + `","content":{"type":"text","text":` + string(word) + `}}`)
}

// noIDs are what a program may write in the place of an id.
var noIDs = []string{
	`1e`, `tru`, `null`, `{}`, "\"a\tb\"", `"` + strings.Repeat("x", 1<<20) + `"`, strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
	`0{"jsonrpc":"2.0","method":"session/update","params":{}}`,
}

// do does what the arguments say; false: the turn does not end.
func (a *agent) do(actions []string, m gjson.Result) bool {
	for _, action := range actions {
		verb, what, _ := strings.Cut(action, " ")
		n, _ := strconv.Atoi(what)
		switch verb {
		case "say":
			for i := range n {
				a.update(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","messageId":"m%d","content":{"type":"text","text":"word %d "}}`, i/100, i))
			}
		case "long":
			a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + strings.Repeat("x", n) + `"}}`)
		case "garbage":
			a.print("\xff\x00 garbage {")
			a.print(`{"jsonrpc":"2.0"}`)
			a.print(`{"jsonrpc":"2.0","id":7,"result":null}`)
			a.print(`[1,2]`)
			a.update(`{"sessionUpdate":"of_a_later_version","content":{"type":"text","text":[1]}}`)
			a.print(`{"jsonrpc":"2.0","method":"session/of_a_later_version","params":[]}`)
		case "ask", "shout": // shout reads no answers
			for i := range n {
				a.print(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":"theirs","toolCall":{"toolCallId":"c%d","title":"ls","kind":"execute","rawInput":{"command":"rm -rf x"}},"options":[{"optionId":"yes","kind":"allow_once"},{"optionId":"always","kind":"allow_always"},{"optionId":"no","kind":"reject_once"}]}}`, i, i))
			}
			for range n {
				if verb == "ask" {
					answer, _ := a.read()
					a.saw("answer " + answer.Get("result").Raw)
				}
			}
		case "again": // answers the first request again
			a.print(`{"jsonrpc":"2.0","id":"initialize","result":{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true}}}}`)
		case "file":
			a.print(`{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"path":"/etc/passwd"}}`)
			answer, _ := a.read()
			a.saw("answer " + answer.Get("error").Raw)
		case "no-ids":
			for _, id := range noIDs {
				a.print(`{"jsonrpc":"2.0","id":` + id + `,"method":"fs/read_text_file"}`)
			}
		case "env":
			a.saw("environment " + strings.Join(os.Environ(), " "))
		case "await": // somebody writes to this pipe
			if pipe, err := os.Open(what); err == nil {
				_, _ = pipe.Read(make([]byte, 1))
			}
		case "stubborn":
			signal.Ignore(syscall.SIGTERM)
		case "half":
			_ = a.out.Flush()
			_, _ = os.Stdout.WriteString(`{"jsonrpc":"2.0","method":"sess`)
		case "exit":
			_ = a.out.Flush()
			os.Exit(n)
		case "listen": // the turn goes on until it is cancelled
			return false
		case "hang":
			_ = a.out.Flush()
			<-time.After(time.Hour)
		}
	}
	return true
}
