package browser_test

import (
	"encoding/json"
	"fmt"
	"time"
)

// talk writes an agent's conversation, line by line.
type talk struct {
	lines []string
	at    time.Time
	calls int
}

func (c *talk) write(line map[string]any) {
	c.at = c.at.Add(800 * time.Millisecond)
	line["timestamp"] = c.at.Format(time.RFC3339Nano)
	raw, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	c.lines = append(c.lines, string(raw))
}

func (c *talk) block(block map[string]any, parent string) {
	line := map[string]any{"type": "assistant", "message": map[string]any{"content": []any{block}}}
	if parent != "" {
		line["parent_tool_use_id"] = parent
	}
	c.write(line)
}

func (c *talk) says(text string) { c.block(map[string]any{"type": "text", "text": text}, "") }

// calls lets the agent, or the sub-agent of parent, call a tool. It returns the id of
// the call.
func (c *talk) call(parent, name string, input map[string]any) string {
	c.calls++
	id := fmt.Sprintf("toolu_%d", c.calls)
	c.block(map[string]any{"type": "tool_use", "id": id, "name": name, "input": input}, parent)
	return id
}

func (c *talk) result(id, parent, text string, failed bool) {
	line := map[string]any{"type": "user", "message": map[string]any{"content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}}}}
	if parent != "" {
		line["parent_tool_use_id"] = parent
	}
	c.write(line)
}

// conversation returns a typical run: text, tools, a sub-agent, an edit, a check in
// colours, a signal.
func conversation() []string {
	c := &talk{at: time.Date(2026, 11, 21, 14, 2, 0, 0, time.UTC)}
	c.write(map[string]any{"type": "system", "subtype": "init", "session_id": "0b7f3f0c", "model": "claude-opus"})
	c.block(map[string]any{"type": "thinking", "thinking": "The form has to keep what was typed.\nSo the handler answers 422."}, "")
	c.says("I read the step. The plan:\n\n1. a **form** with two fields\n2. a test that posts `name=\"\"`\n\n> Nothing is stored before the check.\n\n| field | rule |\n|---|---|\n| name | not empty |\n| rate | above 0 |\n\nSee https://example.org/forms and ![a sketch](https://example.org/sketch.png).\n<b>Not bold</b>, <img src=x onerror=alert(1)>.")
	todo := c.call("", "TodoWrite", map[string]any{"todos": []any{
		map[string]any{"content": "Read the step", "status": "completed"}, map[string]any{"content": "Write the form", "status": "in_progress"},
		map[string]any{"content": "Test it", "status": "pending"}}})
	c.result(todo, "", "Todos have been modified", false)
	read := c.call("", "Read", map[string]any{"file_path": "internal/form/form.go"})
	c.result(read, "", "1\tpackage form\n2\n3\tfunc Parse() {}", false)
	agent := c.call("", "Task", map[string]any{"description": "find the callers", "prompt": "Find **all** callers of `Parse`.", "subagent_type": "general-purpose"})
	grep := c.call(agent, "Grep", map[string]any{"pattern": `Parse\(`})
	c.result(grep, agent, "internal/form/form.go:3", false)
	c.result(agent, "", "There is *one* caller.", false)
	edit := c.call("", "Edit", map[string]any{"file_path": "internal/form/form.go", "old_string": "func Parse() {}\n", "new_string": "func Parse(v url.Values) (Form, error) {\n\treturn Form{}, nil\n}\n"})
	c.result(edit, "", "The file has been updated.", false)
	test := c.call("", "Bash", map[string]any{"command": "go test ./internal/form", "description": "Run the tests"})
	c.result(test, "", "--- FAIL: TestForm (0.00s)\n    form_test.go:12: want 422, got 200\nFAIL", true)
	c.says("The test fails as it should. One more edit.")
	c.lines = append(c.lines, `{"type":"ward","subtype":"start","command":"make check"}`,
		`{"type":"ward","stream":"output","text":"\u001b[32mok\u001b[0m    internal/form   \u001b[1m0.41s\u001b[0m"}`,
		`{"type":"ward","stream":"output","text":"\u001b[1;31mFAIL\u001b[0m  internal/api    1.20s"}`,
		`{"type":"ward","subtype":"end","exit_code":1,"duration_ms":1500,"why":"the check went red: exit 1"}`)
	signal := c.call("", "mcp__quest__signal-back", map[string]any{"signal": "complete", "stepId": "form", "summary": "The form **keeps** what was typed.\n\n- 422 with the field's fault"})
	c.result(signal, "", "Stored.", false)
	c.write(map[string]any{"type": "result", "is_error": false, "num_turns": 9, "duration_ms": 18_400, "total_cost_usd": 0.0412, "result": "The work is done."})
	return c.lines
}
