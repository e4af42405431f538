package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"questboard/agents/runlog"
	"questboard/handlers/redact"
	"questboard/orchestration"
)

// Guests read the conversation and not the raw output: no line as it was written, no
// secret that two pieces of Markdown form, and nothing through the owner's search.
func TestGuestsReadTheConversationAlone(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	run := d.runOf(t, "form")
	const secret = "sk-ant-0123456789"
	d.output.Write(run, said("The key is token=**"+secret+"** and `"+secret+"`, [x](https://user:"+secret+"@a.example/)."),
		`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"a","old_string":"x","new_string":"password=`+secret+`\nfine"}}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"was ANTHROPIC_API_KEY=`+secret+`"}]}}`,
		`{"type":"assistant","parent_tool_use_id":"t2","task_description":"use token=`+secret+`","message":{"content":[{"type":"text","text":"the minion said"}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"Task","input":{"description":"token=`+secret+`","prompt":"password=`+secret+`"}}]}}`,
		`{"type":"from the future","secret":"`+secret+`"}`)
	link := d.link(t, "output=true")
	at := link + "/runs/" + run
	partial := func(r *http.Request) { r.Header.Set("HX-Request-Type", "partial") }
	for path, want := range map[string]string{"/output": "The key is", "/log": "The key is", "/output.txt": "The key is", "/lines/2": "fine", "/lines/1": "The key is", "/lines/4": "the minion said", "/lines/5": "token"} {
		for _, how := range []func(*http.Request){nil, partial} {
			body := bodyOf(t, d.request(http.MethodGet, at+path, "", how))
			if !strings.Contains(body, want) || strings.Contains(body, "0123456789") || strings.Contains(body, secret) {
				t.Errorf("%s: %s", path, body)
			}
		}
	}
	for _, path := range []string{"/output?raw=1", "/lines/6?raw=1", "/lines/6"} {
		if body := bodyOf(t, d.request(http.MethodGet, at+path, "", partial)); strings.Contains(body, "from the future") {
			t.Errorf("%s: %s", path, body)
		}
	}
	if code := d.visit(at + "/find?q=sk-ant").StatusCode; code != http.StatusNotFound {
		t.Errorf("the search answers a guest: %d", code)
	}
}

// The output of the check is part of the output of a share: as text without secrets, even
// if it is JSON. What an agent's program prints stays hidden unless it was made readable.
func TestGuestsReadWhatTheCheckPrints(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	run := d.runOf(t, "form")
	printed := func(kind, text string) string {
		line, err := json.Marshal(map[string]any{"type": kind, "stream": "output", "text": text})
		if err != nil {
			t.Fatal(err)
		}
		return string(line)
	}
	const secret = "CaNaRy123"
	d.output.Write(run, printed("setup", "added 12 packages"), `{"type":"ward","subtype":"start","command":"make check"}`,
		printed("ward", "ok    internal/form  0.41s"), printed("ward", `{"level":"info","password":"`+secret+`","message":"the server is ready"}`),
		printed("ward", "\x1b[31mFAIL\x1b[0m token=\x1b[1m"+secret), printed("ward", "db_password:"), printed("ward", "  "+secret),
		printed("ward", "-----BEGIN EC PRIVATE KEY-----"), printed("ward", secret), printed("ward", "-----END EC PRIVATE KEY-----"), printed("ward", "after the key"),
		`{"type":"ward","subtype":"end","exit_code":1,"duration_ms":1500,"why":"the check went red: exit 1"}`,
		`{"type":"from the future","secret":"`+secret+`"}`, `{"cut": "in the middle `+secret)
	at := d.link(t, "output=true") + "/runs/" + run
	for _, path := range []string{"/output", "/log", "/output.txt"} {
		body := bodyOf(t, d.request(http.MethodGet, at+path, "", nil))
		for _, want := range []string{"added 12 packages", "internal/form  0.41s", "the server is ready", "FAIL", "after the key", "the check went red"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not say %q: %s", path, want, body)
			}
		}
		if strings.Contains(body, "CaNaR") || strings.Contains(body, "from the future") || strings.Contains(body, "in the middle") {
			t.Errorf("%s: %s", path, body)
		}
	}
	for line, want := range map[string]string{"3": "0.41s", "4": "the server is ready"} {
		if body := bodyOf(t, d.request(http.MethodGet, at+"/lines/"+line, "", nil)); !strings.Contains(body, want) || strings.Contains(body, secret) {
			t.Errorf("line %s: %s", line, body)
		}
	}
}

