package e2e_test

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tendsTheFile sows a pea, and makes the repository's own file softer.
const tendsTheFile = `
- role: codeweaver
  do:
    - write: {path: pea.txt, content: "sown\n"}
    - write: {path: .questboard/config.yaml, content: "check: \"true\"\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: sown}}
- role: spiritmender
  do:
    - write: {path: allowed, content: "yes\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: mended}}
`

const ownFile = `check: test ! -e broken
setup: touch set-up
beforeMerge: test -e allowed
limits:
  ward: 7
slots:
  codeweaver: 1
`

// page opens a page as the owner.
func (s *apiServer) page(path string) string {
	s.t.Helper()
	return s.browse(http.MethodGet, path, "")
}

// browse asks for a page as the owner's browser does, and follows no redirection.
func (s *apiServer) browse(method, path, fields string) string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, strings.NewReader(fields))
	if err != nil {
		s.t.Fatal(err)
	}
	owner(r)
	if fields != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// fileOf says whether the repository's own file counted for a quest, as its history has
// it.
func (s *apiServer) fileOf(quest string) any {
	s.t.Helper()
	return objects(s.get("/quests/" + quest + "/events?n=1000").want(200)["events"])[0]["data"].(object)["file"]
}

var trustHash = regexp.MustCompile(`name="hash" value="([0-9a-f]{64})"`)

