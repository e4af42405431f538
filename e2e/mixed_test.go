package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"questboard/agents/agentstest"
)

// company are the models of a quest with four real programs: Claude plans, Codex writes,
// opencode besieges and Gemini reviews. In the second of two steps Codex waits until the test
// closes held; then Claude's account is at its limit, from the first answer of a person on.
type company struct {
	held chan struct{}

	mu     sync.Mutex
	limits []time.Time // the ends of the limits that were told
}

// claude answers the requests of Claude Code. The first limit ends in two hours. After it somebody
// tries the account too early, and hears of a limit that ends in a moment.
func (c *company) claude(r agentstest.Request) agentstest.Reply {
	prompt, turn := r.Since("[questboard] quest=")
	told, ok := runOf(prompt)
	if !ok {
		return agentstest.Say(say("I have no prompt."))
	}
	step := told.step
	var turns [][]use
	switch {
	case told.role == "chaoswhisperer":
		turns = [][]use{{agentstest.Use("mcp__quest__set-requirements", object{"requirements": []object{{"id": "polite", "context": "a name",
			"observables": []object{{"id": "greets", "text": "It says hello"}, {"id": "parts", "text": "It says goodbye"}}}}})},
			{signal("complete", step, "summary", "2 observables")}}
	case step == "plan":
		turns = [][]use{{agentstest.Use("mcp__quest__plan-steps", object{"steps": []any{
			planned("greet", []string{}, "greets", "greet.txt"), planned("part", []string{}, "parts", "part.txt")}})},
			{signal("complete", step, "summary", "2 steps")}}
	case told.start == "followup":
		turns = [][]use{{signal("needs-user-input", step, "question", "Which greeting?", "context", "There are many.")}}
	default:
		if limit := c.limit(); !limit.IsZero() {
			return agentstest.UsageLimit(limit)
		}
		turns = [][]use{{signal("complete", step, "summary", "Say hello.")}}
	}
	if turn >= len(turns) {
		return agentstest.Say(say("Done."))
	}
	return agentstest.Say(turns[turn]...)
}

// limit returns until when the account is at its limit now; zero: it is free.
func (c *company) limit() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now().Truncate(time.Second)
	switch len(c.limits) {
	case 0:
		c.limits = append(c.limits, now.Add(2*time.Hour))
	case 1:
		c.limits = append(c.limits, now.Add(3*time.Second))
	}
	if last := c.limits[len(c.limits)-1]; last.After(now) {
		return last
	}
	return time.Time{}
}

func (c *company) reset() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limits[len(c.limits)-1]
}

// others answers for the models of the other programs.
func (c *company) others(r toldRun, turn int) move {
	complete := object{"signal": "complete", "stepId": r.step, "summary": "It is done."}
	var evidence []object
	for _, observable := range r.toProve {
		evidence = append(evidence, object{"observable": observable, "kind": "command", "how": "cat " + r.step + ".txt: exit code 0"})
	}
	if evidence != nil {
		complete["evidence"] = evidence
	}
	moves := []move{{signal: complete}}
	switch {
	case r.role == "codeweaver" && r.start == "fresh":
		if r.step == "part" {
			<-c.held
		}
		moves = []move{{signal: object{"signal": "needs-role-followup", "stepId": r.step, "targetRole": "pathseeker", "resume": true,
			"reason": "the plan is not clear", "context": "Say what the text is."}}}
	case r.role == "codeweaver":
		moves = []move{{command: "echo " + r.step + " > " + r.step + ".txt"}, {signal: complete}}
	}
	if turn >= len(moves) {
		return move{}
	}
	return moves[turn]
}

// startCompany starts the built server with the four real programs.
func startCompany(t *testing.T, c *company) *apiServer {
	t.Helper()
	cli := claudeCLI(t, cliVersion)
	env := []string{"QUESTBOARD_TOKEN=" + apiToken, "CLAUDE_CODE_OAUTH_TOKEN=x"}
	env = append(env, without(agentstest.NewModel(t, c.claude).Env(t.TempDir()), "ANTHROPIC_API_KEY")...)
	bin := t.TempDir()
	for _, agent := range realAgents(t) {
		if err := os.Symlink(agent.program.Path, filepath.Join(bin, filepath.Base(agent.program.Path))); err != nil {
			t.Fatal(err)
		}
		for _, variable := range agent.env(t, agent.model(t, c.others).url) {
			if home, is := strings.CutPrefix(variable, "HOME="); is {
				variable = "GEMINI_CLI_HOME=" + home // Codex has a variable of its own, and opencode needs nothing of its home
				if _, err := os.Stat(filepath.Join(home, ".gemini")); err != nil {
					continue
				}
			}
			env = append(env, variable)
		}
	}
	s := &apiServer{t: t, data: t.TempDir()}
	cmd := exec.Command(serverBinary(t), "-addr", "127.0.0.1:0", "-data", s.data, "-claude", cli, "-backoff", "1s", "-grace", "5s", "-start-timeout", "3m")
	cmd.Env = append(env, "PATH="+bin+":"+os.Getenv("PATH"))
	s.launch(cmd)
	return s
}

