package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
)

// rawPart is a part of a form as a hostile client writes it: the end of its
// Content-Disposition header, and what is in it.
type rawPart struct{ disposition, content string }

func quoted(name string) string {
	return `filename="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

// sendRaw sends the form of an errand with parts that no browser would write.
func (s *apiServer) sendRaw(repo string, parts []rawPart) (status int, location, page string) {
	s.t.Helper()
	const edge = "edge-of-the-parts"
	var body bytes.Buffer
	for name, value := range map[string]string{"request": "Read what came with this.", "repo": repo, "size": "errand", "ward": "", "agent": "simulated"} {
		fmt.Fprintf(&body, "--%s\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", edge, name, value)
	}
	for _, p := range parts {
		fmt.Fprintf(&body, "--%s\r\nContent-Disposition: form-data; name=\"files\"; %s\r\nContent-Type: application/octet-stream\r\n\r\n%s\r\n", edge, p.disposition, p.content)
	}
	fmt.Fprintf(&body, "--%s--\r\n", edge)
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.base+"/quests", &body)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+apiToken)
	r.Header.Set("Content-Type", "multipart/form-data; boundary="+edge)
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, answer.Header.Get("Location"), string(text)
}

// hostileNames are names that files of other people have. None of them has a slash, so a
// repository can have them too.
var hostileNames = []string{
	"-rf", "--upload-pack=x", "two\nlines.txt", "bell\x07tab\t.txt", "gpj.\u202etxt.exe", "zero\u200bwidth.txt",
	"caf\u00e9.txt", "cafe\u0301.txt", "<img src=x onerror=alert(1)>.txt", `"quoted" 'name'.txt`, "a&amp;b.txt", "back\\slash.txt",
	"con", "nul.txt", "com1.log", " spaces ", "dot.", "$(touch pwned).txt", "`touch pwned`.txt", "%2e%2e%2fpercent.txt", "\u65e5\u672c\u8a9e.txt",
	strings.Repeat("n", 251) + ".txt", "not utf-8 \xff\xfe.txt", "prompt.md", "*.txt", "a;b|c&d.txt", "{{.Name}}.txt", "bracket](x).txt",
}

func TestHostileNamesOfAttachmentsWorkOrAreRefusedByName(t *testing.T) {
	t.Parallel()
	var parts []rawPart
	for i, name := range append(slices.Clone(hostileNames), "../../etc/passwd", "/etc/passwd", "..", ".", ".git/config", "..\\..\\boot.ini", "C:\\nul", "nul\x00.txt") {
		if strings.ContainsFunc(name, unicode.IsControl) { // a header's value cannot have it
			parts = append(parts, rawPart{"filename*=UTF-8''" + url.PathEscape(name), fmt.Sprintf("content %d.\n", i)})
			continue
		}
		parts = append(parts, rawPart{quoted(name), fmt.Sprintf("content %d.\n", i)})
	}
	for i, header := range []string{`filename*=UTF-8''..%2f..%2fx.txt`, `filename="plain.txt"; filename*=UTF-8''%2e%2e%2fstar.txt`,
		`filename=unquoted.txt`, `filename="line%0D%0AX-Evil: 1.txt"`, `filename*=UTF-8''line%0D%0AX-Evil%3A%201.txt`, `FILENAME="upper.txt"`} {
		parts = append(parts, rawPart{header, fmt.Sprintf("header %d.\n", i)})
	}
	data := t.TempDir()
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, file, readsNothing)
	s := launch(t, nil, "-data", data, "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", file)
	const most = 20
	for len(parts) > 0 {
		n := min(most, len(parts))
		s.namesOf(apiRepo(t), data, parts[:n])
		parts = parts[n:]
	}
}

// namesOf begins an errand with the parts and looks for each, on disk, by its link and in the
// prompt.
func (s *apiServer) namesOf(repo, data string, parts []rawPart) {
	t := s.t
	t.Helper()
	status, location, page := s.sendRaw(repo, parts)
	id, begun := strings.CutPrefix(location, "/quests/")
	if status != http.StatusSeeOther || !begun {
		t.Fatalf("%d %s", status, page)
	}
	q := s.untilStatus(id, "complete")
	list := objects(q["attachments"])
	if len(list) != len(parts) {
		t.Errorf("%d files were sent, the quest has %d", len(parts), len(list))
	}
	folder := filepath.Join(data, "attachments", "quests", id)
	there, err := os.ReadDir(folder)
	if err != nil || len(there) != len(list) {
		t.Fatalf("%d files in the folder: %v", len(there), err)
	}
	var contents []string
	for _, f := range list {
		name := f["name"].(string)
		got := s.send(http.MethodGet, "/quests/"+id+"/files/"+url.PathEscape(name), "")
		contents = append(contents, got.text)
		if strings.ContainsFunc(name, func(r rune) bool {
			return !unicode.IsPrint(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(`/\<>"`, r)
		}) || strings.Trim(name, ".-") == "" {
			t.Errorf("the name %q", name)
		}
	}
	for _, p := range parts {
		if !slices.Contains(contents, p.content) {
			t.Errorf("%s: no attachment has its content", p.disposition)
		}
	}
	prompt := s.send(http.MethodGet, "/quests/"+id+"/steps/errand/prompt", "").text
	for _, f := range there {
		if !strings.Contains(prompt, html.EscapeString(filepath.Join(folder, f.Name()))+"`") {
			t.Errorf("the prompt does not name %q", f.Name())
		}
	}
	for _, path := range []string{"/quests/" + id, "/quests/" + id + "/steps/errand/prompt"} {
		if page := s.send(http.MethodGet, path, "").text; strings.Contains(page, "<img src=x") {
			t.Errorf("%s has a name as markup", path)
		}
	}
}

