package e2e_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/e2e/e2etest"
)

// demoServer is `questboard demo` with its own folder for temporary files.
type demoServer struct {
	*launched
	tmp string
}

func startDemo(t *testing.T, flags ...string) *demoServer {
	t.Helper()
	tmp := t.TempDir()
	args := append([]string{"demo", "-demo-answers", "-addr", "127.0.0.1:0"}, flags...)
	return &demoServer{launch(t, []string{"TMPDIR=" + tmp}, args...), tmp}
}

// quest returns the only quest, with everything in it.
func (d *demoServer) quest() object {
	d.t.Helper()
	var id string
	poll(d.t, 10*time.Second, func() bool {
		list := objects(d.get("/quests").want(200)["quests"])
		if len(list) == 1 {
			id, _ = list[0]["id"].(string)
		}
		return id != ""
	}, func() string { return "the demo's quest\n" + d.said.String() })
	return d.get("/quests/" + id).want(200)
}

func (d *demoServer) untilComplete() object {
	d.t.Helper()
	var q object
	poll(d.t, e2etest.Room(time.Minute), func() bool { q = d.quest(); return q["status"] == "complete" },
		func() string { return "the end of the quest: " + jsonText(q["why"]) + "\n" + d.said.String() })
	return q
}

// end sends TERM and checks that the server ends without an error and leaves nothing
// behind.
func (d *demoServer) end() {
	d.t.Helper()
	d.signal(syscall.SIGTERM)
	if err := d.cmd.Wait(); err != nil {
		d.t.Errorf("TERM ended the demo with %v\n%s", err, d.said.String())
	}
	if left, _ := filepath.Glob(filepath.Join(d.tmp, "questboard-*")); len(left) > 0 {
		d.t.Errorf("the demo left %v behind", left)
	}
}

func TestTheDemoShowsEveryRoleAndSignalInUnderAMinute(t *testing.T) {
	t.Parallel()
	d := startDemo(t)
	q := d.untilComplete()
	took := moment(t, q["endedAt"]).Sub(moment(t, q["createdAt"]))
	if t.Logf("the quest took %v", took); took > e2etest.Room(time.Minute) {
		t.Error("that is too long")
	}
	d.everyRoleAndSignal(q)
	if n := len(objects(q["steps"])); n < 8 {
		t.Errorf("the plan had %d steps", n)
	}
	if most := crowd(t, q); most < 2 || most > 3 { // for how long, a dry run of it tells (package simulated)
		t.Errorf("%d agents worked at once", most)
	}
	d.wardIsGreen(q)
	d.bothInOneLine(q)
	d.end()
}

// everyRoleAndSignal checks that nothing was left out on the way.
func (d *demoServer) everyRoleAndSignal(q object) {
	t := d.t
	t.Helper()
	signals, roles := map[string]bool{}, map[string]bool{}
	for _, r := range objects(q["runs"]) {
		roles[r["role"].(string)] = true
		if s, ok := r["signal"].(object); ok {
			kind, _ := s["signal"].(string)
			if resume, ok := s["resume"].(bool); ok && kind == "needs-role-followup" {
				kind += map[bool]string{true: " resume", false: " no resume"}[resume]
			}
			signals[kind] = true
		}
	}
	for _, role := range []string{"chaoswhisperer", "pathseeker", "codeweaver", "ward", "siegemaster", "spiritmender", "lawbringer"} {
		if !roles[role] {
			t.Errorf("no run was a %s", role)
		}
	}
	for _, kind := range []string{"complete", "partially-complete", "needs-user-input", "needs-role-followup resume", "needs-role-followup no resume"} {
		if !signals[kind] {
			t.Errorf("no run signalled %s; there were %v", kind, signals)
		}
	}
}

