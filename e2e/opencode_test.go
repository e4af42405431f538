package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// openCodeVersion is the release of opencode (MIT) that the test uses.
const openCodeVersion = "1.18.33"

// openCode returns the path of the real opencode. If necessary, it installs it with npm into
// the user's cache, as claudeCLI does.
func openCode(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		skip(t, "short: opencode is not installed")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		skip(t, "no cache folder: %v", err)
	}
	dir := filepath.Join(cache, "questboard-test", "opencode-"+openCodeVersion)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	defer lock(t, dir)()
	program := filepath.Join(dir, "node_modules", "opencode-"+platform(), "bin", "opencode")
	if worksAs(program, openCodeVersion) {
		return program
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		skip(t, "npm is needed to install opencode: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, npm, "install", "--prefix", dir, "--ignore-scripts",
		"--no-audit", "--no-fund", "opencode-ai@"+openCodeVersion)
	if out, err := install.CombinedOutput(); err != nil || !worksAs(program, openCodeVersion) {
		skip(t, "install opencode %s: %v\n%s", openCodeVersion, err, out)
	}
	return program
}

func worksAs(program, version string) bool {
	cmd := exec.Command(program, "--version")
	cmd.Env = []string{"HOME=" + os.TempDir(), "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	return err == nil && strings.TrimSpace(string(out)) == version
}

// chat is a stand-in for a model with OpenAI's API of chats. What it answers depends only on
// the conversation.
func chat(t *testing.T, answer func(conversation gjson.Result, prompt string, turn int) (text, tool string, input any)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
		if err != nil {
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(delta any, finish any) {
			data, _ := json.Marshal(object{"id": "c", "object": "chat.completion.chunk", "model": "m",
				"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
				"usage":   object{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}})
			fmt.Fprintf(w, "data: %s\n\n", data)
		}
		messages := gjson.GetBytes(body, "messages")
		prompt, turn := "", 0
		for _, m := range messages.Array() {
			switch m.Get("role").Str {
			case "user":
				prompt, turn = m.Get("content").String(), 0
			case "assistant":
				turn++
			}
		}
		text, tool, input := "a title", "", any(nil)
		if gjson.GetBytes(body, "tools.0").Exists() {
			text, tool, input = answer(gjson.ParseBytes(body), prompt, turn)
		}
		if tool == "" {
			send(object{"role": "assistant", "content": text}, nil)
			send(object{}, "stop")
		} else {
			arguments, _ := json.Marshal(input)
			send(object{"role": "assistant", "content": text}, nil)
			send(object{"tool_calls": []object{{"index": 0, "id": fmt.Sprintf("call_%d", len(body)), "type": "function",
				"function": object{"name": tool, "arguments": string(arguments)}}}}, nil)
			send(object{}, "tool_calls")
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

// startOpenCode starts the built server with opencode on PATH and this model.
func startOpenCode(t *testing.T, program, model string) *apiServer {
	t.Helper()
	s := &apiServer{t: t, data: t.TempDir()}
	bin, home := t.TempDir(), t.TempDir()
	if err := os.Symlink(program, filepath.Join(bin, "opencode")); err != nil {
		t.Fatal(err)
	}
	config := jsonText(object{"model": "x/m", "small_model": "x/m", "provider": object{"x": object{
		"npm": "@ai-sdk/openai-compatible", "name": "x", "options": object{"baseURL": model + "/v1", "apiKey": "k"},
		"models": object{"m": object{"name": "m", "limit": object{"context": 100000, "output": 1000}, "cost": object{"input": 1, "output": 2}}}}}})
	cmd := exec.Command(serverBinary(t), "-addr", "127.0.0.1:0", "-data", s.data, "-agent", "opencode", "-backoff", "1s", "-grace", "2s", "-start-timeout", "3m")
	cmd.Env = []string{"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"), "QUESTBOARD_TOKEN=" + apiToken,
		"OPENCODE_CONFIG_CONTENT=" + config, "OPENCODE_DISABLE_MODELS_FETCH=1"}
	s.launch(cmd)
	return s
}

var toolOfServer = regexp.MustCompile(`quest_\w+_signal-back$`)

// A request becomes a finished change with another agent than Claude Code: the real
// opencode, and a model of our own. It asks, is resumed with the answer, and works.
func TestRealOpenCodeCarriesAQuestFromRequestToComplete(t *testing.T) {
	t.Parallel()
	program := openCode(t)
	model := chat(t, func(conversation gjson.Result, prompt string, turn int) (string, string, any) {
		who := firstLine.FindAllStringSubmatch(prompt, -1)
		if len(who) == 0 {
			return "I have no prompt.", "", nil
		}
		role, step, start := who[len(who)-1][1], who[len(who)-1][2], who[len(who)-1][3]
		signal := ""
		for _, tool := range conversation.Get("tools.#.function.name").Array() {
			if toolOfServer.MatchString(tool.Str) {
				signal = tool.Str
			}
		}
		complete := object{"signal": "complete", "stepId": step, "summary": "It is done."}
		var turns []func() (string, string, any)
		call := func(text, tool string, input any) {
			turns = append(turns, func() (string, string, any) { return text, tool, input })
		}
		switch {
		case role == "codeweaver" && start == "fresh":
			call("", signal, object{"signal": "needs-user-input", "stepId": step, "question": "Which greeting?", "context": "There are many."})
		case role == "codeweaver":
			call("I write it.", "bash", object{"command": "echo hello > greeting.txt", "description": "write"})
			call("", signal, complete)
		default:
			call("", "bash", object{"command": "touch forbidden.txt", "description": "try"})
			call("", signal, complete)
		}
		if turn >= len(turns) {
			return "Done.", "", nil
		}
		return turns[turn]()
	})
	s := startOpenCode(t, program, model)
	repo := shop(t)
	id := s.post("/quests", jsonText(object{"request": "- Greet", "repo": repo, "ward": "test -e go.mod", "size": "errand"})).want(201)["id"].(string)
	q := s.eventually(id, "a question is open", func(q object) bool { return len(objects(q["questions"])) == 1 })
	if q["agent"] != "opencode" {
		t.Errorf("the agent is %v", q["agent"])
	}
	s.post("/questions/"+objects(q["questions"])[0]["id"].(string)+"/answer", `{"answer":"hello"}`).want(200)
	q = s.eventually(id, "the quest is complete", func(q object) bool { return q["status"] == "complete" })
	if got := onBranch(t, repo, id, "greeting.txt"); strings.TrimSpace(got) != "hello" {
		t.Errorf("the greeting on the branch is %q", got)
	}
	for _, r := range objects(q["runs"]) {
		if id, _ := r["sessionId"].(string); r["role"] != "ward" && !strings.HasPrefix(id, "ses_") {
			t.Errorf("the run %s has the session %q: opencode chooses it", jsonText(r), id)
		}
	}
}
