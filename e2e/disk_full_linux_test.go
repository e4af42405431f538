package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fullDiskScenario has three steps at the same time. Each waits until the test lets it
// go, prints 2 MB in two seconds and signals until the signal is stored. Every run
// records its name on another disk.
func fullDiskScenario() string {
	until := strings.Repeat(", {tool: {name: signal-back, input: {signal: complete, summary: made}}}, {sleep: 300ms}", 200)
	return `
- role: chaoswhisperer
  do:
    - run: echo $QUESTBOARD_RUN_ID >>RUNS
    - tool: {name: set-requirements, input: {requirements: [{id: r, context: a disk, observables: [{id: o, text: it is full}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}
- role: pathseeker
  do:
    - run: echo $QUESTBOARD_RUN_ID >>RUNS
    - tool: {name: plan-steps, input: {steps: [
        {id: a, title: A, description: a, files: [a], dependsOn: [], observables: [o]},
        {id: b, title: B, description: b, files: [b], dependsOn: [], observables: []},
        {id: c, title: C, description: c, files: [c], dependsOn: [], observables: []},
        {id: d, title: D, description: d, files: [d], dependsOn: [a], observables: []}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: planned}}
- role: codeweaver
  do: [{run: "echo $QUESTBOARD_RUN_ID >>RUNS; until test -e RUNS.go; do sleep 0.1; done"}, {talk: {text: ` + strings.Repeat("word ", 2000) + `, lines: 200, every: 10ms}}` + until + `]
- {role: siegemaster, do: [{run: echo $QUESTBOARD_RUN_ID >>RUNS}` + until + `]}
- {role: lawbringer, do: [{run: echo $QUESTBOARD_RUN_ID >>RUNS}` + until + `]}
`
}

// docs/hardening.md#stored-state, T3.6: while three agents of a quest work, the disk of
// the data directory becomes full, stays full for a while and has room again.
// QUESTBOARD_FULL_DISK sets how many times that happens, in both kinds of workspace.
func TestAFullDiskInTheMiddleOfAQuestLosesNothing(t *testing.T) {
	times := number(t, "QUESTBOARD_FULL_DISK", 1)
	d := onSmallDisk(t, 48+16*times) // each quest prints 8 MB
	if d == nil {
		return
	}
	m := &mortal{t: t, data: filepath.Join(d.dir, "data"), scenario: filepath.Join(t.TempDir(), "scenario.yaml"),
		runs: filepath.Join(t.TempDir(), "runs.log"), repo: apiRepo(t)}
	write(t, m.scenario, strings.ReplaceAll(fullDiskScenario(), "RUNS", m.runs))
	m.start()
	told := make(chan string, 1000)
	phone := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		told <- string(body)
	}))
	t.Cleanup(phone.Close)
	m.post("/channels", jsonText(object{"kind": "webhook", "name": "phone", "address": phone.URL, "local": true, "bundle": false})).want(201)
	for round := range times {
		m.repo = apiRepo(t)
		m.troubled([]string{"shared", "worktree"}[round%2], trouble{
			begin: func() { d.fill(int64(round%5) * 100_000) }, end: func() { isTold(t, told); d.empty() },
			page: "The disk is full: nothing can be stored in " + m.data, form: "Make space there"})
	}
	m.endsWhole()
	if n := strings.Count(m.said.String(), "nothing can be stored"); n < times || n > 3*times {
		t.Errorf("the log tells %d times that nothing can be stored", n)
	}
}

// isTold waits until people are told that nothing can be stored. It is called while that is so.
func isTold(t *testing.T, told <-chan string) {
	t.Helper()
	for {
		select {
		case text := <-told:
			if !strings.Contains(text, `"type":"disk-full"`) {
				continue
			}
			if !strings.Contains(text, "the disk is full") || !strings.Contains(text, `"needsYou":true`) {
				t.Errorf("told: %s", text)
			}
			return
		case <-time.After(time.Minute):
			t.Fatal("nobody is told that the disk is full")
		}
	}
}

