package e2e_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/tidwall/gjson"

	"questboard/agents"
	"questboard/orchestration"
)

// npmProgram returns the path of an agent's program from npm. If necessary, it installs it
// into the user's cache, as claudeCLI does. A program that was installed must work.
func npmProgram(t *testing.T, module, version, program string) string {
	t.Helper()
	if testing.Short() {
		skip(t, "short: %s is not installed", module)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		skip(t, "no cache folder: %v", err)
	}
	dir := filepath.Join(cache, "questboard-test", filepath.Base(module)+"-"+version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	defer lock(t, dir)()
	path, done := filepath.Join(dir, "node_modules", ".bin", program), filepath.Join(dir, ".installed")
	if _, err := os.Stat(done); err == nil {
		return path
	}
	npmInstall(t, dir, module, version)
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// toldRun is who a prompt is for, by its first line, and for what it wants evidence.
type toldRun struct {
	role, step, start string
	toProve           []string
}

func runOf(prompt string) (r toldRun, ok bool) {
	who := firstLine.FindAllStringSubmatch(prompt, -1)
	if len(who) == 0 {
		return r, false
	}
	last := who[len(who)-1]
	r = toldRun{role: last[1], step: last[2], start: last[3]}
	if asked := evidenceFor.FindStringSubmatch(prompt); asked != nil {
		_ = json.Unmarshal([]byte(asked[1]), &r.toProve) // our own line, or none
	}
	return r, true
}

// move is what a stand-in for a model answers: it runs a command, or sends a signal, or with
// neither it ends its turn.
type move struct {
	command string
	signal  object
}

// errand is how the tests' model works. Codeweaver sends every signal: it asks a person, hands over
// to a fresh session, asks for another role, and is done. All others who may not write try to,
// and are done.
func errand(r toldRun, turn int) move {
	signal := func(kind string, fields object) move {
		fields["signal"], fields["stepId"] = kind, r.step
		return move{signal: fields}
	}
	complete := signal("complete", object{"summary": "It is done."})
	moves := []move{{command: "touch forbidden.txt"}, complete}
	switch {
	case r.role == "spiritmender":
		moves = []move{complete}
	case r.role != "codeweaver":
	case r.start == "fresh":
		moves = []move{signal("needs-user-input", object{"question": "Which greeting?", "context": "There are many."})}
	case r.start == "answer":
		moves = []move{signal("partially-complete", object{"progress": "The answer is hello.", "continuationPoint": "greeting.txt"})}
	case r.start == "continuation":
		moves = []move{signal("needs-role-followup", object{"targetRole": "spiritmender", "resume": true, "reason": "A build is broken", "context": "Mend it."})}
	default:
		moves = []move{{command: "echo hello > greeting.txt"}, complete}
	}
	if turn >= len(moves) {
		return move{}
	}
	return moves[turn]
}

// standInModel is a stand-in for a model's API.
type standInModel struct {
	url    string
	mu     sync.Mutex
	bodies []string // of the requests so far
}

// resumed reports whether a request had the conversation of an earlier run before the answer
// to its question.
func (m *standInModel) resumed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.bodies, func(body string) bool {
		return strings.Contains(body, "role=codeweaver step=errand visit=1 start=fresh") && strings.Contains(body, "step=errand visit=2 start=answer")
	})
}

// namesake serves an MCP server of the user's own that is called like ours and has a tool like
// ours. Nobody may call it. It returns its address.
func namesake(t *testing.T) string {
	t.Helper()
	s := server.NewMCPServer(agents.MCPServer, "1")
	s.AddTool(mcp.NewTool("signal-back"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		t.Error("a server of the user's got a signal")
		return mcp.NewToolResultText("Stored"), nil
	})
	web := httptest.NewServer(server.NewStreamableHTTPServer(s))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	return web.URL
}

// signalName finds what a prompt says that signal-back is called in the model's list of tools.
var signalName = regexp.MustCompile("`signal-back` \\(`([^`]+)` in your list of tools\\)")

// signalTool returns that name, from the body of a request; "": no prompt of ours is in it.
func signalTool(body gjson.Result) string {
	if told := signalName.FindStringSubmatch(body.Raw); told != nil {
		return told[1]
	}
	return ""
}

// knows checks that an agent's program offers its model the tools that our prompts name, or
// names them in its own words.
func (m *standInModel) knows(t *testing.T, agent string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	all := append(slices.Clone(agents.RightsOf(orchestration.Codeweaver).Tools), "WebFetch", "WebSearch")
	for _, name := range agents.ToolNames(agent, all) {
		offered := regexp.MustCompile(`"(name|type)": ?"` + name + `"`)
		if !slices.ContainsFunc(m.bodies, func(body string) bool {
			return offered.MatchString(gjson.Get(body, "tools").Raw) || strings.Contains(gjson.Get(body, "input.0.content").Raw, "`"+name+"`")
		}) {
			t.Errorf("%s has no tool %s", agent, name)
		}
	}
}