// readsNothing is an errand whose agent only says that it is done.
const readsNothing = `
- role: codeweaver
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: read}}
- role: lawbringer
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: good}}
`

// What is refused has its reason with its name, and the request that was typed comes back.
func TestFilesThatCannotBeTakenAreNamedAndTheRequestIsKept(t *testing.T) {
	t.Parallel()
	s := launch(t, nil, "-data", t.TempDir(), "-addr", "127.0.0.1:0", "-agent", "simulated")
	repo := apiRepo(t)
	var many []rawPart
	for i := range 200 {
		many = append(many, rawPart{quoted(fmt.Sprintf("n%d.txt", i)), fmt.Sprint(i)})
	}
	for _, c := range []struct {
		what   string
		parts  []rawPart
		status int
		says   []string
	}{
		{"200 files", many, http.StatusUnprocessableEntity, []string{"n20.txt was not taken: a quest has at most 20 files"}},
		{"50 MB", []rawPart{{quoted("paste.txt"), strings.Repeat("0123456789", 5_000_000)}}, http.StatusUnprocessableEntity,
			[]string{"paste.txt was not taken: it has 47.7 MiB, and one file has at most 10 MiB"}},
		{"no image", []rawPart{{quoted("photo.png"), "<svg onload=alert(1)>"}}, http.StatusUnprocessableEntity,
			[]string{"photo.png was not taken: it is no PNG, JPEG, GIF or WebP image, though it is called one"}},
		{"a header with a control character", []rawPart{{"filename=\"bell\x07.txt\"", "x"}}, http.StatusBadRequest, nil},
		{"empty", []rawPart{{quoted("<b>nothing</b>.txt"), ""}}, http.StatusUnprocessableEntity, []string{"was not taken: it is empty, or a folder"}},
	} {
		status, location, page := s.sendRaw(repo, c.parts)
		if status != c.status || location != "" {
			t.Errorf("%s: %d %s", c.what, status, location)
		}
		for _, says := range append(c.says, "Read what came with this.") {
			if !strings.Contains(html.UnescapeString(page), says) {
				t.Errorf("%s: the page does not say %q", c.what, says)
			}
		}
		if strings.Contains(page, "<b>nothing") || strings.Contains(page, "<svg onload") {
			t.Errorf("%s: markup of the client's on the page", c.what)
		}
	}
}

// An agent writes files with hostile names. Each is in the diff, as text, and none is run.
func TestHostileNamesOfARepositoryAreShownAsText(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	names := hostileNames
	for i, name := range hostileNames {
		path := "./'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
		if !utf8.ValidString(name) { // which JSON cannot have
			path = `"$(printf 'not utf-8 \377\376.txt')"`
		}
		fmt.Fprintf(&script, "printf 'content %d.\\n' > %s\n", i, path)
	}
	tool, err := json.Marshal(script.String())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, file, strings.Replace(readsNothing, "  do:\n", "  do:\n    - run: "+string(tool)+"\n", 1))
	s := launch(t, nil, "-data", t.TempDir(), "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", file)
	_, location, _ := s.sendRaw(apiRepo(t), nil)
	id := strings.TrimPrefix(location, "/quests/")
	s.untilStatus(id, "complete")
	shown := s.send(http.MethodGet, "/quests/"+id+"/diff", "").text
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(shown))
	if err != nil {
		t.Fatal(err)
	}
	if n := doc.Find(".diff-file").Length(); n != len(names) {
		t.Errorf("%d files in the diff, not %d", n, len(names))
	}
	known := map[string]bool{}
	for _, f := range doc.Find(".diff-file").EachIter() {
		name := f.AttrOr("data-name", "")
		if known[name] {
			t.Errorf("two files are called %s", name)
		}
		known[name] = true
	}
	for i, name := range names {
		if !known[strconv.QuoteToASCII(name)] {
			t.Errorf("%q is not in the diff", name)
		}
		if !strings.Contains(shown, fmt.Sprintf("content %d.", i)) {
			t.Errorf("the content of %q is not in the diff", name)
		}
	}
	if doc.Find("img[onerror]").Length() > 0 {
		t.Error("a name is markup")
	}
	if i := strings.IndexAny(shown, "\u202e\x07"); i >= 0 {
		t.Errorf("a name turns the text: %q", shown[max(0, i-200):i+60])
	}
	if patch := s.get("/quests/" + id + "/diff").text; strings.Count(patch, "diff --git") != len(names) {
		t.Errorf("%d files in the patch", strings.Count(patch, "diff --git"))
	}
}
