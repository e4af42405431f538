package web_test

import (
	"net/http"
	"strings"
	"testing"
)

// Guests read the conversation and not what lies below it: no line as it was
// written, no secret in two pieces of Markdown, nothing by the owner's search.
func TestGuestsReadTheConversationAlone(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	run := d.runOf(t, "form")
	const secret = "sk-ant-0123456789"
	d.output.Write(run, said("The key is token=**"+secret+"** and `"+secret+"`, [x](https://user:"+secret+"@a.example/)."),
		`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"a","old_string":"x","new_string":"password=`+secret+`\nfine"}}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"was ANTHROPIC_API_KEY=`+secret+`"}]}}`,
		`{"type":"from the future","secret":"`+secret+`"}`)
	link := d.link(t, "output=true")
	at := link + "/runs/" + run
	partial := func(r *http.Request) { r.Header.Set("HX-Request-Type", "partial") }
	for path, want := range map[string]string{"/output": "The key is", "/log": "The key is", "/output.txt": "The key is", "/lines/2": "fine", "/lines/1": "The key is"} {
		for _, how := range []func(*http.Request){nil, partial} {
			body := bodyOf(t, d.request(http.MethodGet, at+path, "", how))
			if !strings.Contains(body, want) || strings.Contains(body, "0123456789") || strings.Contains(body, secret) {
				t.Errorf("%s: %s", path, body)
			}
		}
	}
	for _, path := range []string{"/output?raw=1", "/lines/4?raw=1", "/lines/4"} {
		if body := bodyOf(t, d.request(http.MethodGet, at+path, "", partial)); strings.Contains(body, "from the future") {
			t.Errorf("%s: %s", path, body)
		}
	}
	if code := d.visit(at + "/find?q=sk-ant").StatusCode; code != http.StatusNotFound {
		t.Errorf("the search answers a guest: %d", code)
	}
}