// endsWhole ends the server normally and checks that its database is intact.
func (m *mortal) endsWhole() {
	m.t.Helper()
	m.signal(syscall.SIGTERM)
	if err := m.cmd.Wait(); err != nil {
		m.t.Error(err)
	}
	out := filepath.Join(m.t.TempDir(), "copy.db") // the backup command checks the copy
	if r := command(m.t, serverBinary(m.t), nil, "backup", "-data", m.data, out); r.code != 0 {
		m.t.Errorf("the database is damaged: %+v", r)
	}
}

// trouble is a fault of the disk, and what the page and a form then say.
type trouble struct {
	begin, end func()
	page, form string
}

// troubled plays one quest on a disk that refuses writes for a while.
func (m *mortal) troubled(workspace string, of trouble) {
	t := m.t
	if err := os.RemoveAll(m.runs + ".go"); err != nil {
		t.Fatal(err)
	}
	m.quest = m.begin(m.repo, fmt.Sprintf(`,"approve":[],"workspace":%q,"ward":"true"`, workspace))
	m.until(m.quest, "three are at work", func(q object) bool {
		n := 0
		for _, r := range objects(q["runs"]) {
			if r["role"] == "codeweaver" && r["state"] == "running" && r["sessionOpened"] == true {
				n++
			}
		}
		return n == 3
	})
	began := time.Now()
	write(t, m.runs+".go", "")
	of.begin()
	m.untilReady(503)
	told := time.Now()
	page := reply{}
	poll(t, 20*time.Second, func() bool {
		page = m.send("GET", "/quests/"+m.quest, "")
		return page.status == 200 && strings.Contains(page.text, of.page)
	}, func() string { return "a page that says " + of.page })
	if form := m.send("POST", "/api/v1/quests/"+m.quest+"/pause", "{}"); form.status != 503 || !strings.Contains(form.text, of.form) {
		t.Errorf("a form: %d %s", form.status, form.text)
	}
	if got := m.send("GET", "/metrics", "").text; !strings.Contains(got, "\nquestboard_read_only 1\n") {
		t.Errorf("the metrics do not tell: %s", got)
	}
	before := m.whole()
	for _, r := range objects(before["runs"]) {
		if r["state"] == "running" { // its agent signals, and is told to wait
			text, refused := m.tool(runToken(t, m.data, r["id"].(string)), "signal-back", object{"signal": "complete", "stepId": r["step"], "summary": "by the test"}).answer()
			if !refused || !strings.Contains(text, "same call again") {
				t.Errorf("%s: %v %s", r["id"], refused, text)
			}
		}
	}
	<-time.After(3 * time.Second) // the agents signal and are refused
	if after := m.whole(); len(objects(after["runs"])) != len(objects(before["runs"])) {
		t.Error("a run was started meanwhile")
	}
	of.end()
	ended := time.Now()
	m.untilReady(200)
	t.Logf("read-only %v after the disk refused, well %v after it took writes again", told.Sub(began).Round(time.Millisecond), time.Since(ended).Round(time.Millisecond))
	q := m.untilStatus(m.quest, "complete")
	m.keeps(before, q)
	m.assertOnce(q)
	for _, r := range objects(q["runs"]) {
		if r["role"] == "codeweaver" {
			m.printedAll(r["id"].(string))
		}
	}
}

func (m *mortal) untilReady(status int) {
	m.t.Helper()
	poll(m.t, 20*time.Second, func() bool { return m.send("GET", "/readyz", "").status == status },
		func() string { return fmt.Sprintf("/readyz %d\n%s", status, m.said.String()) })
}

// printedAll checks that the run's output has each of its 200 messages once, in order.
func (m *mortal) printedAll(run string) {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.data, "runs", run, "output.jsonl"))
	if err != nil {
		m.t.Fatal(err)
	}
	message, next := regexp.MustCompile(` (\d+) at \d+"`), 0
	for line := range strings.Lines(string(text)) {
		if !json.Valid([]byte(line)) {
			m.t.Errorf("%s: half a line: %.100q", run, line)
		}
		if found := message.FindStringSubmatch(line); found != nil {
			if next++; found[1] != strconv.Itoa(next) {
				m.t.Fatalf("%s: message %s stands where %d belongs", run, found[1], next)
			}
		}
	}
	if next != 200 {
		m.t.Errorf("%s printed 200 messages, and %d are kept", run, next)
	}
}
