package e2e_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/e2e/e2etest"
)

// strikeScenario is a quest that passes every failpoint. The step late begins before
// early is merged, so it must be updated. The check leaves a file behind. One agent
// leaves a process running, and another repeats a call whose answer was lost.
var strikeScenario = `
- role: codeweaver
  step: early
  do:
    - run: >
        ` + begins("codeweaver") + `; quest=${QUESTBOARD_RUN_ID%%-*};
        until grep -q "^$quest-.* begin codeweaver late$" 'RUNS'; do sleep 0.02; done; echo $quest >early.txt; ` + ends("codeweaver") + `
    - spawn: LEFT
` + twice + `
- role: codeweaver
  step: late
  do:
    - run: >
        ` + begins("codeweaver") + `; quest=${QUESTBOARD_RUN_ID%%-*};
        until git show quest/$quest:early.txt | grep -q $quest; do sleep 0.05; done; echo $quest >late.txt; ` + ends("codeweaver") + `
` + twice + approvingReview("siegemaster") + approvingReview("lawbringer")

// twice makes the second call only if the first was refused.
const twice = `
    - tool: {name: signal-back, input: {signal: complete, summary: done}}
    - tool: {name: signal-back, input: {signal: complete, summary: done}}`

const strikeFields = `,"workspace":"worktree","ward":"echo x >litter","plan":{"steps":[
	{"id":"early","title":"E","files":["early.txt"]},{"id":"late","title":"L","files":["late.txt"]}]}`

// struckServer is a server with faults at failpoints. When a fault kills it, it is started
// again.
type struckServer struct {
	*mortal
	exe     string
	folder  string   // has a mark for each strike that has taken place
	strikes []string // "place=fault", as package failpoint reads them
	deaths  int
}

func startStricken(t *testing.T, strikes []string) *struckServer {
	t.Helper()
	exe, err := e2etest.Strikable()
	if err != nil {
		t.Fatal(err)
	}
	s := &struckServer{exe: exe, folder: t.TempDir(), strikes: strikes,
		mortal: &mortal{t: t, data: t.TempDir(), scenario: filepath.Join(t.TempDir(), "scenario.yaml"),
			runs: filepath.Join(t.TempDir(), "runs.log"), repo: apiRepo(t), slots: 3, again: map[string]int{}}}
	left := "exec sleep 600"
	if s.waits("kill-") {
		left = "trap : TERM; while :; do sleep 1; done"
	}
	write(t, s.scenario, strings.NewReplacer("RUNS", s.runs, "LEFT", `"`+left+`"`).Replace(strikeScenario))
	s.up()
	return s
}

// waiting returns the strikes that have not taken place.
func (s *struckServer) waiting() []string {
	return slices.DeleteFunc(slices.Clone(s.strikes), func(strike string) bool {
		_, err := os.Stat(filepath.Join(s.folder, strings.ReplaceAll(strike, " ", "-")))
		return err == nil
	})
}

// waits reports whether a strike at such a place has not taken place.
func (s *struckServer) waits(place string) bool {
	return slices.ContainsFunc(s.waiting(), func(strike string) bool { return strings.HasPrefix(strike, place) })
}

// env returns the environment that arms a process with the strikes that have not taken
// place.
func (s *struckServer) env() []string {
	return []string{"QUESTBOARD_FAILPOINTS=" + s.folder + "\n" + strings.Join(s.waiting(), "\n")}
}

// up starts servers until one keeps running. Each must be ready soon, whatever the
// previous one left.
func (s *struckServer) up() {
	s.t.Helper()
	args := append(s.args(), "-agent-env", "QUESTBOARD_FAILPOINTS") // supervisors read it
	for {
		waiting, begun := len(s.waiting()), time.Now()
		server, err := tryLaunch(s.t, s.exe, s.env(), args...)
		if s.launched = server; err != nil {
			s.waitForEnd()
			continue
		}
		status, _, lives := s.try(http.MethodGet, "/readyz", "")
		if !lives {
			continue
		}
		took := time.Since(begun)
		if len(s.waiting()) == waiting { // otherwise the time may include a delay that was planted
			s.longest = max(s.longest, took)
		}
		if s.longest > e2etest.Room(startTime) || status != http.StatusOK {
			s.t.Errorf("the start took %v, /readyz says %d\n%s", took, status, s.said.String())
		}
		return
	}
}

