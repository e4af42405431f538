package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"questboard/agents/agentstest"
	"questboard/orchestration/storetest"
)

// The whole product with the real CLI: a request becomes a finished change on a branch
// of a real repository. There are all four signals, a kill, and faults of the service.
// Three steps work at the same time, each in its own tree, and two of them change the
// same line.
func TestRealCLICarriesAQuestFromRequestToComplete(t *testing.T) {
	t.Parallel()
	realCLICarries(t, func(cli string, model *agentstest.Model, _ string) *apiServer { return startReal(t, cli, model) })
}

// On one of two other machines, with PostgreSQL, it does an errand. make soak-realcli plays
// the whole quest there.
func TestRealCLICarriesAQuestOnAHost(t *testing.T) {
	t.Parallel()
	start := func(cli string, model *agentstest.Model, repo string) *apiServer {
		s, _ := startRealIn(t, t.TempDir(), cli, model, "-away", "-db", storetest.Postgres(t))
		server := &launched{apiServer: *s}
		w := server.newWorker(t, "forge", repo, "-claude", cli, "-agent-env", "GOCACHE,GOFLAGS")
		w.env = append(model.Env(t.TempDir()), "PATH="+os.Getenv("PATH"), "GOCACHE="+goCache(t), "GOFLAGS=-mod=mod -trimpath", "CLAUDE_CODE_MAX_RETRIES=1")
		w.start()
		server.untilHost("forge", true)
		server.startHost(t, "smith", repo, "full") // of two hosts without a quest the first gets it
		s.data = w.data
		return s
	}
	if everyWay() {
		realCLICarries(t, start)
		return
	}
	repo := shop(t)
	s := start(claudeCLI(t, cliVersion), agentstest.NewModel(t, playErrand), repo)
	id := s.post("/quests", jsonText(object{"request": "- Be polite", "repo": repo, "ward": "go test ./...", "approve": []string{}})).want(201)["id"].(string)
	q := s.eventually(id, "the errand is complete", func(q object) bool { return q["status"] == "complete" })
	if q["host"] != "forge" {
		t.Errorf("it worked at %v", q["host"])
	}
	if code := onBranch(t, repo, id, "greet.go"); !strings.Contains(code, `return "hello, " + name`) {
		t.Errorf("on the branch is\n%s", code)
	}
}

func realCLICarries(t *testing.T, start func(cli string, model *agentstest.Model, repo string) *apiServer) {
	cli, mcpDown := breakable(t, claudeCLI(t, cliVersion))
	p, repo := &player{mcpDown: mcpDown}, shop(t)
	model := agentstest.NewModel(t, p.play)
	if goTest(t, repo) == nil {
		t.Fatal("the repository's check is green before the work")
	}
	users := usersOwn(t, repo)
	s := start(cli, model, repo)
	// A codeweaver's context is full here at its first request, which is its own prompt.
	s.send("PATCH", "/api/v1/settings", `{"forks":{"fresh":["codeweaver"]}}`).want(200)
	id := s.post("/quests", jsonText(object{"request": "- Be polite", "repo": repo, "ward": "go test ./...",
		"slots": 3, "approve": []string{"plan"}})).want(201)["id"].(string)

	s.eventually(id, "the plan waits for approval", func(q object) bool {
		gates, _ := q["gates"].(object)
		return gates["plan"] == "open"
	})
	s.post("/quests/"+id+"/gates/plan", `{"approve":true}`).want(200)
	q := s.eventually(id, "a question is open", func(q object) bool { return len(objects(q["questions"])) == 1 })
	question := objects(q["questions"])[0]
	s.post("/questions/"+question["id"].(string)+"/answer", `{"answer":"THE ANSWER IS HELLO"}`).want(200)
	killAgent(t, s, id)
	q = s.eventually(id, "the quest is complete", func(q object) bool { return q["status"] == "complete" })

	checkRequests(t, model.Requests(), q)
	checkRuns(t, q)
	checkTrees(t, q, repo)
	assertUntouched(t, repo, users)
}

// The same in the repository itself, with a single step.
func TestRealCLIWorksInTheRepositoryItself(t *testing.T) {
	t.Parallel()
	p, repo := &player{}, shop(t)
	s := startReal(t, claudeCLI(t, cliVersion), agentstest.NewModel(t, p.play))
	id := s.post("/quests", jsonText(object{"request": "- Be polite", "repo": repo, "ward": "go test ./...", "workspace": "shared",
		"plan": object{"steps": []object{{"id": "alone", "title": "Greet"}}}})).want(201)["id"].(string)
	s.eventually(id, "the quest is complete", func(q object) bool { return q["status"] == "complete" })
	if err := goTest(t, repo); err != nil {
		t.Errorf("the repository's check after the work: %v", err)
	}
}

// checkTrees checks that independent steps worked at the same time, and that the branch
// has the work of all.
func checkTrees(t *testing.T, q object, repo string) {
	t.Helper()
	for _, pair := range [][2]string{{"farewell", "listen"}, {"farewell", "help"}, {"listen", "help"}} {
		one, other := ofStep(q, "codeweaver", pair[0]), ofStep(q, "codeweaver", pair[1])
		if !overlap(t, one, other) {
			t.Errorf("the agents of %s and %s never worked at once: %s %s", pair[0], pair[1], jsonText(one), jsonText(other))
		}
	}
	if base, _ := q["baseline"].(object); base["state"] != "red" || !strings.Contains(jsonText(base["known"]), "TestGreet") {
		t.Errorf("of the base is known: %s", jsonText(base))
	}
	if len(ofStep(q, "spiritmender", "listen"))+len(ofStep(q, "spiritmender", "help")) != 1 {
		t.Error("the conflict was not settled by one spiritmender")
	}
	if rules := onBranch(t, repo, q["id"].(string), "rules.go"); rules != rulesFile(`"be kind"`, `"listen"`, `"help"`) &&
		rules != rulesFile(`"be kind"`, `"help"`, `"listen"`) {
		t.Errorf("rules.go on the quest's branch:\n%s", rules)
	}
	dir := t.TempDir()
	gitText(t, repo, "clone", "-q", "--branch", q["branch"].(string), repo, dir)
	if err := goTest(t, dir); err != nil {
		t.Errorf("the repository's check after the work: %v", err)
	}
}

