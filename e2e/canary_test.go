package e2e_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// spying is a scenario in which an agent and a check record their environment.
const spying = `
- role: codeweaver
  step: one
  do:
    - run: env > "$HOME/agent-saw"
    - say: I saw.
    - hang: true
- role: codeweaver
  step: two
  do:
    - run: echo two > two.txt
    - tool: {name: signal-back, input: {signal: complete, summary: Wrote it.}}
`

// secretNames are variables of a developer's shell that hold secrets, none of
// them on the allow-list of docs/interfaces.md#what-agents-see-of-the-environment.
var secretNames = []string{"GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN", "NPM_TOKEN", "NODE_AUTH_TOKEN", "PYPI_TOKEN", "CARGO_REGISTRY_TOKEN",
	"DOCKER_PASSWORD", "DATABASE_URL", "PGPASSWORD", "MYSQL_PWD", "REDIS_URL", "STRIPE_SECRET_KEY", "SENDGRID_API_KEY", "SLACK_TOKEN",
	"OPENAI_API_KEY", "HF_TOKEN", "SENTRY_AUTH_TOKEN", "VAULT_TOKEN", "CLOUDFLARE_API_TOKEN", "DIGITALOCEAN_TOKEN", "SSH_AUTH_SOCK",
	"SSH_ASKPASS", "KUBECONFIG", "AZURE_CLIENT_SECRET", "SECRET"}

// docs/hardening.md#web, T1.8: there are thirty secrets in the environment, in the
// home, in the repository and in its remote. None of them gets into agents'
// environments, arguments, the log or exports.
func TestSecretsStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked at in /proc")
	}
	canaries := map[string]string{}
	canary := func(name string) string {
		canaries[name] = fmt.Sprintf("canary-%02d-%s", len(canaries), strings.Repeat("z", 12))
		return canaries[name]
	}
	home, repo := t.TempDir(), apiRepo(t)
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "DISPLAY=", "QUESTBOARD_TOKEN=" + apiToken}
	canaries["the owner's token"] = apiToken
	for _, name := range secretNames {
		env = append(env, name+"="+canary(name))
	}
	write(t, filepath.Join(home, ".netrc"), "machine x login y password "+canary(".netrc"))
	write(t, filepath.Join(repo, ".env"), "KEY="+canary(".env"))
	gitText(t, repo, "remote", "add", "origin", "http://me:"+canary("the remote's URL")+"@127.0.0.1:1/x.git")
	if len(canaries) != 30 {
		t.Fatalf("%d secrets", len(canaries))
	}

	s, server, said := startWith(t, env, spying)
	id := s.begin(repo, `,"ward":"env > \"$HOME/ward-saw\"","plan":{"steps":[{"id":"one","title":"One"}]}`)
	poll(t, 30*time.Second, func() bool { // the file is there before its content
		saw, err := os.ReadFile(filepath.Join(home, "agent-saw"))
		return err == nil && bytes.Contains(saw, []byte("HOME="))
	}, func() string { return "the agent looks around" })

	look := func(where, text string) {
		t.Helper()
		for name, secret := range canaries {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds %s", where, name)
			}
		}
	}
	processes := descendants(t, server)
	if len(processes) < 2 {
		t.Errorf("only %v run below the server", processes)
	}
	for _, pid := range append(processes, server) {
		args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		look(fmt.Sprintf("the command line %q", args), string(args))
		if pid != server {
			env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			look(fmt.Sprintf("the environment of %q", args), string(env))
		}
	}
	for _, name := range []string{"agent-saw", "ward-saw"} {
		saw, err := os.ReadFile(filepath.Join(home, name))
		if err != nil || !bytes.Contains(saw, []byte("HOME=")) {
			t.Errorf("%s saw %q, %v", name, saw, err)
		}
		look(name, string(saw))
	}
	s.post("/quests/"+id+"/abandon", "{}").want(200)
	done := s.begin(repo, `,"ward":"","plan":{"steps":[{"id":"two","title":"Two"}]}`)
	s.untilStatus(done, "complete")
	push := s.post("/quests/"+done+"/push", "{}") // no server answers at the remote's address
	if push.status < 400 || !strings.Contains(push.text, "127.0.0.1") {
		t.Errorf("a push to nowhere: %d %s", push.status, push.text)
	}
	look("a failed push", push.text)
	for _, path := range []string{"/quests/" + id, "/quests/" + id + "/export", "/quests/" + id + "/events", "/quests/" + id + "/workspace", "/audit", "/settings"} {
		look(path, s.get(path).text)
	}
	// The first line of standard output is the login link; the rest is the log.
	_, log, _ := strings.Cut(said.String(), "\n")
	look("the log", log)
}

// startWith starts the server with only this environment.
func startWith(t *testing.T, env []string, scenario string) (*apiServer, int, *lockedBuffer) {
	t.Helper()
	s := &apiServer{t: t, data: filepath.Join(t.TempDir(), "data")}
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, file, scenario)
	cmd := exec.Command(serverBinary(t), "-addr", "127.0.0.1:0", "-data", s.data, "-agent", "simulated", "-scenario", file, "-grace", "1s")
	cmd.Env = env
	cmd.Dir = t.TempDir() // not in our own repository, because a test may name its path
	said := &lockedBuffer{}
	cmd.Stderr = said
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopServer(t, cmd, said) })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	u, parseErr := url.Parse(strings.TrimPrefix(strings.TrimSpace(line), "questboard: "))
	if err != nil || parseErr != nil {
		t.Fatalf("the first line is %q: %v %v\n%s", line, err, parseErr, said.String())
	}
	s.base = u.Scheme + "://" + u.Host
	return s, cmd.Process.Pid, said
}

// descendants returns the processes that a process has started, directly or indirectly.
func descendants(t testing.TB, pid int) []int {
	t.Helper()
	parents := map[int]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		var child, parent int
		var state string
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if _, scanErr := fmt.Sscan(e.Name(), &child); scanErr != nil || err != nil {
			continue
		}
		if _, err := fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &parent); err == nil {
			parents[child] = parent
		}
	}
	var below []int
	for child := range parents {
		for at, steps := child, 0; at > 1 && steps < 50; at, steps = parents[at], steps+1 {
			if parents[at] == pid {
				below = append(below, child)
				break
			}
		}
	}
	slices.Sort(below)
	return below
}
