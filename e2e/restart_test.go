package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/e2e/e2etest"
	"questboard/orchestration/storetest"
)

// mortalScenario lets each kind of run hang at first, so that the server can be killed
// during it. Step b waits until the test signals for it. Every run records its name.
const mortalScenario = `
- {role: chaoswhisperer, visit: 1, do: [{run: echo $QUESTBOARD_RUN_ID >>RUNS}, {hang: true}]}
- role: chaoswhisperer
  do:
    - run: echo $QUESTBOARD_RUN_ID >>RUNS
    - tool: {name: set-requirements, input: {requirements: [{id: r, context: a log, observables: [{id: o, text: it is whole}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}
- {role: pathseeker, visit: 1, do: [{run: echo $QUESTBOARD_RUN_ID >>RUNS}, {hang: true}]}
- role: pathseeker
  do:
    - run: echo $QUESTBOARD_RUN_ID >>RUNS
    - tool: {name: plan-steps, input: {steps: [
        {id: a, title: A, description: a, files: [a], dependsOn: [], observables: [o]},
        {id: b, title: B, description: b, files: [b], dependsOn: [], observables: []},
        {id: ask, title: Ask, description: c, files: [c], dependsOn: [], observables: []}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: planned}}
- role: codeweaver
  step: ask
  visit: 1
  do:
    - run: echo $QUESTBOARD_RUN_ID >>RUNS
    - tool: {name: signal-back, input: {signal: needs-user-input, question: Go on?, context: none}}
- {role: codeweaver, step: a, visit: 1, do: [{run: echo $QUESTBOARD_RUN_ID >>RUNS}, {hang: true}]}
- {role: codeweaver, step: b, do: [{run: echo $QUESTBOARD_RUN_ID >>RUNS}, {hang: true}]}
- {role: siegemaster, step: b, visit: 1, do: [{run: echo $QUESTBOARD_RUN_ID >>RUNS}, {hang: true}]}
- {role: lawbringer, visit: 1, do: [{run: echo $QUESTBOARD_RUN_ID >>RUNS}, {hang: true}]}
` + busy

// busy is the rest of a scenario: every role works for a moment and completes. If a
// step has its own folder, Codeweaver makes a file with the same name in it.
const busy = `
- {role: codeweaver, do: [{run: 'echo $QUESTBOARD_RUN_ID >>RUNS; step=$(basename "$PWD"); echo "$step" >"$step"'}, {sleep: 50ms}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- {role: siegemaster, do: [{run: echo $QUESTBOARD_RUN_ID >>RUNS}, {sleep: 50ms}, {tool: {name: signal-back, input: {signal: complete, summary: tested}}}]}
- {role: lawbringer, do: [{run: echo $QUESTBOARD_RUN_ID >>RUNS}, {sleep: 50ms}, {tool: {name: signal-back, input: {signal: complete, summary: read}}}]}
`

// goesOn returns a function that reports whether a run of this role and step works and
// has a session.
func goesOn(role, step string) func(q object) bool {
	return func(q object) bool {
		return slices.ContainsFunc(objects(q["runs"]), func(r object) bool {
			return r["role"] == role && r["step"] == step && r["state"] == "running" && (r["sessionOpened"] == true || role == "ward")
		})
	}
}

