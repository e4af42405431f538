package e2e_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const asksAndSays = `
- role: codeweaver
  visit: 1
  do:
    - say: the key is ghp_CANARYCANARY and the home is HOMEDIR
    - tool: {name: signal-back, input: {signal: needs-user-input, question: Whom to greet?, context: ANTHROPIC_API_KEY=CANARY}}
- role: codeweaver
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: greeted}}
`

// docs/hardening.md#web, T1.10, with the built server: a guest watches and answers, and
// the agent continues with the answer. The link opens neither the API nor /mcp, is
// nowhere in the data directory, and ends.
func TestTheBuiltServerSharesAQuest(t *testing.T) {
	t.Parallel()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	s := startAPI(t, strings.ReplaceAll(asksAndSays, "HOMEDIR", filepath.Join(home, "x")))
	quest := s.begin(apiRepo(t), `,"ward":"echo the check says ghp_CANARYCANARY; echo all is well","plan":{"steps":[{"id":"one","title":"One"}]}`)
	q := s.until(quest, "a question", func(q object) bool { return len(objects(q["questions"])) == 1 })
	question, runs := objects(q["questions"])[0]["id"].(string), map[any]string{} // the newest of each role
	for _, r := range objects(q["runs"]) {
		runs[r["role"]] = r["id"].(string)
	}
	run := runs["codeweaver"]
	made := s.post("/quests/"+quest+"/shares", `{"include":["output"],"answer":true}`).want(http.StatusCreated)
	link := made["url"].(string)
	token := link[strings.LastIndexByte(link, '/')+1:]

	for _, path := range []string{"", "/steps/one", "/questions/" + question, "/runs/" + run + "/output", "/runs/" + run + "/output.txt"} {
		status, text := visit(t, link+path)
		if status != http.StatusOK || strings.Contains(text, "CANARY") || strings.Contains(text, filepath.Join(home, "x")) {
			t.Errorf("%s: %d\n%s", path, status, text)
		}
	}
	if _, text := visit(t, link+"/runs/"+run+"/output.txt"); !strings.Contains(text, "the key is [redacted] and the home is ~/x") {
		t.Errorf("the output is shown as %s", text)
	}
	if _, text := visit(t, link+"/runs/"+runs["ward"]+"/output.txt"); !strings.Contains(text, "\n     2           the check says [redacted]\n     3           all is well\n") || strings.Contains(text, "CANARY") {
		t.Errorf("the check is shown as %s", text)
	}
	if _, text := visit(t, link+"/steps/one"); !strings.Contains(text, "Whom to greet?") || strings.Contains(text, "<form") {
		t.Error("the question is not shown, or a form is")
	}
	if got := s.tool(token, "get-quest", object{}).status; got != http.StatusUnauthorized {
		t.Errorf("/mcp answers %d", got)
	}
	for _, address := range []string{"/api/v1/quests", "/api/v1/quests/" + quest, "/quests", "/metrics?token=" + token} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base+address, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		w, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = w.Body.Close()
		if w.StatusCode != http.StatusUnauthorized && !strings.HasPrefix(address, "/metrics") {
			t.Errorf("%s answers %d", address, w.StatusCode)
		}
	}

	w, err := http.PostForm(link+"/questions/"+question, url.Values{"name": {"Mira"}, "answer": {"the world"}})
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Body.Close()
	q = s.until(quest, "the agent has gone on", func(q object) bool {
		return objects(q["questions"])[0]["answer"] == "the world" && named(q["steps"], "one")["stage"] != "codeweaver"
	})
	if by := objects(q["questions"])[0]["answeredBy"]; by != "Mira (by a shared link)" {
		t.Errorf("answered by %v", by)
	}

	s.send(http.MethodDelete, "/api/v1/shares/"+made["id"].(string), "").want(http.StatusOK)
	if status, text := visit(t, link); status != http.StatusGone || !strings.Contains(text, "Ask the person who sent it") {
		t.Errorf("the revoked link: %d", status)
	}
	holdsNowhere(t, s.data, token)
}

func visit(t *testing.T, url string) (int, string) {
	t.Helper()
	w, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.StatusCode, string(text)
}

// holdsNowhere checks that no file of a folder contains the secret.
func holdsNowhere(t *testing.T, dir, secret string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a temporary file that no longer exists
		}
		if files++; bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s holds it", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files were read (%v)", files, err)
	}
}
