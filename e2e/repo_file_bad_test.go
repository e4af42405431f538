package e2e_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// bomb is a file whose aliases stand for 9^30 values.
func bomb() string {
	text := "links: &l0 [x]\n"
	for n := range 30 {
		text += fmt.Sprintf("l%d: &l%d [%s]\n", n+1, n+1, strings.Repeat(fmt.Sprintf("*l%d,", n), 9))
	}
	return text
}

// commits commits one file on a new branch, and returns the branch.
func commits(t *testing.T, repo, branch, file, text string) string {
	t.Helper()
	gitText(t, repo, "checkout", "-q", "-B", branch)
	write(t, filepath.Join(repo, file), text)
	gitText(t, repo, "add", "-A")
	gitText(t, repo, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", branch)
	return branch
}

var shownFile = regexp.MustCompile(`name="own-file" value="([^"]*)"`)

// Whatever is wrong with a repository's own file, form, trust page, API and doctor say it,
// it cannot be trusted, and nothing is started or saved.
func TestABadFileOfARepositoryIsToldAndChangesNothing(t *testing.T) {
	t.Parallel()
	s := startAPI(t, `[{role: chaoswhisperer, do: [{hang: true}]}, {role: codeweaver, do: [{hang: true}]}]`)
	before := s.get("/settings").want(200)
	for _, c := range []struct{ branch, file, text, says string }{
		{"wrong-type", "config.yaml", "check: 5\n", ".questboard/config.yaml:1: check must be a text, not a number (in quotes it is a text)"},
		{"wrong-shape", "config.yaml", "limits: 3\n", ".questboard/config.yaml:1: limits must have keys of its own (ward, crash"},
		{"large", "config.yaml", "check: make # " + strings.Repeat("x", 2<<20), ".questboard/config.yaml has 2049 KiB: at most 16"},
		{"bomb", "config.yaml", bomb(), ".questboard/config.yaml:1: links must be a list, such as [node_modules], not an anchor or an alias"},
		{"variable", "roles/codeweaver.md", "one\ntwo {{code .Nope}}\n", ".questboard/roles/codeweaver.md: line 2: there is no variable .Nope"},
	} {
		repo := apiRepo(t)
		at := "?repo=" + url.QueryEscape(repo) + "&base=" + commits(t, repo, c.branch, ".questboard/"+c.file, c.text)
		for page, text := range map[string]string{"form": s.page("/quests/new/repository" + at), "trust page": s.page("/settings/trust" + at)} {
			if !strings.Contains(text, html.EscapeString(c.says)) {
				t.Errorf("%s: the %s says\n%.5000s", c.branch, page, text)
			}
		}
		file := s.get("/repository-file" + at).want(200)
		if faults := jsonText(file["faults"]); file["state"] != "faulty" || !strings.Contains(faults, c.says) {
			t.Errorf("%s: the API says %v: %.500s", c.branch, file["state"], faults)
		}
		trust := fmt.Sprintf(`{"slots":9,"trustedFiles":[{"repo":%s,"base":%q,"hash":%s}]}`, jsonText(repo), c.branch, jsonText(file["hash"]))
		if said, _ := s.send(http.MethodPatch, "/api/v1/settings", trust).refused(422); !strings.Contains(said, c.says) {
			t.Errorf("%s: refused with %q", c.branch, said)
		}
		out, err := exec.Command(serverBinary(t), "doctor", "-data", t.TempDir(), "-agent", "simulated", repo).CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: doctor (%v):\n%s", c.branch, err, out)
		}
	}
	if after := s.get("/settings").want(200); jsonText(after) != jsonText(before) {
		t.Errorf("the settings changed from %s to %s", jsonText(before), jsonText(after))
	}

	// Its object is missing: that is said, too.
	repo := apiRepo(t)
	commits(t, repo, "broken", ".questboard/config.yaml", "check: make\n")
	tree := strings.TrimSpace(gitText(t, repo, "rev-parse", "HEAD^{tree}"))
	if err := os.Remove(filepath.Join(repo, ".git", "objects", tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	if text := s.page("/settings/trust?repo=" + url.QueryEscape(repo)); !strings.Contains(text, "What the repository sets for quests (.questboard) cannot be read: ") {
		t.Errorf("the trust page says\n%s", text)
	}
	if said, _ := s.get("/repository-file?repo=" + url.QueryEscape(repo)).refused(422); !strings.Contains(said, "its own file cannot be read") {
		t.Errorf("the API says %q", said)
	}

	// It changes between the form and the start.
	repo = s.trusting(t, "check: \"true\"\n")
	_, form := s.form(repo, "worktree")
	shown := shownFile.FindStringSubmatch(form)
	if shown == nil || !strings.HasPrefix(shown[1], "counts:") {
		t.Fatalf("the form shows %q:\n%s", shown, form)
	}
	branch := strings.TrimSpace(gitText(t, repo, "branch", "--show-current"))
	commits(t, repo, branch, ".questboard/config.yaml", "setup: make evil\n")
	typed := url.Values{"request": {"Sow a <pea>"}, "repo": {repo}, "own-file": {shown[1]}, "workspace": {"worktree"}, "agent": {"simulated"}}
	text := s.browse(http.MethodPost, "/quests", typed.Encode())
	for _, want := range []string{"has another content than you were shown. Nothing was started.", "changed since you trusted it, so it does not count", "Sow a &lt;pea&gt;"} {
		if !strings.Contains(text, html.EscapeString(want)) && !strings.Contains(text, want) {
			t.Errorf("the form that comes back lacks %q:\n%s", want, text)
		}
	}
	if quests := objects(s.get("/quests").want(200)["quests"]); len(quests) != 0 {
		t.Errorf("begun: %s", jsonText(quests))
	}
	typed.Set("own-file", shownFile.FindStringSubmatch(text)[1])
	s.browse(http.MethodPost, "/quests", typed.Encode())
	quests := objects(s.get("/quests").want(200)["quests"])
	if len(quests) != 1 || s.fileOf(quests[0]["id"].(string)) != "changed" {
		t.Errorf("sent again: %s", jsonText(quests))
	}

	// Its check is not found: the card says so, and no step starts.
	quest := s.begin(s.trusting(t, "check: no-such-check --all\n"), `,"plan":{"steps":[{"id":"pea","title":"Pea","files":["pea.txt"]}]}`)
	q := s.until(quest, "the check of the base is blocked", func(q object) bool { return named(q["lines"], "baseline")["hold"] == "blocked" })
	block := named(q["lines"], "baseline")["block"].(object)
	if reason := block["reason"].(string); block["kind"] != "ward-broke" || !strings.Contains(reason, "no-such-check") || !strings.Contains(reason, "not found") {
		t.Errorf("blocked: %s", jsonText(block))
	}
	if text := s.page("/quests/" + quest); !strings.Contains(text, "command not found: no-such-check") {
		t.Errorf("the board does not say %q:\n%s", block["reason"], regexp.MustCompile(`(?s)<main.*</main>`).FindString(text))
	}
	if len(objects(named(q["steps"], "pea")["runs"])) != 0 || named(q["steps"], "pea")["started"] != false {
		t.Errorf("the step has begun: %s", jsonText(named(q["steps"], "pea")))
	}
}