// standIn serves one. answer gets the path and the body of each request and returns the body
// of its answer.
func standIn(t *testing.T, kind string, answer func(path string, body gjson.Result) string) *standInModel {
	t.Helper()
	m := &standInModel{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
		if err != nil {
			return
		}
		m.mu.Lock()
		m.bodies = append(m.bodies, string(body))
		m.mu.Unlock()
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, answer(r.URL.Path, gjson.ParseBytes(body)))
	}))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	m.url = web.URL
	return m
}

// events writes what a model streams: an event of the server for each.
func events(all ...object) string {
	var b strings.Builder
	for _, e := range all {
		data, _ := json.Marshal(e) // of strings and numbers: it does not fail
		if kind, named := e["type"].(string); named {
			b.WriteString("event: " + kind + "\n")
		}
		b.WriteString("data: " + string(data) + "\n\n")
	}
	return b.String()
}

// startACP starts the built server with an agent's program on PATH, and these variables and
// flags. start starts it again after a stop.
func startACP(t *testing.T, agent, program, name string, env []string, flags ...string) (s *apiServer, start func()) {
	t.Helper()
	s = &apiServer{t: t, data: t.TempDir()}
	bin := t.TempDir()
	if err := os.Symlink(program, filepath.Join(bin, filepath.Base(name))); err != nil {
		t.Fatal(err)
	}
	start = func() {
		cmd := exec.Command(serverBinary(t), "-addr", "127.0.0.1:0", "-data", s.data, "-agent", agent, "-backoff", "1s", "-grace", "5s", "-start-timeout", "3m")
		cmd.Args = append(cmd.Args, flags...)
		cmd.Env = append([]string{"PATH=" + bin + ":" + os.Getenv("PATH"), "QUESTBOARD_TOKEN=" + apiToken}, env...)
		s.launch(cmd)
	}
	start()
	return s, start
}

// carry lets an agent carry an errand from the request to the end, with every signal: it asks,
// the server is started again, the agent is resumed with the answer, and the check passes. It
// returns the quest. session matches the ids of the agent's sessions.
func carry(t *testing.T, s *apiServer, start func(), model *standInModel, agent string, session *regexp.Regexp) object {
	t.Helper()
	repo := shop(t)
	id := s.post("/quests", jsonText(object{"request": "- Greet", "repo": repo, "ward": "test -e go.mod", "size": "errand"})).want(201)["id"].(string)
	q := s.eventually(id, "a question is open", func(q object) bool { return unblocked(t, q) && len(objects(q["questions"])) == 1 && allEnded(q) })
	if q["agent"] != agent {
		t.Errorf("the agent is %v", q["agent"])
	}
	s.stop()
	start()
	s.post("/questions/"+objects(q["questions"])[0]["id"].(string)+"/answer", `{"answer":"hello"}`).want(200)
	q = s.eventually(id, "the quest is complete", func(q object) bool { return unblocked(t, q) && q["status"] == "complete" })
	if got := onBranch(t, repo, id, "greeting.txt"); strings.TrimSpace(got) != "hello" {
		t.Errorf("the greeting on the branch is %q", got)
	}
	model.knows(t, agent)
	if !model.resumed() {
		t.Error("the model got no request with the earlier conversation")
	}
	sent := map[any]bool{}
	for _, r := range objects(q["runs"]) {
		if signal, ok := r["signal"].(object); ok {
			sent[signal["signal"]] = true
		}
		if id, _ := r["sessionId"].(string); r["role"] != "ward" && !session.MatchString(id) {
			t.Errorf("the run %s has the session %q", jsonText(r), id)
		}
		// opencode does not wait for our tools after it has loaded a session. On a busy machine its turn
		// then ends without them, and the session is resumed once more.
		if r["outcome"] == "crashed" && (agent != "opencode" || r["why"] != "ended its turn" || r["resumedFrom"] == nil) {
			t.Errorf("the run %s crashed: %s", r["id"], r["why"])
		}
	}
	if len(sent) != 4 {
		t.Errorf("the signals were %v", sent)
	}
	return q
}

// unblocked fails as soon as a step is blocked: nothing would follow.
func unblocked(t *testing.T, q object) bool {
	t.Helper()
	for _, step := range objects(q["steps"]) {
		if step["block"] != nil {
			t.Fatalf("a step is blocked: %s", jsonText(step["block"]))
		}
	}
	return true
}

func allEnded(q object) bool {
	return !slices.ContainsFunc(objects(q["runs"]), func(r object) bool { return r["state"] != "ended" })
}