// The head of a private key may stand behind more bytes than are read at once.
func TestGuestsReadNoKeyBehindLargeLines(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	run := d.runOf(t, "form")
	const secret = "CaNaRy123"
	large := strings.Repeat("x", runlog.PageBytes/2+1)
	d.output.Write(run, large, large, "-----BEGIN EC PRIVATE KEY-----", secret, "-----END EC PRIVATE KEY-----", "after the key")
	at := d.link(t, "output=true") + "/runs/" + run + "/lines/"
	for line, want := range map[string]string{"4": redact.Hidden, "6": "after the key"} {
		if body := bodyOf(t, d.request(http.MethodGet, at+line, "", nil)); !strings.Contains(body, want) || strings.Contains(body, secret) {
			t.Errorf("line %s: %s", line, body)
		}
	}
}

// disguised are forms of a secret that Markdown, entities or control sequences hide in
// the source but not on the page.
var disguised = []string{"pass&#119;ord: §", "pass&#x77;ord: §", "api\\_key: §", "password&colon; §", "token&equals;§", "pass**word**: §", "_pass_**word**: §", "`pass`word: §",
	"[pass](https://a.example/)word: §", "~~pass~~word: §", "pass\\\nword token&#61;§", "# pass&#119;ord:\n\n§", "- pass&#119;ord:\n\n  §", "- pass*word*:\n\n  §", "| pass&#119;ord | § |\n|---|---|\n| x | y |",
	"| a | b |\n|---|---|\n| pass*word* | § |", "[x](https://user&#58;§@a.example/)", "[x](https://a.example/?tok&#101;n=§)", "<https://user:§@a.example/>", "![x](https://user&#58;§@a.example/)",
	"pass&ZeroWidthSpace;word: §", "pass\u200bword: §", "pass\u00adword: §", "pass\x1b]8;;https://a.example/\x1b\\word\x1b]8;;\x1b\\: §",
	"pass\x1b]8;;https://a.example/\x07word\x1b]8;;\x07: §", "pass\u009d8;;https://a.example/\u009cword: §", "pass\x1bPq\x1b\\word: §", "pass\x1b_x\x1b\\word: §", "pass\x1b(Bword: §", "gh&#112;_§§"}

// What is redacted is what a guest's page shows: the rendered Markdown and not its
// source.
func TestGuestsReadNoSecretThatIsDisguised(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	const mark = "CaNaRy123"
	run, many := d.party.Start("routes"), ""
	for _, form := range disguised {
		text := strings.ReplaceAll(form, "§", mark)
		many += text + "\n\n"
		d.output.Write(run, said("Look.\n\n"+text), said(text), text)
	}
	d.party.Signal("routes", orchestration.Signal{Kind: orchestration.NeedsUserInput, Question: many, Context: many})
	d.party.Signal("form", orchestration.Signal{Kind: orchestration.Complete, Summary: many})
	pages := d.everything(t, d.link(t, "output=true"))
	for at, text := range pages {
		for found, left := 0, text; ; {
			i := strings.Index(left, "CaNaR")
			if i < 0 {
				break
			}
			if found++; found < 5 {
				t.Errorf("%s tells %q", at, left[max(0, i-80):min(len(left), i+20)])
			}
			left = left[i+1:]
		}
		if strings.ContainsAny(text, "\x1b␛\u009d") || strings.Contains(text, "]8;;") {
			t.Errorf("%s holds what a terminal was told", at)
		}
	}
	if len(pages) < 20 {
		t.Errorf("only %d pages were read", len(pages))
	}
}

// The token of a share is in its address. No line of the log contains it, even if the
// address is mistyped, and whatever refused it.
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
