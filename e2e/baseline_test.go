package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// namesBad is a check that says which files are bad.
const namesBad = `code=0; for f in *.bad; do if test -e $f; then echo FAIL: $f; code=1; fi; done; exit $code`

const inherits = `
- role: codeweaver
  step: innocent
  do:
    - run: until test -e '%GO%'; do sleep 0.02; done; echo 1 >innocent.txt
    - tool: {name: signal-back, input: {signal: complete, summary: made}}
- role: codeweaver
  step: guilty
  do:
    - write: {path: new.bad, content: "1\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: made}}
- role: spiritmender
  do:
    - run: rm new.bad; echo 1 >good.txt
    - tool: {name: signal-back, input: {signal: complete, summary: mended}}
`

// A base that fails the check does not stop a quest. Once the user accepts those
// faults, a step with only old faults passes, and a new fault is fixed.
func TestFaultsOfTheBaseAreNotBlamedOnSteps(t *testing.T) {
	t.Parallel()
	start := filepath.Join(t.TempDir(), "go")
	s, repo := startAPI(t, strings.ReplaceAll(inherits, "%GO%", start)), busyUser(t)
	write(t, filepath.Join(repo, "old.bad"), "1\n")
	gitText(t, repo, "add", "old.bad")
	gitText(t, repo, "commit", "-q", "-m", "the base is red", "--", "old.bad")
	users := usersOwn(t, repo)
	quest := s.begin(repo, `,"ward":`+jsonText(namesBad)+`,"plan":{"steps":[{"id":"innocent","title":"I","files":["innocent.txt"]},
  {"id":"guilty","title":"G","files":["new.bad"],"dependsOn":["innocent"]}]}`)
	q := s.until(quest, "the quest goes on although its base is red", goesOn("codeweaver", "innocent"))
	base := q["baseline"].(object)
	if base["state"] != "red" || jsonText(base["known"]) != `["FAIL: old.bad"]` || named(q["runs"], base["run"].(string))["role"] != "ward" {
		t.Errorf("the base: %s", jsonText(base))
	}
	for range 2 {
		if q = s.post("/quests/"+quest+"/baseline/accept", "").want(200); q["baseline"].(object)["state"] != "accepted" {
			t.Errorf("accepted: %s", jsonText(q["baseline"]))
		}
	}
	write(t, start, "")
	q = s.untilStatus(quest, "complete")
	first := ofStep(q, "ward", "innocent")[0]
	if history := s.get("/quests/" + quest + "/events?n=1000").text; first["exitCode"] != 1.0 || !strings.Contains(history, "has only failures of the base (1 known fault") {
		t.Errorf("the check of innocent: %s; the history: %s", jsonText(first), history)
	}
	if n := len(ofStep(q, "spiritmender", "innocent")); n != 0 {
		t.Errorf("%d spiritmenders were sent after old faults", n)
	}
	wards, menders := ofStep(q, "ward", "guilty"), ofStep(q, "spiritmender", "guilty")
	if len(menders) != 1 || !strings.Contains(wards[0]["digest"].(string), "new.bad") {
		t.Errorf("%d spiritmenders; the first check said %s", len(menders), wards[0]["digest"])
	}
	if old, recent := onBranch(t, repo, quest, "old.bad"), onBranch(t, repo, quest, "new.bad"); old == "" || recent != "" {
		t.Errorf("on the branch: old fault %q, new one %q", old, recent)
	}
	assertUntouched(t, repo, users)
}

// If the check passes on the base, there is nothing to accept.
func TestAGreenBaseHasNothingToAccept(t *testing.T) {
	t.Parallel()
	s := startAPI(t, inherits)
	quest := s.begin(apiRepo(t), `,"ward":"true","plan":{"steps":[{"id":"innocent","title":"I"}]}`)
	q := s.until(quest, "the step is at work", goesOn("codeweaver", "innocent"))
	if base := q["baseline"].(object); base["state"] != "green" || jsonText(base["known"]) != "[]" {
		t.Errorf("the base: %s", jsonText(base))
	}
	if why, _ := s.post("/quests/"+quest+"/baseline/accept", "").refused(409); !strings.Contains(why, "does not fail on the base") {
		t.Errorf("refused with %q", why)
	}
}