// waitForEnd waits for the end of a server that does not answer.
func (s *struckServer) waitForEnd() {
	s.t.Helper()
	defer time.AfterFunc(30*time.Second, func() { _ = s.cmd.Process.Signal(syscall.SIGQUIT) }).Stop() // prints where it hangs
	_ = s.cmd.Wait()
	s.deaths++
	if state := s.cmd.ProcessState; state.ExitCode() == 2 || strings.Contains(s.said.String(), "panic:") {
		s.t.Fatalf("the server ended with %v\n%s", state, s.said.String())
	}
}

// try sends a request to a server that may die during it.
func (s *struckServer) try(method, path, body string) (status int, v object, lives bool) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+apiToken)
	r.Header.Set("Content-Type", "application/json")
	var text []byte
	w, err := http.DefaultClient.Do(r)
	if err == nil {
		defer w.Body.Close()
		text, err = io.ReadAll(w.Body)
	}
	if err != nil {
		s.waitForEnd()
		return 0, nil, false
	}
	_ = json.Unmarshal(text, &v) // not every answer is an object
	return w.StatusCode, v, true
}

// ask repeats a request until the answer has one of these statuses. If the server dies,
// it asks the next one.
func (s *struckServer) ask(method, path, body string, statuses ...int) object {
	s.t.Helper()
	deadline := time.After(time.Minute)
	for {
		status, v, lives := s.try(method, "/api/v1"+path, body)
		switch {
		case !lives:
			s.up()
		case slices.Contains(statuses, status):
			return v
		default:
			s.t.Logf("%s %s: %d %s", method, path, status, jsonText(v))
		}
		select {
		case <-deadline:
			s.t.Fatalf("%s %s: %d %s\n%s", method, path, status, jsonText(v), s.said.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// create begins the quest. If there is no answer, it looks whether the quest exists.
func (s *struckServer) create() {
	s.t.Helper()
	body := `{"request":"- say hello","repo":` + jsonText(s.repo) + strikeFields + `}`
	for {
		if _, _, lives := s.try(http.MethodPost, "/api/v1/quests", body); !lives {
			s.up()
		}
		there := objects(s.ask(http.MethodGet, "/quests", "", http.StatusOK)["quests"])
		if len(there) > 1 {
			s.t.Fatalf("there are %d quests", len(there))
		}
		if len(there) == 1 {
			s.quest = there[0]["id"].(string)
			return
		}
	}
}

// complete brings the quest to its end as a user would: it retries what an error has
// blocked.
func (s *struckServer) complete() object {
	s.t.Helper()
	deadline := time.After(2 * time.Minute)
	for killed := false; ; {
		q := s.ask(http.MethodGet, "/quests/"+s.quest, "", http.StatusOK)
		switch {
		case q["status"] == "complete":
			return q
		case s.faulty && s.help(q):
		case !killed && s.waits("recover-") && goesOn("codeweaver", "late")(q):
			killed = true
			s.signal(syscall.SIGKILL)
			s.waitForEnd()
			s.up()
		}
		select {
		case <-deadline:
			s.t.Fatalf("the quest does not come to its end: %s\n%s", jsonText(q), s.said.String())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// help presses the buttons of a quest that waits for a person.
func (s *struckServer) help(q object) (pressed bool) {
	s.t.Helper()
	press := func(path string) {
		pressed = true
		s.ask(http.MethodPost, "/quests/"+s.quest+path, "{}", http.StatusOK, http.StatusConflict)
	}
	for _, step := range append(objects(q["steps"]), objects(q["lines"])...) {
		if step["hold"] == "blocked" {
			s.t.Logf("blocked: %s", jsonText(step["block"]))
			s.again[step["id"].(string)]++
			press("/steps/" + step["id"].(string) + "/retry")
		}
	}
	if q["wait"] != nil {
		s.t.Logf("the quest waits: %s", jsonText(q["wait"]))
		press("/resume")
	}
	return pressed
}
