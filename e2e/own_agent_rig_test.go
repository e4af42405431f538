package e2e_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// ownAgentEscapes is a variable with commands, one a line: the agent starts them and then
// hears nothing more.
const ownAgentEscapes = "OWN_ESCAPES"

// ownAgentAsks is a variable with a command: the agent asks whether it may run it, runs it if
// it may, and is done. If it may not, it ends its turn; once it was told why, it is done, too.
const ownAgentAsks = "OWN_ASKS"

// ownAgentSpeaks is a variable with the version of the protocol that the agent speaks; empty: 1.
const ownAgentSpeaks = "OWN_SPEAKS"

// ownAgentArg lets the test binary act as an agent that speaks the Agent Client Protocol.
const ownAgentArg = "own-agent"

// ownAgent is such an agent: it does what its role needs, and signals by our MCP server.
type ownAgent struct{ url, authorization, dir string }

func actAsOwnAgent() int {
	a := ownAgent{}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0
		}
		m := gjson.Parse(line)
		params := m.Get("params")
		answer := object{}
		switch m.Get("method").Str {
		case "initialize":
			answer = object{"protocolVersion": json.Number(cmp.Or(os.Getenv(ownAgentSpeaks), "1")), "agentInfo": object{"name": "own", "version": "7.1"},
				"agentCapabilities": object{"loadSession": true, "mcpCapabilities": object{"http": true}}}
		case "session/new", "session/load":
			server := params.Get("mcpServers.0")
			a = ownAgent{server.Get("url").Str, server.Get("headers.0.value").Str, params.Get("cwd").Str}
			answer["sessionId"] = "own-session"
		case "session/prompt":
			if commands := os.Getenv(ownAgentEscapes); commands != "" {
				escape(params.Get("prompt.0.text").Str, commands)
			}
			prompt := params.Get("prompt.0.text").Str
			if command := os.Getenv(ownAgentAsks); command == "" {
				a.work(prompt)
			} else if a.may(in, command) {
				_ = exec.Command("sh", "-c", command).Run()
				a.signal(prompt)
			} else if strings.Contains(prompt, "Denied: ") {
				a.signal(prompt)
			}
			answer["stopReason"] = "end_turn"
		}
		fmt.Println(jsonText(object{"jsonrpc": "2.0", "id": m.Get("id").Value(), "result": answer}))
	}
}

// escape leaves processes behind, at the first visit.
func escape(prompt, commands string) {
	for command := range strings.SplitSeq(commands, "\n") {
		if strings.Contains(prompt, " visit=1 ") {
			_ = exec.Command("sh", "-c", command).Start()
		}
	}
	<-time.After(time.Hour)
}

// may asks for permission to run a command.
func (a ownAgent) may(in *bufio.Reader, command string) bool {
	fmt.Println(jsonText(object{"jsonrpc": "2.0", "id": "asks", "method": "session/request_permission", "params": object{"sessionId": "own-session",
		"toolCall": object{"toolCallId": "c1", "title": command, "kind": "execute", "rawInput": object{"command": command}},
		"options":  []object{{"optionId": "yes", "kind": "allow_once", "name": "Yes"}, {"optionId": "no", "kind": "reject_once", "name": "No"}}}}))
	for {
		line, err := in.ReadString('\n')
		if m := gjson.Parse(line); err != nil || m.Get("id").Str == "asks" {
			return m.Get("result.outcome.optionId").Str == "yes"
		}
	}
}

// signal says that the work is done.
func (a ownAgent) signal(prompt string) {
	lines := firstLine.FindAllStringSubmatch(prompt, -1)
	if len(lines) > 0 {
		a.send(object{"signal": "complete", "stepId": lines[len(lines)-1][2], "summary": prompt})
	}
}

// work asks a question at the first start of a Codeweaver, and does its work at the next.
func (a ownAgent) work(prompt string) {
	lines := firstLine.FindAllStringSubmatch(prompt, -1)
	if len(lines) == 0 {
		return
	}
	role, step, start := lines[len(lines)-1][1], lines[len(lines)-1][2], lines[len(lines)-1][3]
	signal := object{"signal": "complete", "stepId": step, "summary": "It is done with " + os.Getenv("OWN_KEY") + "."}
	if role == "codeweaver" && start == "fresh" {
		signal = object{"signal": "needs-user-input", "stepId": step, "question": "Which greeting?", "context": "There are many."}
	} else if role == "codeweaver" {
		_ = os.WriteFile(a.dir+"/greeting.txt", []byte("hello\n"), 0o600)
		_ = exec.Command("sleep", "600").Start() // a process that it leaves behind
	}
	a.send(signal)
}

func (a ownAgent) send(signal object) {
	body := jsonText(object{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": object{"name": "signal-back", "arguments": signal}})
	r, err := http.NewRequest(http.MethodPost, a.url, strings.NewReader(body))
	if err != nil {
		return
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", "2025-06-18")
	r.Header.Set("Authorization", a.authorization)
	if response, err := (&http.Client{Timeout: time.Minute}).Do(r); err == nil {
		_ = response.Body.Close()
	}
}
