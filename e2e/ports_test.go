package e2e_test

import (
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// atTheWall is a scenario of two steps. Each agent writes down its ports and waits for the
// other one; a siege then finds a wall.
const atTheWall = `
- role: codeweaver
  do:
    - run: 'MEET; pwd > $QUESTBOARD_RUN_ID.txt'
    - tool: {name: signal-back, input: {signal: complete, summary: made}}
- role: siegemaster
  step: one
  visit: 1
  do:
    - tool: {name: signal-back, input: {signal: needs-user-input, question: May I have port 80?, context: it is taken}}
    - tool: {name: signal-back, input: {signal: needs-user-input, question: May I have port 80?, context: it is taken, wall: port}}
- role: siegemaster
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: tried}}
`

// meetAt is a command that writes down its ports and waits for another one.
func meetAt(dir string) string {
	const command = `echo "$QUESTBOARD_PORT_BASE" >DIR/$QUESTBOARD_RUN_ID; until test $(ls DIR | wc -l) -ge 2; do sleep 0.02; done`
	return strings.ReplaceAll(command, "DIR", dir)
}

// metAt returns the first of the ports that a run wrote down.
func metAt(t *testing.T, dir string, run object) int {
	t.Helper()
	base, err := strconv.Atoi(strings.TrimSpace(read(t, filepath.Join(dir, run["id"].(string)))))
	if err != nil {
		t.Fatal(err)
	}
	return base
}

// Two runs at the same time have different ports, and a check has some, too. A siege that
// asks at a wall goes on with the answer; without the wall it is refused.
func TestRunsHavePortsOfTheirOwnAndASiegeMayAskAtAWall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, repo := startAPI(t, strings.ReplaceAll(atTheWall, "MEET", meetAt(dir))), apiRepo(t)
	quest := s.begin(repo, `,"approve":[],"ward":"test \"$QUESTBOARD_PORT_BASE\" -ge 20000",
		"plan":{"steps":[{"id":"one","title":"One","files":["one/made.txt"]},{"id":"two","title":"Two","files":["two/made.txt"]}]}`)
	q := s.until(quest, "the siege asks", func(q object) bool { return len(objects(q["questions"])) == 1 })
	ask := objects(q["questions"])[0]
	if ask["wall"] != "port" || ask["role"] != "siegemaster" {
		t.Errorf("the question is %v", ask)
	}
	s.post("/questions/"+ask["id"].(string)+"/answer", `{"answer":"take 8080"}`).want(200)
	q = s.untilStatus(quest, "complete")
	if runs := ofStep(q, "siegemaster", "one"); len(runs) != 2 || runs[1]["start"] != "answer" {
		t.Errorf("siegemaster's runs: %s", jsonText(runs))
	}
	given := map[int]any{}
	for _, run := range append(ofStep(q, "codeweaver", "one"), ofStep(q, "codeweaver", "two")...) {
		base := metAt(t, dir, run)
		if base < 20000 || base > 29980 || given[base] != nil {
			t.Errorf("%v has the ports from %d; given so far: %v", run["id"], base, given)
		}
		given[base] = run["id"]
	}
}

// sowsTwo is a scenario of two steps whose agents wait for each other.
const sowsTwo = `
- role: codeweaver
  do:
    - run: 'MEET; pwd > $QUESTBOARD_RUN_ID.txt'
    - tool: {name: signal-back, input: {signal: complete, summary: sown}}
`

// A repository's own file says how many ports each agent and each check of its quests
// has: those of another one begin only behind them.
func TestAgentsAndChecksHaveAsManyPortsAsTheRepositorysFileSays(t *testing.T) {
	t.Parallel()
	agents, checks := t.TempDir(), t.TempDir()
	s := startAPI(t, strings.ReplaceAll(sowsTwo, "MEET", meetAt(agents)))
	// On the base there is nothing to check.
	repo := s.trusting(t, "check: 'ls *-r*.txt >/dev/null 2>&1 || exit 0; "+meetAt(checks)+"'\nports: 90\n")
	quest := s.begin(repo, `,"approve":[],"plan":{"steps":[{"id":"one","title":"One"},{"id":"two","title":"Two"}]}`)
	q := s.untilStatus(quest, "complete")
	if file := q["repoFile"].(object); file["ports"] != 90.0 {
		t.Errorf("the file says %v", file["ports"])
	}
	for dir, role := range map[string]string{agents: "codeweaver", checks: "ward"} {
		one, two := metAt(t, dir, ofStep(q, role, "one")[0]), metAt(t, dir, ofStep(q, role, "two")[0])
		if apart := max(one, two) - min(one, two); apart < 90 {
			t.Errorf("two runs of %s have 90 ports each, from %d and from %d", role, one, two)
		}
	}
}

// listenIn listens on a port of the 20 from base on. Another program may have some of them,
// for example this test in another checkout, and give them up at any time.
func listenIn(t *testing.T, base int) net.Listener {
	t.Helper()
	for port := base; port < base+20; port++ {
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return l
		}
	}
	t.Fatalf("other programs have all ports from %d to %d", base, base+19)
	return nil
}

// Programs of others listen here and there, so that no 200 ports in a row are left. Page and
// API say it with the remedy, and the quest waits. When they are gone, Resume goes on.
func TestPortsThatAreTakenAreNamedWithTheRemedy(t *testing.T) {
	t.Parallel()
	var others []net.Listener
	for block := 20000; block < 30000; block += 200 {
		l := listenIn(t, block)
		defer l.Close()
		others = append(others, l)
	}
	s := startAPI(t, approvingReview("codeweaver")+approvingReview("siegemaster")+approvingReview("lawbringer"))
	quest := s.begin(s.trusting(t, "ports: 200\n"), `,"workspace":"shared","approve":[],"ward":"true","plan":{"steps":[{"id":"one","title":"One"}]}`)
	q := s.untilStatus(quest, "waiting")
	for where, text := range map[string]string{"the API": jsonText(q["why"]), "the page": s.page("/quests/" + quest)} {
		if !strings.Contains(text, "no 200 ports in a row are free between 20000 and 29999") || !strings.Contains(text, "end such programs") {
			t.Errorf("%s says %s", where, text)
		}
	}
	for _, l := range others {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	s.until(quest, "it is complete", func(q object) bool {
		if q["status"] == "waiting" { // this test may run twice on one machine, with as many others
			s.post("/quests/"+quest+"/resume", "").want(http.StatusOK)
		}
		return q["status"] == "complete"
	})
}
