package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// atTheWall is a scenario of two steps. Each agent writes down its ports and waits for the
// other one; a siege then finds a wall.
const atTheWall = `
- role: codeweaver
  do:
    - run: 'echo "$QUESTBOARD_PORT_BASE" > $DIR/$QUESTBOARD_RUN_ID; until test $(ls $DIR | wc -l) -ge 2; do sleep 0.02; done; pwd > $QUESTBOARD_RUN_ID.txt'
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

// Two runs at the same time have different ports, and a check has some, too. A siege that
// asks at a wall goes on with the answer; without the wall it is refused.
func TestRunsHavePortsOfTheirOwnAndASiegeMayAskAtAWall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, repo := startAPI(t, strings.ReplaceAll(atTheWall, "$DIR", dir)), apiRepo(t)
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
	given := map[string]string{}
	for _, run := range append(ofStep(q, "codeweaver", "one"), ofStep(q, "codeweaver", "two")...) {
		text, err := os.ReadFile(filepath.Join(dir, run["id"].(string)))
		base := strings.TrimSpace(string(text))
		if err != nil || len(base) != 5 || base[0] != '2' || given[base] != "" {
			t.Errorf("%v has the ports from %q: %v; given so far: %v", run["id"], base, err, given)
		}
		given[base] = fmt.Sprint(run["id"])
	}
}