// docs/interfaces.md: -scenario errand shows one agent, the check and the merge.
func TestTheDemoOfAnErrandTakesSeconds(t *testing.T) {
	t.Parallel()
	d := startDemo(t, "-scenario", "errand")
	q := d.untilComplete()
	took := moment(t, q["endedAt"]).Sub(moment(t, q["createdAt"]))
	if t.Logf("the quest took %v", took); took > e2etest.Room(10*time.Second) {
		t.Error("that is too long")
	}
	roles := map[string]int{}
	for _, r := range objects(q["runs"]) {
		roles[r["role"].(string)]++
	}
	if want := map[string]int{"chaoswhisperer": 1, "codeweaver": 1, "ward": 2}; q["size"] != "errand" || !maps.Equal(roles, want) {
		t.Errorf("the size is %v and the runs are %v, want %v", q["size"], roles, want)
	}
	d.wardIsGreen(q)
	d.end()
}

// An unknown name is refused before anything is made, with the names that there are.
func TestAnUnknownScenarioIsRefusedWithTheNamesThatThereAre(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(serverBinary(t), "demo", "-scenario", "arrand").CombinedOutput()
	if err == nil || !strings.Contains(string(out), `-scenario: no built-in scenario is called "arrand"; there are full and errand. For a file write a path, such as ./arrand.yaml`) {
		t.Errorf("%v: %s", err, out)
	}
}

func TestTheDemoSurvivesAnAgentThatIsKilled(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("agents are found in /proc, which this system has not")
	}
	d := startDemo(t)
	killed := ""
	poll(t, time.Minute, func() bool {
		for _, r := range objects(d.quest()["runs"]) {
			id := r["id"].(string)
			if killed != "" || r["state"] != "running" || r["role"] != "codeweaver" {
				continue
			}
			// Once there is output, the session can be resumed.
			output := d.get("/runs/" + id + "/output")
			if output.status == 200 && len(output.want(200)["lines"].([]any)) >= 3 && killSimulated(t, id) {
				killed = id
			}
		}
		return killed != ""
	}, func() string { return "an agent to kill" })
	q := d.untilComplete()
	if r := named(q["runs"], killed); r["outcome"] != "crashed" {
		t.Errorf("the killed run is %s", jsonText(r))
	}
	if !slices.ContainsFunc(objects(q["runs"]), func(r object) bool { return r["resumedFrom"] == killed }) {
		t.Errorf("no run resumed %s", killed)
	}
	d.wardIsGreen(q)
	d.end()
}

const unseenScenario = `
- role: chaoswhisperer
  do:
    - tool: {name: set-requirements, input: {requirements: [{id: moon, context: a sky without a moon, observables: [{id: m1, text: the moon is written down}, {id: m2, text: so are its phases}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}
- role: pathseeker
  do:
    - tool: {name: plan-steps, input: {steps: [
        {id: moon, title: Moon, description: write moon.txt, files: [moon.txt], dependsOn: [], observables: [m1]},
        {id: phases, title: Phases, description: write phases.txt, files: [phases.txt], dependsOn: [moon], observables: [m2]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: two steps}}
- role: codeweaver
  step: moon
  visit: 1
  do:
    - tool: {name: signal-back, input: {signal: needs-user-input, question: Which moon?, context: moon.txt}}
- role: codeweaver
  step: moon
  do:
    - write: {path: moon.txt, content: "ours\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: written}}
- role: codeweaver
  step: phases
  do:
    - run: cat moon.txt >phases.txt && echo waxing >>phases.txt
    - tool: {name: signal-back, input: {signal: complete, summary: written}}
`

func TestTheDemoPlaysAScenarioThatTheCodeHasNeverSeen(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(file, []byte(unseenScenario), 0o600); err != nil {
		t.Fatal(err)
	}
	d := startDemo(t, "-scenario", file)
	q := d.untilComplete()
	var ids []string
	for _, s := range objects(q["steps"]) {
		ids = append(ids, s["id"].(string))
	}
	if !slices.Equal(ids, []string{"moon", "phases"}) {
		t.Errorf("the steps are %v", ids)
	}
	if asked := objects(q["questions"]); len(asked) != 1 || asked[0]["question"] != "Which moon?" || asked[0]["answer"] == "" {
		t.Errorf("the questions are %s", jsonText(asked))
	}
	if text := gitText(t, q["repo"].(string), "show", "quest/"+q["id"].(string)+":phases.txt"); text != "ours\nwaxing\n" {
		t.Errorf("phases.txt holds %q", text)
	}
	d.end()
}

