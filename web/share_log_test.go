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

// The token of a share is in its address. It is in no line of the log, however
// its address was written, and whatever refused it.
func TestTheLogNamesNoTokenOfAnAddressThatIsWrittenWrongly(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	token := strings.TrimPrefix(d.link(t, ""), "/s/")
	for _, path := range []string{"//s/", "/S/", "/./s/", "/quests/../s/", "///s//", "/x/s/", "/s%2f", "/%73/", "/", "/s%5c", "/s;/", "/s/../S/", "/login/token="} {
		for name, change := range map[string]func(*http.Request){
			"nobody":       nil,
			"foreign host": func(r *http.Request) { r.Host = "evil.example" },
			"wrong token":  func(r *http.Request) { r.Header.Set("Authorization", "Bearer wrong") },
			"form":         func(r *http.Request) { r.Method = http.MethodPost },
		} {
			d.log.Reset()
			d.request(http.MethodGet, "http://"+host+path+token, "", change)
			d.now.Add(1)
			if strings.Contains(d.log.String(), token) {
				t.Errorf("%s, %s: %s", path, name, d.log)
			}
		}
	}
	d.request(http.MethodGet, "/s/"+token, "", func(r *http.Request) { r.Host = "evil.example" })
	d.request(http.MethodGet, "/quests/some-quest", "", nil)
	for _, want := range []string{"path=/s/…", "path=/quests/some-quest"} {
		if !strings.Contains(d.log.String(), want) {
			t.Errorf("no %s in %s", want, d.log)
		}
	}
}
