package claude

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/agents/confine"
	"questboard/agents/session"
)

func TestAProjectsFolderIsNamedAsTheCLINamesIt(t *testing.T) {
	t.Parallel()
	for dir, want := range map[string]string{
		"/home/me/a b_c.d":             "-home-me-a-b-c-d",
		"/ü/𝄞":                         "-----", // the last is two units of UTF-16
		"/" + strings.Repeat("a", 199): "-" + strings.Repeat("a", 199),
		"/" + strings.Repeat("a", 200): "-" + strings.Repeat("a", 199) + "-" + "HASH",
	} {
		got := projectFolder(dir)
		if prefix, cut := strings.CutSuffix(want, "HASH"); cut {
			if !strings.HasPrefix(got, prefix) || len(got) <= len(prefix) {
				t.Errorf("%q: %q", dir, got)
			}
		} else if got != want {
			t.Errorf("%q: %q, want %q", dir, got, want)
		}
	}
}

// An agent can write the state of the CLI in its home. The next one gets none of that, whether the
// user has a state or not.
func TestTheStateOfAnEarlierAgentDoesNotStay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ has, want string }{
		"a state": {`{"numStartups":3}`, `{"numStartups":3}`}, "none": {"", "{}"}, "none that can be read": {"{", "{}"}, "another value": {"null", "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			if c.has != "" {
				if err := os.WriteFile(filepath.Join(home, ".claude.json"), []byte(c.has), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r := New(Config{Path: "/opt/claude", Environ: []string{"HOME=" + home}, Sessions: session.Starter{Sandbox: &confine.Sandbox{}}})
			needs, err := r.needs(agents.Spec{RunID: "q1-r1", Dir: t.TempDir()}, Files{})
			if err != nil {
				t.Fatal(err)
			}
			if state := string(needs.Files[".claude.json"]); state != c.want {
				t.Errorf("the state is %q, want %q", state, c.want)
			}
		})
	}
}

// A confined agent gets what it needs to log in. It gets nothing with which the agent, or
// somebody who misleads it, could log in forever.
func TestAConfinedAgentGetsALoginThatItCannotRenew(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".claude/.credentials.json", `{"claudeAiOauth":{"accessToken":"A","refreshToken":"CANARY","expiresAt":1},"mcpOAuth":{"x":"CANARY"}}`)
	write(".claude/settings.json", "{}")
	write(".claude/history.jsonl", "CANARY")
	write(".claude.json", `{"oauthAccount":{"a":1},"projects":{"/other":{"x":"CANARY"}},"mcpServers":{"x":{"env":{"K":"CANARY"}}}}`)
	dir := t.TempDir()
	r := New(Config{Path: "/opt/claude", Environ: []string{"HOME=" + home, "PATH=/bin"}, RunsDir: t.TempDir(),
		Sessions: session.Starter{Sandbox: &confine.Sandbox{}}})
	spec := agents.Spec{RunID: "q1-r1", Dir: dir}
	files, err := r.WriteFiles(spec)
	if err != nil {
		t.Fatal(err)
	}
	login, err := os.ReadFile(files.Login)
	if err != nil || !strings.Contains(string(login), `"accessToken":"A"`) || strings.Contains(string(login), "CANARY") {
		t.Errorf("the login is %s, %v", login, err)
	}
	needs, err := r.needs(spec, files)
	if err != nil {
		t.Fatal(err)
	}
	if state := string(needs.Files[".claude.json"]); !strings.Contains(state, "oauthAccount") || strings.Contains(state, "CANARY") {
		t.Errorf("the state is %s", state)
	}
	var written []string
	for _, b := range needs.Binds {
		if strings.Contains(b.From, "history") || b.From == filepath.Join(home, ".claude") {
			t.Errorf("it sees %s", b.From)
		}
		if b.Write {
			written = append(written, b.At)
		}
	}
	if want := []string{filepath.Join(home, ".claude", "projects", projectFolder(dir))}; !slices.Equal(written, want) {
		t.Errorf("it can write %v, want %v", written, want)
	}
	trusted := stateFor(filepath.Join(home, ".claude.json"), dir, true)
	if !strings.Contains(string(trusted), "mcpServers") {
		t.Error("the user's MCP servers do not load in a trusted repository")
	}
	files.remove()
	if _, err := os.Stat(files.Login); err == nil {
		t.Error("the login stays behind")
	}
}