// wardIsGreen runs the sample repository's check on the quest's branch, as the user
// would, and checks that nothing has changed in the user's own checkout.
func (d *demoServer) wardIsGreen(q object) {
	d.t.Helper()
	repo, branch, tree := q["repo"].(string), "quest/"+q["id"].(string), filepath.Join(d.t.TempDir(), "tree")
	gitText(d.t, repo, "worktree", "add", "-q", "--detach", tree, branch)
	cmd := exec.Command("/bin/sh", "-c", q["ward"].(string))
	cmd.Dir = tree
	if out, err := cmd.CombinedOutput(); err != nil {
		d.t.Errorf("the check %s: %v\n%s", q["ward"], err, out)
	}
	if work := gitText(d.t, repo, "log", "--oneline", "main.."+branch); work == "" {
		d.t.Errorf("the agents left no work on %s", branch)
	}
	if touched := gitText(d.t, repo, "status", "--porcelain"); touched != "" {
		d.t.Errorf("the user's checkout was touched:\n%s", touched)
	}
}

// bothInOneLine checks that two steps worked at the same time and changed the same
// line, that there was a conflict, and that Spiritmender kept both changes.
func (d *demoServer) bothInOneLine(q object) {
	d.t.Helper()
	span := map[any][2]time.Time{}
	mended := ""
	for _, r := range objects(q["runs"]) {
		switch {
		case r["step"] != "tokens" && r["step"] != "json":
		case r["role"] == "codeweaver":
			span[r["step"]] = [2]time.Time{moment(d.t, r["startedAt"]), moment(d.t, r["endedAt"])}
		case r["role"] == "spiritmender":
			mended, _ = r["step"].(string)
		}
	}
	tokens, json := span["tokens"], span["json"]
	if !tokens[0].Before(json[1]) || !json[0].Before(tokens[1]) {
		d.t.Errorf("tokens %v and json %v were not at work at the same time", tokens, json)
	}
	if mended == "" {
		d.t.Error("Spiritmender was called for neither tokens nor json")
	}
	if readme := gitText(d.t, q["repo"].(string), "show", "quest/"+q["id"].(string)+":README.md"); !strings.HasSuffix(readme, "tests/`.\n\nParts: health, notes, tokens, json.\n") {
		d.t.Errorf("README.md:\n%s", readme)
	}
}

func moment(t testing.TB, v any) time.Time {
	t.Helper()
	text, _ := v.(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatalf("a moment is %v", v)
	}
	return at
}

// crowd computes from the runs' times the largest number of agents at the same time.
func crowd(t testing.TB, q object) (most int) {
	t.Helper()
	type change struct {
		at time.Time
		by int
	}
	var changes []change
	for _, r := range objects(q["runs"]) {
		if r["startedAt"] == nil || r["role"] == "ward" { // checks need no slot
			continue
		}
		changes = append(changes, change{moment(t, r["startedAt"]), 1}, change{moment(t, r["endedAt"]), -1})
	}
	// If both happen at the same moment, a slot is given back before it is given again.
	slices.SortFunc(changes, func(a, b change) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return a.by - b.by
	})
	busy := 0
	for _, c := range changes {
		busy += c.by
		most = max(most, busy)
	}
	return most
}

// killSimulated sends KILL to the agent's own process of a run, not to its
// supervisor, and reports whether there was one.
func killSimulated(t *testing.T, run string) bool {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range entries {
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !strings.Contains("\x00"+string(environ), "\x00QUESTBOARD_RUN_ID="+run+"\x00") {
			continue
		}
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if argv := strings.Split(string(line), "\x00"); err != nil || len(argv) < 2 || argv[1] != "simulated-agent" {
			continue
		}
		return exec.Command("kill", "-9", filepath.Base(dir)).Run() == nil
	}
	return false
}
