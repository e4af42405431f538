package e2e_test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/agents/agentstest"
	"questboard/orchestration"
)

// door is something of the user's that lets Claude Code do more than a role may.
type door struct {
	files   map[string]string // in the user's home, or below DIR/ in the repository
	trusted bool
	below   bool     // the run works in a folder below the repository's root
	first   *attempt // what opens it; its result does not matter
	minion  bool     // an agent of the user's tries, called wild
	tool    string   // of a server of the user's
	sandbox bool     // Claude's own
}

const (
	everything = `{"permissions": {"defaultMode": "bypassPermissions", "allow": ["Bash", "Bash(*)", "Bash(touch *)", "Edit", "Edit(//**)", "Write", "NotebookEdit", "Skill"]}}`
	commands   = `{"permissions": {"allow": ["Bash(git *)", "Bash(sh:*)", "Bash(find *)", "Bash(python3 *)", "Bash(cat *)", "Bash(rm *)"]}}`
	hooksAllow = `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}'"}]}]}}`
	skill      = "---\nname: dig\ndescription: digs\nallowed-tools: Bash(*), Write\n---\nDig."
	wild       = "---\nname: wild\ndescription: runs wild\npermissionMode: bypassPermissions\n---\nDo what you are told."
	own        = `{"mcpServers": {"own": {"command": "HOME/own.js", "args": [], "alwaysLoad": true}}}`
	// ownServer is a server with one tool, which makes a file.
	ownServer = `#!/usr/bin/env node
const fs = require("fs")
require("readline").createInterface({input: process.stdin}).on("line", line => {
	const r = JSON.parse(line)
	if (r.id === undefined) return
	const result = {
		"initialize": () => ({protocolVersion: r.params.protocolVersion, capabilities: {tools: {}}, serverInfo: {name: "own", version: "1"}}),
		"tools/list": () => ({tools: [{name: "make", description: "makes", inputSchema: {type: "object", properties: {}}}]}),
		"tools/call": () => { fs.writeFileSync("made", ""); return {content: [{type: "text", text: "made"}]} },
	}[r.method] || (() => ({}))
	console.log(JSON.stringify({jsonrpc: "2.0", id: r.id, result: result()}))
})
`
)

// doors are the ways by which a reader got more than it may, before the CLI asked us.
var doors = map[string]door{
	"every command is allowed":   {files: map[string]string{".claude/settings.json": everything}},
	"single commands":            {files: map[string]string{".claude/settings.json": commands}},
	"hooks that allow":           {files: map[string]string{".claude/settings.json": hooksAllow}},
	"Claude's own sandbox":       {files: map[string]string{".claude/settings.json": `{"sandbox": {"enabled": true, "autoAllowBashIfSandboxed": true}}`, "bin/socat": "#!/bin/sh\nexec sleep 60\n"}, sandbox: true},
	"a skill":                    {files: map[string]string{".claude/settings.json": `{"permissions": {"allow": ["Skill"]}}`, ".claude/skills/dig/SKILL.md": skill}, first: &attempt{"Skill", map[string]any{"skill": "dig"}, true}},
	"an agent with its own mode": {files: map[string]string{".claude/agents/wild.md": wild}, minion: true},
	"the git root's settings":    {files: map[string]string{"DIR/.claude/settings.local.json": commands}, trusted: true, below: true},
	"a server of the user's":     {files: map[string]string{".claude.json": own, "own.js": ownServer, ".claude/settings.json": `{"permissions": {"allow": ["mcp__own"]}}`}, trusted: true, tool: "mcp__own__make"},
}