// One quest with four real programs. When Claude's account is at its limit, what is new goes on
// with the fallback; the session that has begun waits, and goes on by itself after the reset.
func TestFourRealProgramsCarryAQuestThroughALimit(t *testing.T) {
	t.Parallel()
	c := &company{held: make(chan struct{})}
	opened := sync.OnceFunc(func() { close(c.held) })
	t.Cleanup(opened)
	s, repo := startCompany(t, c), shop(t)
	id := s.post("/quests", jsonText(object{"request": "- Be polite", "repo": repo, "ward": "test -e go.mod", "size": "full", "approve": []string{}, "roles": object{
		"pathseeker": object{"fallback": []string{"codex"}, "fallbackAfter": 1}, "codeweaver": object{"agent": "codex"},
		"siegemaster": object{"agent": "opencode"}, "lawbringer": object{"agent": "gemini"}}})).want(201)["id"].(string)

	q := s.eventually(id, "Claude asks", func(q object) bool { return unblocked(t, q) && len(objects(q["questions"])) == 1 })
	s.post("/questions/"+objects(q["questions"])[0]["id"].(string)+"/answer", `{"answer":"hello"}`).want(200)
	waits := func(q object, runs int) bool {
		planners := ofStep(q, "pathseeker", "greet")
		return unblocked(t, q) && len(planners) == runs && planners[runs-1]["state"] == "queued"
	}
	q = s.eventually(id, "the session waits for the account", func(q object) bool { return waits(q, 3) })
	if r := ofStep(q, "pathseeker", "greet")[1]; !strings.Contains(jsonText(r["why"]), "usage limit (five hour)") {
		t.Errorf("the limit is told as %s", jsonText(r))
	}
	opened()
	q = s.eventually(id, "the fallback has planned, and Codex goes on", func(q object) bool {
		return unblocked(t, q) && len(ofStep(q, "siegemaster", "part")) == 1
	})
	if r := ofStep(q, "pathseeker", "part"); len(r) != 1 || r[0]["agent"] != "codex" || r[0]["inPlaceOf"] != "claude" || r[0]["outcome"] != "signalled" {
		t.Errorf("the new run went on as %s", jsonText(r))
	}
	if !waits(q, 3) || needOf(q, "fallback") == nil {
		t.Errorf("the session does not wait: %s; needs %s", jsonText(ofStep(q, "pathseeker", "greet")), jsonText(q["needs"]))
	}
	s.post("/quests/"+id+"/resume", "").want(200) // too early: the account is refused again, for a moment
	q = s.eventually(id, "the quest is complete", func(q object) bool { return unblocked(t, q) && q["status"] == "complete" })

	planners := ofStep(q, "pathseeker", "greet")
	last := planners[len(planners)-1]
	if len(planners) != 4 || last["outcome"] != "signalled" || last["agent"] != "claude" || last["sessionId"] != planners[0]["sessionId"] ||
		moment(t, last["startedAt"]).Before(c.reset()) {
		t.Errorf("after the reset at %s the session went on as %s", c.reset(), jsonText(planners))
	}
	checkCompany(t, q, repo)
}

// checkCompany checks who worked, and that the branch has the work.
func checkCompany(t *testing.T, q object, repo string) {
	t.Helper()
	want := map[string][]string{"chaoswhisperer": {"claude"}, "pathseeker": {"claude", "codex"}, "codeweaver": {"codex"}, "siegemaster": {"opencode"}, "lawbringer": {"gemini"}}
	got := map[string][]string{}
	for _, r := range objects(q["runs"]) {
		role, agent := r["role"].(string), jsonText(r["agent"])
		if agent = strings.Trim(agent, `"`); role != "ward" && !slices.Contains(got[role], agent) {
			got[role] = append(got[role], agent)
		}
	}
	for role, agents := range got {
		slices.Sort(agents)
		if !slices.Equal(agents, want[role]) {
			t.Errorf("%s was carried out by %v, want %v", role, agents, want[role])
		}
	}
	if len(got) != len(want) {
		t.Errorf("the roles were %v", got)
	}
	for _, step := range []string{"greet", "part"} {
		if text := onBranch(t, repo, q["id"].(string), step+".txt"); strings.TrimSpace(text) != step {
			t.Errorf("%s.txt on the branch is %q", step, text)
		}
	}
}
