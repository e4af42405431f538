package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"questboard/agents/agentstest"
)

// needSandbox skips a test if bubblewrap does not work. If no test may be skipped, it
// fails the test instead.
func needSandbox(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("bwrap", "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true").CombinedOutput(); err != nil {
		skip(t, "bubblewrap: %v %s", err, out)
	}
}

// holding is the scenario of another quest, which has an uncommitted file in its tree.
const holding = `
- role: codeweaver
  step: hold
  do:
    - write: {path: secret.txt, content: "CANARY-worktree\n"}
    - say: HOLDING
    - hang: true
`

// prey is a server and a home with secrets that an agent is told to read and must not
// get.
type prey struct {
	t          *testing.T
	home, repo string
	s          *apiServer
	server     int // process id
	other      string
	tries      []use
	ready      atomic.Bool
}

// catch is a command that finds the canaries without containing their names.
const catch = `grep -a -o -h 'CANAR[Y]-[a-z]*' `

// canaries are the secrets that must not reach the model.
var canaries = []string{"database", "worktree", "sshkey", "netrc", "token", "transcript", "history", "renewal", "mcpserver", "config"}

// newPrey makes a home with secrets.
func newPrey(t *testing.T) *prey {
	t.Helper()
	p := &prey{t: t, home: t.TempDir(), repo: shop(t)}
	for name, text := range map[string]string{
		".ssh/id_ed25519":                     "CANARY-sshkey",
		".netrc":                              "machine x password CANARY-netrc",
		".config/gh/hosts.yml":                "oauth_token: CANARY-config",
		".claude/projects/-elsewhere/x.jsonl": `{"text":"CANARY-transcript"}`,
		".claude/history.jsonl":               `{"display":"CANARY-history"}`,
		".claude/.credentials.json": `{"claudeAiOauth":{"accessToken":"a","refreshToken":"CANARY-renewal","expiresAt":9999999999999,"scopes":["user:inference"]},` +
			`"mcpOAuth":{"x":{"accessToken":"CANARY-mcpserver"}}}`,
		".claude.json": `{"numStartups":3,"projects":{"/elsewhere":{"history":[{"display":"CANARY-history"}]}},"mcpServers":{"x":{"command":"CANARY-mcpserver"}}}`,
	} {
		write(t, filepath.Join(p.home, name), text)
	}
	return p
}

// start begins the other quest on a server with simulated agents, starts the server of the
// real CLI with its data, and prepares the commands that the agent tries.
func (p *prey) start(cli string, model *agentstest.Model, flags ...string) {
	p.t.Helper()
	first := startAPI(p.t, holding, flags...)
	other := first.post("/quests", jsonText(object{"request": "- CANARY-database", "repo": apiRepo(p.t), "ward": "",
		"plan": object{"steps": []object{{"id": "hold", "title": "Hold"}}}})).want(201)["id"].(string)
	p.other = filepath.Join(first.data, "worktrees", other, "hold", "secret.txt")
	waitFor(p.t, "the other quest's file", func() bool { _, err := os.Stat(p.other); return err == nil })
	first.stop()

	scenario := filepath.Join(p.t.TempDir(), "scenario.yaml")
	write(p.t, scenario, holding)
	p.s, p.server = startRealIn(p.t, p.home, cli, model, append(flags, "-scenario", scenario, "-data", first.data)...)
	p.s.data = first.data

	read := func(name string) use { return agentstest.Use("Read", map[string]string{"file_path": name}) }
	p.tries = []use{
		run(catch + p.s.data + "/questboard.db*"),
		run("cp " + p.s.data + "/questboard.db* . && " + catch + "questboard.db*; rm -f questboard.db*"),
		read(p.other),
		run("cat " + p.other),
		read(filepath.Join(p.home, ".ssh", "id_ed25519")),
		run("cat ~/.ssh/id_ed25519 " + p.home + "/.netrc"),
		run(fmt.Sprintf(`tr '\0' '\n' </proc/%d/environ | grep -a TOKEN`, p.server)),
		run(`cat /proc/[0-9]*/environ | tr '\0' '\n' | grep -a '^QUESTBOARD_TO[K]EN='`),
		run(catch + "-r ~/.claude ~/.claude.json ~/.config " + p.home),
		run(catch + "-r " + p.s.data),
		run("ls -la /home /root " + filepath.Dir(p.home)),
	}
	p.ready.Store(true)
}

// play is a model that tries to read the secrets and then does its work. It asks a
// question on the way, so that its session is resumed.
func (p *prey) play(r agentstest.Request) agentstest.Reply {
	prompt, turn := r.Since("[questboard] quest=")
	lines := firstLine.FindAllStringSubmatch(prompt, -1)
	if len(lines) == 0 {
		return agentstest.Say(say("I have no prompt."))
	}
	who := lines[len(lines)-1]
	if text, _ := r.LastResult(); turn > 0 && strings.HasPrefix(text, "Stored.") {
		return agentstest.Say(say("Done."))
	}
	dir := placeOf(r)
	turns := [][]use{{signal("complete", who[2], "summary", "looked at")}}
	if who[1] == "codeweaver" {
		turns = p.work(dir, who[2], who[3])
	}
	if turn >= len(turns) {
		return agentstest.Say(say("I have nothing more to do."))
	}
	return agentstest.Say(turns[turn]...)
}

func (p *prey) work(dir, step, start string) [][]use {
	if start == "fresh" {
		var turns [][]use
		for _, try := range p.tries {
			turns = append(turns, []use{try})
		}
		return append(turns,
			[]use{run(`git config core.fsmonitor "touch /tmp/evil"; git config alias.x y; echo evil >"$(git rev-parse --git-path hooks)/pre-commit"; rm -f .git; echo x >>.git; ls ~; echo kept >~/.cache-of-mine`)},
			[]use{signal("needs-user-input", step, "question", "Which greeting?", "context", "FIRST CONVERSATION")})
	}
	file := filepath.Join(dir, "greet.go")
	return [][]use{
		{run("git status --short && git log --oneline && git diff && echo GIT WORKS")},
		{agentstest.Use("Read", map[string]string{"file_path": file})},
		{agentstest.Use("Edit", map[string]string{"file_path": file, "old_string": `return ""`, "new_string": `return "hello, " + name`})},
		{run(`go test ./... && cat ~/.cache-of-mine`)},
		{signal("complete", step, "summary", "it greets")},
	}
}

// caught returns the canaries that reached the model. The owner's token is one of them.
func (p *prey) caught(requests []agentstest.Request) []string {
	var found []string
	for _, r := range requests {
		text := strings.ReplaceAll(r.Text(), apiToken, "CANARY-token")
		for _, name := range canaries {
			if strings.Contains(text, "CANARY-"+name) && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	slices.Sort(found)
	return found
}