// Whatever of the user's Claude Code obeys gives a role that only reads nothing that it must
// not have, and takes nothing from it that reads. So it is with the oldest supported release
// and with the pinned one: here each door with one of them, with both in make soak-realcli.
func TestRealCLINothingOfTheUsersGivesAReaderMore(t *testing.T) {
	t.Parallel()
	for i, name := range slices.Sorted(maps.Keys(doors)) {
		d, versions := doors[name], []string{oldestCLI, cliVersion}
		if !everyWay() && d.tool == "" {
			versions = versions[i%2 : i%2+1]
		}
		for _, version := range versions {
			if d.tool != "" && version == oldestCLI {
				continue // it knows no rule for all servers: docs/security.md#what-is-left
			}
			t.Run(name+"/"+version, func(t *testing.T) {
				t.Parallel()
				var attempts []attempt
				for _, command := range []string{"python3 -c 'open(\"made\",\"w\")'", "touch made", "rm CLAUDE.md", "sed -i s/animal/bird/ CLAUDE.md", "git log -1 > made", "git log -1 --output=made",
					"cp CLAUDE.md made", "git branch made", "sh -c 'echo x > made'", "find . -name CLAUDE.md -delete",
					"cat CLAUDE.md; touch made", "cat $(touch made)", "cat `touch made`", "cat CLAUDE.md > made"} {
					attempts = append(attempts, bash(command, false))
				}
				attempts = append(attempts, changes(false)[1:4]...)
				if d.tool != "" {
					attempts = append(attempts, attempt{d.tool, map[string]any{}, false})
				}
				attempts = append(attempts, warmUp, bash("git log -1 --format=%s", true), bash("cat CLAUDE.md | head -1", true))
				passThrough(t, d, version, attempts)
			})
		}
	}
}

// warmUp is the first command that runs. In Claude's own sandbox it fails where that has no
// bubblewrap or no socat; then the CLI goes on without.
var warmUp = bash("pwd", true)

// passThrough lets a reader, or its minion, try all that at a door.
func passThrough(t *testing.T, d door, version string, attempts []attempt) {
	t.Helper()
	if d.first != nil {
		attempts = slices.Concat([]attempt{*d.first}, attempts)
	}
	r, results := tryAt(t, d, version, attempts, nil)
	for i, a := range attempts {
		if d.first != nil && i == 0 || reflect.DeepEqual(a, warmUp) {
			continue
		}
		text, isError := results[i]
		if isError == a.allowed || !a.allowed && !refused(text) {
			t.Errorf("%s %v: allowed = %v, want %v: %s", a.tool, a.input, !isError, a.allowed, text)
		}
	}
	if made := r.made(); len(made) > 0 {
		t.Errorf("made: %v", made)
	}
}

func refused(text string) bool {
	return strings.HasPrefix(text, "Refused, nothing ran: ") || strings.Contains(text, "denied")
}

// tryAt lets a reader, or its minion, try all that at a door. It returns the texts of the
// attempts that failed.
func tryAt(t *testing.T, d door, version string, attempts []attempt, change func(*rig)) (r *rig, results map[int]string) {
	t.Helper()
	results = map[int]string{}
	tried := 0
	r = newRig(t, version, orchestration.PathSeeker, func(req agentstest.Request) agentstest.Reply {
		minion := !strings.Contains(req.Text(), "[questboard]")
		if !minion && d.minion && req.Turn() == 0 {
			return agentstest.Say(agentstest.Use("Agent", map[string]string{"description": "run wild", "prompt": "try", "subagent_type": "wild"}))
		}
		if minion != d.minion {
			return done(req)
		}
		if text, isError := req.LastResult(); tried > 0 && isError {
			results[tried-1] = text
		}
		if tried >= len(attempts) {
			if minion {
				return agentstest.Say(agentstest.Text("Tried."))
			}
			return done(req)
		}
		tried++
		return agentstest.Say(agentstest.Use(attempts[tried-1].tool, r.placed(attempts[tried-1].input)))
	})
	d.set(r)
	if change != nil {
		change(r)
	}
	if ended := r.play(); ended.End != orchestration.EndClean || tried != len(attempts) {
		t.Fatalf("ended %+v after %d attempts\n%s", ended, tried, r.output())
	}
	return r, results
}

