package e2e_test

import (
	"bytes"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readsFiles is an errand whose Codeweaver reads what came with the request, by the paths
// that its prompt names, and tries to change it.
const readsFiles = `
- role: codeweaver
  do:
    - run: cat FILES/*/notes.txt FILES/*/notes-2.txt > read.txt && (for f in FILES/*/notes.txt; do echo spoiled > $f; done) 2>/dev/null; true
    - tool: {name: signal-back, input: {signal: complete, summary: read}}
- role: lawbringer
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: good}}
`

// formWith sends the form of an errand with files.
func (s *apiServer) formWith(repo string, files map[string]string) (answer *http.Response, page string) {
	s.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range map[string]string{"request": "Do what the notes say.", "repo": repo, "size": "errand", "ward": "", "agent": "simulated"} {
		_ = w.WriteField(name, value) // to memory
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		part, err := w.CreateFormFile("files", name)
		if err != nil {
			s.t.Fatal(err)
		}
		_, _ = part.Write([]byte(files[name]))
	}
	_ = w.Close()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.base+"/quests", &body)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+apiToken)
	r.Header.Set("Content-Type", w.FormDataContentType())
	answer, err = http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer, string(text)
}

// upload begins an errand with files, by the form.
func (s *apiServer) upload(repo string, files map[string]string) (quest string) {
	s.t.Helper()
	answer, page := s.formWith(repo, files)
	quest, is := strings.CutPrefix(answer.Header.Get("Location"), "/quests/")
	if answer.StatusCode != http.StatusSeeOther || !is {
		s.t.Fatalf("the form: %d %s", answer.StatusCode, page)
	}
	return quest
}

// An agent reads the files that came with the request, in the sandbox too, where it cannot
// change them. They go with their quest.
func TestAnAgentReadsWhatCameWithTheRequest(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"plain": nil, "sandbox": {"-sandbox"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "sandbox" {
				needSandbox(t)
			}
			data, file := t.TempDir(), filepath.Join(t.TempDir(), "scenario.yaml")
			all := filepath.Join(data, "attachments", "quests")
			write(t, file, strings.ReplaceAll(readsFiles, "FILES", all))
			s := launch(t, nil, append(flags, "-data", data, "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", file)...)
			id := s.upload(apiRepo(t), map[string]string{"notes.txt": "one\n", "../notes.txt ": "two\n"})
			q := s.untilStatus(id, "complete")
			if list := objects(q["attachments"]); len(list) != 2 {
				t.Fatal(jsonText(q["attachments"]))
			}
			patch := s.get("/quests/" + id + "/diff")
			if !strings.Contains(patch.text, "one") || !strings.Contains(patch.text, "two") {
				t.Errorf("the agent read %s", patch.text)
			}
			content, err := os.ReadFile(filepath.Join(all, id, "notes.txt"))
			if name == "sandbox" && (err != nil || string(content) == "spoiled\n") {
				t.Errorf("the agent changed it: %q %v", content, err)
			}
			prompt := s.send(http.MethodGet, "/quests/"+id+"/steps/errand/prompt", "").text
			if want := filepath.Join(all, id, "notes-2.txt") + "` (file, 4 bytes)"; !strings.Contains(prompt, want) {
				t.Errorf("the prompt does not say %s:\n%s", want, prompt)
			}
			s.send(http.MethodDelete, "/api/v1/quests/"+id, "")
			if left, err := os.ReadDir(all); err != nil || len(left) > 0 {
				t.Errorf("after the deletion: %v %v", left, err)
			}
		})
	}
}