// overlap reports whether a run of one list worked at the same time as a run of the
// other.
func overlap(t *testing.T, one, other []object) bool {
	t.Helper()
	for _, a := range one {
		for _, b := range other {
			if moment(t, a["startedAt"]).Before(moment(t, b["endedAt"])) && moment(t, b["startedAt"]).Before(moment(t, a["endedAt"])) {
				return true
			}
		}
	}
	return false
}

// killAgent kills the CLI from outside while the codeweaver of farewell sleeps.
func killAgent(t *testing.T, s *apiServer, quest string) {
	t.Helper()
	var run string
	s.eventually(quest, "the agent to kill is at work", func(q object) bool {
		for _, r := range objects(q["runs"]) {
			if r["step"] == "farewell" && r["start"] == "continuation" && r["state"] == "running" {
				run = r["id"].(string)
				return strings.Contains(s.get("/runs/"+run+"/output?from=1&n=500").text, "sleep 1000")
			}
		}
		return false
	})
	killed := 0
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		env, _ := os.ReadFile(name)
		program, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
		if !strings.Contains(string(env), "QUESTBOARD_RUN_ID="+run+"\x00") || strings.Contains(string(env), "QUESTBOARD_SUPERVISOR=") ||
			!strings.Contains(string(program), "--strict-mcp-config") || !strings.Contains(string(program), s.data) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	if killed == 0 {
		t.Fatalf("run %s was not found among the processes", run)
	}
}

// checkRequests looks at what reached the model.
func checkRequests(t *testing.T, requests []agentstest.Request, q object) {
	t.Helper()
	broken := ""
	for _, r := range objects(q["runs"]) {
		if why, _ := r["why"].(string); strings.Contains(why, "MCP server") {
			broken = "run=" + r["id"].(string) + " "
		}
	}
	var answered, continued, fixed, tested bool
	tools, system := requests[0].Beginning()
	for _, r := range requests {
		text := r.Text()
		if !strings.Contains(text, "[questboard]") {
			continue // a minion
		}
		if prompt, _ := r.Since("[questboard]"); broken != "" && strings.Contains(prompt, broken) {
			continue // it may send a request before the server ends it
		}
		if !r.HasTool(signalBack) {
			t.Fatalf("a request without signal-back: %v", r.Tools())
		}
		if !strings.Contains(text, "PLATYPUS") {
			t.Fatal("a request without the repository's CLAUDE.md")
		}
		// All roles and all starts begin the same, byte for byte.
		if otherTools, otherSystem := r.Beginning(); otherTools != tools || otherSystem != system {
			t.Fatalf("a request of a run that began with\n%.300s\nbegins not as the first one:\n%s\n%s", text[strings.Index(text, "[questboard]"):],
				cmp.Diff(tools, otherTools), cmp.Diff(system, otherSystem))
		}
		answered = answered || strings.Contains(text, "RED TEST FIRST.") && strings.Contains(text, "THE ANSWER IS HELLO")
		continued = continued || strings.Contains(text, "THE EDIT IS MADE") && !strings.Contains(text, "RED TEST FIRST.")
		fixed = fixed || strings.Contains(text, "WHAT THE SIEGE FOUND") && strings.Contains(text, "role=codeweaver")
		result, isError := r.LastResult()
		tested = tested || !isError && strings.Contains(result, "ok") && strings.Contains(result, "shop")
	}
	if !answered || !continued || !fixed || !tested {
		t.Errorf("the answer reached the same conversation: %v; a fresh session got the progress: %v; "+
			"the follow-up got its context: %v; go test really ran: %v", answered, continued, fixed, tested)
	}
}

// checkRuns checks what the API says about the runs.
func checkRuns(t *testing.T, q object) {
	t.Helper()
	var signals, starts, roles []string
	for _, r := range objects(q["runs"]) {
		if sent, _ := r["signal"].(object); sent != nil {
			signals = append(signals, sent["signal"].(string))
		}
		starts = append(starts, r["start"].(string))
		roles = append(roles, r["role"].(string))
	}
	for _, want := range []string{"complete", "partially-complete", "needs-user-input", "needs-role-followup"} {
		if !slices.Contains(signals, want) {
			t.Errorf("no run signalled %s", want)
		}
	}
	for _, want := range []string{"fresh", "answer", "continuation", "nudge", "interrupted", "followup", "followup-done"} {
		if !slices.Contains(starts, want) {
			t.Errorf("no run started as %s: %v", want, starts)
		}
	}
	for _, want := range []string{"chaoswhisperer", "pathseeker", "codeweaver", "ward", "siegemaster", "lawbringer", "spiritmender"} {
		if !slices.Contains(roles, want) {
			t.Errorf("%s had no run", want)
		}
	}
	whys := jsonText(q["runs"])
	for _, want := range []string{"overloaded", "context window", "MCP server", "SIGKILL"} {
		if !strings.Contains(whys, want) {
			t.Errorf("no run tells of %q", want)
		}
	}
}