// The server is killed at eight moments of one quest. No process of its runs survives
// it, nothing that was stored is lost, and nothing is done twice.
func TestAQuestSurvivesTheDeathOfItsServerAtEveryMoment(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(*testing.T) []string{
		"SQLite":     func(*testing.T) []string { return nil },
		"PostgreSQL": func(t *testing.T) []string { return []string{"QUESTBOARD_DB=" + storetest.Postgres(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dieAtEveryMoment(t, database(t)...)
		})
	}
}

func dieAtEveryMoment(t *testing.T, env ...string) {
	hold := filepath.Join(t.TempDir(), "hold")
	m := startMortal(t, mortalScenario, env...)
	m.quest = m.begin(m.repo, fmt.Sprintf(`,"approve":[],"workspace":"shared","ward":"test ! -e '%s' || exec sleep 600"`, hold))

	m.dies(m.until(m.quest, "requirements are written", goesOn("chaoswhisperer", "requirements")))
	m.dies(m.until(m.quest, "the plan is made", goesOn("pathseeker", "plan")))
	before := m.until(m.quest, "two steps are at work and one asks", func(q object) bool {
		return goesOn("codeweaver", "a")(q) && goesOn("codeweaver", "b")(q) && len(objects(q["questions"])) == 1
	})
	m.dies(before)

	ask := objects(before["questions"])[0]["id"].(string)
	m.post("/questions/"+ask+"/answer", `{"answer":"yes"}`).want(200)
	before = m.whole()
	m.dies(before)

	// What the dead server left of b counts as running until it is noted that it was interrupted.
	fresh := func(r object) bool {
		was := named(before["runs"], r["id"].(string))
		return r["step"] == "b" && r["state"] == "running" && r["sessionOpened"] == true && (was == nil || was["state"] == "queued")
	}
	q := m.until(m.quest, "b waits for a word", func(q object) bool { return slices.ContainsFunc(objects(q["runs"]), fresh) })
	at := slices.IndexFunc(objects(q["runs"]), fresh)
	run := objects(q["runs"])[at]["id"].(string)
	m.logged(run)
	write(t, hold, "")
	write(t, filepath.Join(m.repo, "b"), "made by b\n")
	text, refused := m.tool(runToken(t, m.data, run), "signal-back", object{"signal": "complete", "stepId": "b", "summary": "by the test"}).answer()
	if refused {
		t.Fatal(text)
	}
	m.dies(m.whole()) // the agent was told that its signal is stored
	if r := named(m.whole()["runs"], run); r["signal"] == nil {
		t.Errorf("the signal is lost: %s", jsonText(r))
	}

	before = m.until(m.quest, "the check runs", goesOn("ward", "b"))
	if err := os.Remove(hold); err != nil {
		t.Fatal(err)
	}
	m.dies(before)
	m.dies(m.until(m.quest, "b is tested", goesOn("siegemaster", "b")))
	m.dies(m.until(m.quest, "the whole is reviewed", goesOn("lawbringer", "review")))

	if n := m.assertOnce(m.untilStatus(m.quest, "complete")); n < 8 {
		t.Errorf("%d runs were interrupted, want one or more each time but two", n)
	}
}

// logged waits until the run has recorded its name.
func (m *mortal) logged(run string) {
	m.t.Helper()
	poll(m.t, 10*time.Second, func() bool {
		text, _ := os.ReadFile(m.runs)
		return slices.Contains(strings.Fields(string(text)), run)
	}, func() string { return "the work of " + run })
}

// The server is asked to end while agents work and a question is open. It exits with
// code 0, none of its processes lives on, and every session is resumed later.
func TestAServerThatIsAskedToEndKeepsEverySession(t *testing.T) {
	t.Parallel()
	m := startMortal(t, mortalScenario)
	m.quest = m.begin(m.repo, `,"plan":{"steps":[{"id":"a","title":"A","files":["a"]},{"id":"b","title":"B","files":["b"]},{"id":"ask","title":"C","files":["c"]}]}`)
	before := m.until(m.quest, "two steps are at work and one asks", func(q object) bool {
		return goesOn("codeweaver", "a")(q) && goesOn("codeweaver", "b")(q) && len(objects(q["questions"])) == 1
	})
	begun := time.Now()
	m.signal(syscall.SIGTERM)
	if err := m.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v\n%s", err, m.said.String())
	}
	if took := time.Since(begun); took > e2etest.Room(5*time.Second) {
		t.Errorf("the end took %v, and the agents leave when they are told to", took)
	}
	if left := alive(t, m.quest); len(left) > 0 {
		t.Errorf("processes of %v live", left)
	}
	m.start()
	m.keeps(before, m.whole())
	ask := objects(before["questions"])[0]["id"].(string)
	m.post("/questions/"+ask+"/answer", `{"answer":"yes"}`).want(200)
	q := m.until(m.quest, "all three go on", func(q object) bool {
		return goesOn("codeweaver", "b")(q) && len(ofStep(q, "codeweaver", "a")) == 2 && len(ofStep(q, "codeweaver", "ask")) == 2
	})
	for _, step := range []string{"a", "b"} {
		runs := ofStep(q, "codeweaver", step)
		if runs[0]["outcome"] != "interrupted" {
			t.Errorf("%s ended as %s", step, jsonText(runs[0]))
		}
		m.assertTakenUp(q, runs[0])
	}
}

// number reads an environment variable.
func number(t *testing.T, name string, standard int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return standard
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}