// A repository's own file counts once the user has trusted it: its check, its set-up, its
// command before a merge, its limits, and its text for a role. What an agent changes in it
// does not count for its own quest, and the result says that it changed.
func TestARepositorysOwnFileCountsOnceItIsTrusted(t *testing.T) {
	t.Parallel()
	s, repo := startAPI(t, tendsTheFile), apiRepo(t)
	write(t, filepath.Join(repo, ".gitignore"), "set-up\n")
	if err := os.MkdirAll(filepath.Join(repo, ".questboard", "roles"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(repo, ".questboard", "config.yaml"), ownFile)
	write(t, filepath.Join(repo, ".questboard", "roles", "codeweaver.md"), "Peas of {{code .Line}} go into the bed by the wall.")
	gitText(t, repo, "add", "-A")
	gitText(t, repo, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "how quests work here")
	const plan = `,"plan":{"steps":[{"id":"pea","title":"Pea","files":["pea.txt",".questboard/config.yaml"]}]}`

	// Not trusted: it does not count, and the form says so.
	if _, form := s.form(repo, "worktree"); !strings.Contains(form, "does not count, because you have not trusted it yet") {
		t.Errorf("the form says:\n%s", form)
	}
	first := s.begin(repo, plan)
	q := s.get("/quests/" + first).want(200)
	if q["ward"] != "" || q["repoFile"] != nil || s.fileOf(first) != "untrusted" {
		t.Errorf("untrusted, and it counts: %s, %v", jsonText(q["repoFile"]), s.fileOf(first))
	}
	s.post("/quests/"+first+"/abandon", "{}")

	// Trusted as it is shown in full.
	trust := s.page("/settings/trust?repo=" + url.QueryEscape(repo))
	hash := trustHash.FindStringSubmatch(trust)
	if hash == nil || !strings.Contains(trust, "beforeMerge: test -e allowed") || !strings.Contains(trust, "bed by the wall") {
		t.Fatalf("the page does not show it in full:\n%s", trust)
	}
	for _, shown := range trustHash.FindAllStringSubmatch(trust, -1) {
		s.browse(http.MethodPost, "/settings/trust", url.Values{"repo": {repo}, "hash": {shown[1]}}.Encode())
	}
	if _, form := s.form(repo, "worktree"); !strings.Contains(form, "From the repository") || !strings.Contains(form, "test ! -e broken") {
		t.Errorf("the form says:\n%s", form)
	}

	// The quest runs with it, though an agent changes the file.
	second := s.begin(repo, plan)
	q = s.untilStatus(second, "complete")
	if q["ward"] != "test ! -e broken" || q["limits"].(object)["ward"] != 7.0 || s.fileOf(second) != "counts" {
		t.Errorf("check %q, limits %s, file %v", q["ward"], jsonText(q["limits"]), s.fileOf(second))
	}
	if n := len(ofStep(q, "spiritmender", "pea")); n != 1 || onBranch(t, repo, second, "allowed") == "" {
		t.Errorf("the command before the merge failed once, and %d spiritmenders were sent", n)
	}
	weaver := ofStep(q, "codeweaver", "pea")[0]
	if text := s.get("/runs/" + weaver["id"].(string) + "/prompt").text; !strings.Contains(text, "Peas of `pea` go into the bed by the wall.") {
		t.Errorf("Codeweaver is told:\n%s", text)
	}
	if text := s.outputOf(objects(q["runs"])[0]); !strings.Contains(text, "touch set-up") {
		t.Errorf("the first run sets nothing up:\n%s", text)
	}

	// Amber, and untrusted again for the next quest.
	outcome := q["outcome"].(object)
	if jsonText(outcome["repoFiles"]) != `[".questboard/config.yaml"]` || outcome["green"] != false {
		t.Errorf("the outcome: %s", jsonText(outcome))
	}
	if text := s.page("/quests/" + second + "/delivery"); !strings.Contains(text, "Changed for later quests, once you trust it") || !strings.Contains(text, "state-warn") {
		t.Errorf("the result says:\n%s", text)
	}
	third := s.begin(repo, `,"base":"quest/`+second+`"`+plan)
	if s.fileOf(third) != "changed" {
		t.Errorf("what an agent wrote counts: %v", s.fileOf(third))
	}
	s.post("/quests/"+third+"/abandon", "{}")
}

// trusting makes a repository with this file, and trusts it by the API.
func (s *apiServer) trusting(t *testing.T, file string) string {
	s.t.Helper()
	repo := apiRepo(s.t)
	if err := os.MkdirAll(filepath.Join(repo, ".questboard"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	write(t, filepath.Join(repo, ".questboard", "config.yaml"), file)
	gitText(s.t, repo, "add", "-A")
	gitText(s.t, repo, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "how quests work here")
	shown := s.get("/repository-file?repo=" + url.QueryEscape(repo)).want(200)
	if texts := objects(shown["files"]); shown["state"] != "untrusted" || len(texts) != 1 || texts[0]["text"] != file {
		s.t.Fatalf("shown: %s", jsonText(shown))
	}
	answer := s.send(http.MethodPatch, "/api/v1/settings", `{"trustedFiles":[{"repo":`+jsonText(repo)+`,"hash":`+jsonText(shown["hash"])+`}]}`).want(200)
	if state := objects(answer["trust"])[0]["fileState"]; state != "counts" {
		s.t.Fatalf("trusted, and the file is %v", state)
	}
	return repo
}

// blockOf waits until the step is blocked, and returns why.
func (s *apiServer) blockOf(quest, step string) object {
	s.t.Helper()
	q := s.until(quest, "the step is blocked", func(q object) bool { return named(q["steps"], step)["hold"] == "blocked" })
	return named(q["steps"], step)["block"].(object)
}

func TestACommandBeforeAMergeThatHangsEndsAtItsTimeout(t *testing.T) {
	t.Parallel()
	s := startAPI(t, sowsAPea)
	s.send(http.MethodPatch, "/api/v1/settings", `{"timeouts":{"ward":"1s"}}`).want(200)
	quest := s.begin(s.trusting(t, "beforeMerge: sleep 600\n"), `,"plan":{"steps":[{"id":"pea","title":"Pea","files":["pea.txt"]}]}`)
	if b := s.blockOf(quest, "pea"); b["kind"] != "ward-broke" || !strings.Contains(b["reason"].(string), "the command before the merge could not run") || !strings.Contains(b["reason"].(string), "1s") {
		t.Errorf("blocked: %s", jsonText(b))
	}
	if text := onBranch(t, s.get("/quests/" + quest).want(200)["repo"].(string), quest, "pea.txt"); text != "" {
		t.Error("it was merged")
	}
}

func TestACommandBeforeAMergeThatChangesTheTreeFailsAndNamesTheFiles(t *testing.T) {
	t.Parallel()
	s := startAPI(t, sowsAPea)
	quest := s.begin(s.trusting(t, "beforeMerge: echo weed >>pea.txt; echo report >report.txt\nlimits: {ward: 1}\n"), `,"plan":{"steps":[{"id":"pea","title":"Pea","files":["pea.txt"]}]}`)
	b := s.blockOf(quest, "pea")
	if reason := b["reason"].(string); b["kind"] != "ward" || !strings.HasSuffix(reason, "it changed files that git tracks: pea.txt") {
		t.Errorf("blocked: %s", jsonText(b))
	}
	if text := read(t, filepath.Join(treeOf(s.data, quest, "pea"), "pea.txt")); text != "sown\n" {
		t.Errorf("what it changed is not undone: %q", text)
	}
}

// A file with a fault does not count and cannot be trusted. Form, page, API and doctor
// name file, line and key.
func TestABadFileIsToldWhereTheUserLooks(t *testing.T) {
	t.Parallel()
	s, repo := startAPI(t, sowsAPea), apiRepo(t)
	if err := os.MkdirAll(filepath.Join(repo, ".questboard"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(repo, ".questboard", "config.yaml"), "check: make\nchek: make\n")
	gitText(t, repo, "add", "-A")
	gitText(t, repo, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "a slip")
	const want = ".questboard/config.yaml:2: there is no key &#34;chek&#34;"
	if _, form := s.form(repo, "worktree"); !strings.Contains(form, want) {
		t.Errorf("the form says:\n%s", form)
	}
	if page := s.page("/settings/trust?repo=" + url.QueryEscape(repo)); !strings.Contains(page, want) {
		t.Errorf("the page says:\n%s", page)
	}
	if message, _ := s.send(http.MethodPatch, "/api/v1/settings", `{"trustedFiles":[{"repo":`+jsonText(repo)+`,"hash":"x"}]}`).refused(422); !strings.Contains(message, `:2: there is no key "chek"`) {
		t.Errorf("refused with %q", message)
	}
	quest := s.begin(repo, `,"plan":{"steps":[{"id":"pea","title":"Pea"}]}`)
	if q := s.get("/quests/" + quest).want(200); q["ward"] != "" || s.fileOf(quest) != "faulty" {
		t.Errorf("check %q, file %v", q["ward"], s.fileOf(quest))
	}
	out, err := exec.Command(serverBinary(t), "doctor", "-data", t.TempDir(), "-agent", "simulated", repo).CombinedOutput()
	if err == nil || !strings.Contains(string(out), `FAIL  repository`) || !strings.Contains(string(out), `.questboard/config.yaml:2: there is no key "chek"`) {
		t.Errorf("doctor (%v):\n%s", err, out)
	}
}
