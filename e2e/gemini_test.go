package e2e_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// geminiVersion is the release of the Gemini CLI (Apache 2.0) that the test uses.
const geminiVersion = "0.61.0"

// geminiModel is a stand-in for a model with Gemini's API.
func geminiModel(t *testing.T, next func(r toldRun, turn int) move) *standInModel {
	t.Helper()
	return standIn(t, "text/event-stream", func(path string, body gjson.Result) string {
		prompt, turn := "", 0
		for _, message := range body.Get("contents").Array() {
			for _, part := range message.Get("parts").Array() {
				switch {
				case part.Get("functionCall").Exists():
					turn++
				case message.Get("role").Str == "user" && firstLine.MatchString(part.Get("text").Str):
					prompt, turn = part.Get("text").Str, 0
				}
			}
		}
		part := object{"text": "Done."}
		answer := move{}
		if r, ok := runOf(prompt); ok {
			answer = next(r, turn)
		}
		tools := body.Get("tools.#.functionDeclarations.#.name|@flatten").Array()
		switch {
		case len(tools) == 0: // it asks which model fits
			part = object{"text": jsonText(object{"reasoning": "r", "model_choice": "flash", "complexity_reasoning": "r", "complexity_score": 1})}
		case answer.command != "":
			part = object{"functionCall": object{"name": "run_shell_command", "args": object{"command": answer.command, "description": "write"}}}
		case answer.signal != nil:
			part = object{"functionCall": object{"name": signalTool(body), "args": answer.signal}}
		}
		said := object{"candidates": []object{{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": []object{part}}}},
			"usageMetadata": object{"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}}
		if strings.Contains(path, "stream") {
			return events(said)
		}
		return jsonText(said)
	})
}

// geminiWith returns the variables with which Gemini uses this model.
func geminiWith(t *testing.T, model string) []string {
	t.Helper()
	home := t.TempDir()
	write(t, filepath.Join(home, ".gemini", "settings.json"), jsonText(object{"security": object{"auth": object{"selectedType": "gemini-api-key"}},
		"general": object{"maxAttempts": 1}, "mcpServers": object{"quest": object{"httpUrl": namesake(t), "trust": true}}}))
	return []string{"HOME=" + home, "GOOGLE_GEMINI_BASE_URL=" + model, "GEMINI_API_KEY=k"}
}

// A request becomes a finished change with the real Gemini CLI, and a model of our own. It can
// only load a session, and tells it again, which is no output of the run.
func TestRealGeminiCarriesAQuestFromRequestToComplete(t *testing.T) {
	t.Parallel()
	program := npmProgram(t, "@google/gemini-cli", geminiVersion, "gemini")
	model := geminiModel(t, errand)
	s, start := startACP(t, "gemini", program, "gemini", geminiWith(t, model.url))
	q := carry(t, s, start, model, "gemini", regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f-]{27}$`))
	for _, r := range objects(q["runs"]) {
		tokens, _ := r["tokens"].(object)
		if r["role"] != "ward" && (tokens["input"] == 0.0 || tokens["output"] == 0.0) {
			t.Errorf("the run %s", jsonText(r))
		}
	}
}
