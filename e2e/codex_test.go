package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// codexVersion is the release of Codex's adapter (Apache 2.0) that the test uses. It brings Codex.
const codexVersion = "2.6.0"

// responses is a stand-in for a model with OpenAI's API of responses.
func responses(t *testing.T, next func(r toldRun, turn int) move) *standInModel {
	t.Helper()
	return standIn(t, "text/event-stream", func(_ string, body gjson.Result) string {
		prompt, turn := "", 0
		for _, item := range body.Get("input").Array() {
			switch {
			case item.Get("role").Str == "user" && firstLine.MatchString(item.Get("content").Raw):
				prompt, turn = strings.Join(textsOf(item.Get("content.#.text")), "\n"), 0
			case item.Get("type").Str == "function_call":
				turn++
			}
		}
		answer := move{}
		if r, ok := runOf(prompt); ok {
			answer = next(r, turn)
		}
		id := fmt.Sprintf("%d", len(body.Raw))
		item := object{"type": "message", "role": "assistant", "id": "m" + id, "content": []object{{"type": "output_text", "text": "Done."}}}
		call := func(name string, input object) object {
			return object{"type": "function_call", "id": "f" + id, "call_id": "c" + id, "name": name, "arguments": jsonText(input)}
		}
		switch {
		case answer.command != "":
			item = call("exec_command", object{"cmd": answer.command})
		case answer.signal != nil:
			namespace, name, _ := strings.Cut(signalTool(body), ".")
			item = call(name, answer.signal)
			item["namespace"] = namespace
		}
		return events(object{"type": "response.created", "response": object{"id": "r" + id}},
			object{"type": "response.output_item.done", "output_index": 0, "item": item},
			object{"type": "response.completed", "response": object{"id": "r" + id, "usage": object{"input_tokens": 100, "output_tokens": 20, "total_tokens": 120,
				"input_tokens_details": object{"cached_tokens": 40}, "output_tokens_details": object{"reasoning_tokens": 5}}}})
	})
}

func textsOf(list gjson.Result) (all []string) {
	for _, text := range list.Array() {
		all = append(all, text.Str)
	}
	return all
}

// codexWith returns the variables with which Codex uses this model.
func codexWith(t *testing.T, model string) []string {
	t.Helper()
	home := homeOfCodex(t)
	config := jsonText(object{"model": "m", "model_provider": "x", "model_providers": object{"x": object{"name": "x", "base_url": model + "/v1",
		"env_key": "CODEX_KEY", "wire_api": "responses", "request_max_retries": 0, "stream_max_retries": 0}}})
	write(t, filepath.Join(home, "config.toml"), "[mcp_servers.quest]\nurl = "+strconv.Quote(namesake(t))+"\n")
	return []string{"HOME=" + home, "CODEX_HOME=" + home, "CODEX_CONFIG=" + config, "MODEL_PROVIDER=x", "CODEX_KEY=k"}
}

// homeOfCodex returns a folder for its sessions. Below the system's temporary folder its
// sandbox fails.
func homeOfCodex(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.MkdirTemp(filepath.Join(cache, "questboard-test"), "codex-home-") //nolint:usetesting // not below the temporary folder
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	return home
}

// A request becomes a finished change with the real Codex, and a model of our own. Its tokens
// are those of each run, although it counts a conversation on.
func TestRealCodexCarriesAQuestFromRequestToComplete(t *testing.T) {
	t.Parallel()
	program := npmProgram(t, "@agentclientprotocol/codex-acp", codexVersion, "codex-acp")
	model := responses(t, errand)
	s, start := startACP(t, "codex", program, "codex-acp", codexWith(t, model.url))
	q := carry(t, s, start, model, "codex", regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f-]{27}$`))
	for _, r := range objects(q["runs"]) {
		tokens, _ := r["tokens"].(object)
		if r["role"] != "ward" && (tokens["input"] == 0.0 || tokens["output"] == 0.0 || tokens["output"].(float64) > 60) {
			t.Errorf("the run %s used %s", r["id"], jsonText(tokens))
		}
	}
}
