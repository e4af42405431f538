package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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
	npmInstall(t, dir, "opencode-ai", openCodeVersion)
	if !worksAs(program, openCodeVersion) {
		t.Fatalf("opencode %s was installed, and does not work", openCodeVersion)
	}
	return program
}

func worksAs(program, version string) bool {
	cmd := exec.Command(program, "--version")
	cmd.Env = []string{"HOME=" + os.TempDir(), "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	return err == nil && strings.TrimSpace(string(out)) == version
}

// chat is a stand-in for a model with OpenAI's API of chats.
func chat(t *testing.T, next func(r toldRun, turn int) move) *standInModel {
	t.Helper()
	return standIn(t, "text/event-stream", func(_ string, body gjson.Result) string {
		prompt, turn := "", 0
		for _, m := range body.Get("messages").Array() {
			switch m.Get("role").Str {
			case "user":
				prompt, turn = m.Get("content").String(), 0
			case "assistant":
				turn++
			}
		}
		answer := move{}
		if r, ok := runOf(prompt); ok && body.Get("tools.0").Exists() {
			answer = next(r, turn)
		}
		delta, finish := object{"role": "assistant", "content": "Done."}, "stop"
		call := func(name string, input object) {
			delta["tool_calls"], finish = []object{{"index": 0, "id": fmt.Sprintf("call_%d", len(body.Raw)), "type": "function",
				"function": object{"name": name, "arguments": jsonText(input)}}}, "tool_calls"
		}
		switch {
		case answer.command != "":
			call("bash", object{"command": answer.command, "description": "write"})
		case answer.signal != nil:
			call(signalTool(body), answer.signal)
		}
		chunk := func(delta object, finish any) object {
			return object{"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
				"usage": object{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}}
		}
		return events(chunk(delta, nil), chunk(object{}, finish)) + "data: [DONE]\n\n"
	})
}

// openCodeWith returns the variables with which opencode uses this model.
func openCodeWith(t *testing.T, model string) []string {
	t.Helper()
	config := jsonText(object{"model": "x/m", "small_model": "x/m", "provider": object{"x": object{
		"npm": "@ai-sdk/openai-compatible", "name": "x", "options": object{"baseURL": model + "/v1", "apiKey": "k"},
		"models": object{"m": object{"name": "m", "limit": object{"context": 100000, "output": 1000}, "cost": object{"input": 1, "output": 2}}}}},
		"mcp": object{"quest": object{"type": "remote", "url": namesake(t)}}})
	return []string{"HOME=" + t.TempDir(), "OPENCODE_CONFIG_CONTENT=" + config, "OPENCODE_DISABLE_MODELS_FETCH=1"}
}

// A request becomes a finished change with another agent than Claude Code: the real
// opencode, and a model of our own. It asks, is resumed with the answer, and works.
func TestRealOpenCodeCarriesAQuestFromRequestToComplete(t *testing.T) {
	t.Parallel()
	program, model := openCode(t), chat(t, errand)
	s, start := startACP(t, "opencode", program, "opencode", openCodeWith(t, model.url))
	carry(t, s, start, model, "opencode", regexp.MustCompile(`^ses_`))
}