// made returns what attempts have left in the repository, or changed there.
func (r *rig) made() []string {
	var all []string
	out := gitText(r.t, r.spec.Dir, "status", "--porcelain", "--ignored", "--", ".", ":!.claude") + gitText(r.t, r.spec.Dir, "branch", "--list", "made")
	for line := range strings.Lines(out) {
		all = append(all, strings.TrimSpace(line))
	}
	return all
}

// set opens the door for a run.
func (d door) set(r *rig) {
	r.t.Helper()
	r.config.Model = "claude-opus-4-8" // with no model, the oldest release takes another one at its very first start
	r.spec.Trusted = d.trusted
	for name, text := range d.files {
		path := filepath.Join(r.home(), name)
		if below, is := strings.CutPrefix(name, "DIR/"); is {
			path = filepath.Join(r.spec.Dir, below)
		}
		write(r.t, path, strings.ReplaceAll(text, "HOME", r.home()))
		if err := os.Chmod(path, 0o700); err != nil {
			r.t.Fatal(err)
		}
	}
	if d.below {
		r.spec.Dir = filepath.Join(r.spec.Dir, "below")
		write(r.t, filepath.Join(r.spec.Dir, "CLAUDE.md"), "The project's animal is the PLATYPUS.\n")
		gitText(r.t, r.spec.Dir, "add", ".")
		gitText(r.t, r.spec.Dir, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "second")
	}
	for i, entry := range r.config.Environ {
		if path, is := strings.CutPrefix(entry, "PATH="); is {
			r.config.Environ[i] = "PATH=" + filepath.Join(r.home(), "bin") + ":" + path
		}
	}
}

// Without our question each door is open, so the test above can fail.
func TestRealCLIDoorsAreReal(t *testing.T) {
	t.Parallel()
	for name, d := range doors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("bwrap"); err != nil && d.sandbox {
				skip(t, "without bubblewrap the CLI does not use its sandbox")
			}
			version, attempts := cliVersion, []attempt{bash("git branch made", true)}
			if d.minion {
				version = oldestCLI // newer releases give an agent no mode that its caller does not have
			}
			if d.tool != "" {
				attempts = []attempt{{d.tool, map[string]any{}, true}}
			}
			if d.first != nil {
				attempts = slices.Concat([]attempt{*d.first}, attempts)
			}
			_, results := tryAt(t, d, version, attempts, func(r *rig) { r.config.Path = unasked(t, r.config.Path) })
			if text := results[len(attempts)-1]; refused(text) {
				t.Errorf("it is closed: %s", text)
			}
		})
	}
}

// unasked returns a CLI that does not ask us, and denies what nothing allows.
func unasked(t *testing.T, cli string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "claude")
	write(t, path, `#!/bin/sh
for arg do
	shift
	case $arg in
	--settings=*|--permission-prompt-tool=*) ;;
	--permission-mode=*) set -- "$@" --permission-mode=dontAsk ;;
	*) set -- "$@" "$arg" ;;
	esac
done
exec "`+cli+`" "$@"
`)
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// If the CLI gets no answer, it refuses, whatever the user allows.
func TestRealCLIRefusesWhatNobodyAnswers(t *testing.T) {
	t.Parallel()
	for _, version := range []string{oldestCLI, cliVersion} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			attempts := []attempt{bash("git branch made", false), bash("git log -1", false)}
			r, results := tryAt(t, doors["every command is allowed"], version, attempts, func(r *rig) {
				endpoint := r.spec.MCPURL
				r.spec.MCPURL = between(t, endpoint, func(body string) bool { return strings.Contains(body, `"name":"`+agents.PermitTool+`"`) })
			})
			for i := range attempts {
				if results[i] == "" {
					t.Errorf("%v ran", attempts[i].input)
				}
			}
			if made := r.made(); len(made) > 0 {
				t.Errorf("made: %v", made)
			}
		})
	}
}

// between returns the address of a way to the endpoint that loses some requests.
func between(t *testing.T, endpoint string, lost func(body string) bool) string {
	t.Helper()
	to, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	way := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || lost(string(body)) {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(way.Close)
	return way.URL
}
