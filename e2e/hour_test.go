package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// comesAndGoes is a scenario in which every run lasts for PERIOD. A step's first run
// crashes and leaves a program behind, its second has a full context, its third makes
// the file. The step "warm" takes no time.
const comesAndGoes = `
- {role: codeweaver, step: warm, do: [{tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- {role: siegemaster, step: warm, do: [{tool: {name: signal-back, input: {signal: complete, summary: tested}}}]}
- {role: codeweaver, visit: 1, do: [{spawn: sleep 9000}, {sleep: PERIOD}, {exit: 3}]}
- {role: codeweaver, visit: 2, do: [{sleep: PERIOD}, {tool: {name: signal-back, input: {signal: partially-complete, progress: some, continuationPoint: the rest}}}]}
- {role: codeweaver, do: [{run: 'step=$(basename "$PWD"); echo "$step" >"$step"'}, {sleep: PERIOD}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- {role: siegemaster, do: [{sleep: PERIOD}, {tool: {name: signal-back, input: {signal: complete, summary: tested}}}]}
- {role: lawbringer, do: [{sleep: PERIOD}, {tool: {name: signal-back, input: {signal: complete, summary: read}}}]}
`

const (
	hourSlots  = 10
	hourQuests = 10 // that go on, of two steps each: more work than slots
	hourKept   = 40 // ended quests that stay: more than the server holds in memory
)

// docs/hardening.md#processes, T2.6: agents in ten slots start and end, with a signal,
// a crash or a message of the user. Each runs for about QUESTBOARD_HOUR / 180 (20 s in
// an hour). At the end the server uses no more than at the beginning: no further
// zombies, goroutines, descriptors, files or processes, and no more memory as far as
// the time can show.
func TestAgentsThatComeAndGoLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	long, period, every := 9*time.Second, 2500*time.Millisecond, 500*time.Millisecond
	whole := os.Getenv("QUESTBOARD_HOUR")
	if whole != "" {
		var err error
		if long, err = time.ParseDuration(whole); err != nil {
			t.Fatal(err)
		}
		period, every = 20*time.Second, 5*time.Second
	}
	h := startHour(t, period)
	idle := h.atRest("before the first agent")
	t.Logf("after, all slots full, goroutines, descriptors, resident, anonymous, heap (MiB), zombies, temporary files\n%v", idle)
	before := h.files()

	began := time.Now()
	beat := time.NewTicker(every)
	defer beat.Stop()
	var all []sample
	for next := time.Duration(0); time.Since(began) < long; <-beat.C {
		h.keepBusy()
		if at := time.Since(began); at >= next {
			h.message()
			next = at + period
		}
		all = append(all, h.sample(time.Since(began)))
		if len(all)%30 == 1 { // report on the way, because an hour is long
			t.Log(all[len(all)-1])
		}
	}
	h.empty()
	after := h.atRest("after the last agent")
	t.Log(after)
	t.Logf("%d quests, of which %d complete; %d agents and %d checks ran; %d were sent a message; zombies seen for a moment: %d",
		h.begun, h.complete, h.runs, h.checks, h.messages, h.passing)

	want := int(long/period) * hourSlots * 2 / 3
	if whole == "" {
		want /= 10 // other tests run at the same time
	}
	if h.runs < want {
		t.Errorf("only %d agents ran, too few to show anything; want %d", h.runs, want)
	}
	if more := after.goroutines - idle.goroutines; more > 5 {
		t.Errorf("%d goroutines are more than before", more)
	}
	if more := after.descriptors - idle.descriptors; more > 5 {
		t.Errorf("%d descriptors are more than before", more)
	}
	if more := after.heap - idle.heap; more > 3 {
		t.Errorf("the heap holds %.1f MiB more than before", more)
	}
	if left := h.temporary(); len(left) > 0 {
		t.Errorf("temporary files: %q", left)
	}
	if now := h.files(); !slices.Equal(now, before) {
		t.Errorf("in the data directory and the repository were\n%s\nand are\n%s", strings.Join(before, "\n"), strings.Join(now, "\n"))
	}
	if left := h.unkept(); len(left) > 0 {
		t.Errorf("git directories without anything in them: %q", left)
	}
	if left := markedBy(t, h.marker); len(left) > 0 {
		t.Errorf("processes of runs live: %v", left)
	}
	assertFlat(t, all, whole != "")
}

// hour is a server that is kept busy.
type hour struct {
	*launched
	t           *testing.T
	data, temp  string
	repo        string
	marker      string // all processes of its runs have it in their environment
	going, over []string

	begun, complete, runs, checks, messages, passing int
}

func startHour(t *testing.T, period time.Duration) *hour {
	t.Helper()
	h := &hour{t: t, data: t.TempDir(), temp: t.TempDir(), repo: apiRepo(t)}
	h.marker = "TMPDIR=" + h.temp
	scenario := filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, scenario, strings.ReplaceAll(comesAndGoes, "PERIOD", period.String()))
	h.launched = launch(t, []string{h.marker}, "-data", h.data, "-addr", "127.0.0.1:0",
		"-agent", "simulated", "-scenario", scenario, "-slots", fmt.Sprint(hourSlots), "-grace", "1s", "-backoff", "1s")
	// What is made once and kept: connections to the database, folders, code.
	h.begin(`,"plan":{"steps":[{"id":"warm","title":"W","files":["warm"]}]}`)
	h.empty()
	var readers sync.WaitGroup
	for range 64 {
		readers.Go(func() { h.get("/quests").want(http.StatusOK) })
	}
	readers.Wait()
	h.begun, h.complete, h.runs, h.checks = 0, 0, 0, 0
	return h
}

func (h *hour) begin(fields string) {
	h.t.Helper()
	h.going = append(h.going, h.apiServer.begin(h.repo, `,"ward":"true"`+fields))
	h.begun++
}

// keepBusy begins a quest for each one that ended, and deletes the oldest.
func (h *hour) keepBusy() {
	h.t.Helper()
	h.going = slices.DeleteFunc(h.going, func(id string) bool {
		q := h.get("/quests/" + id).want(http.StatusOK)
		if q["status"] != "complete" {
			return false
		}
		h.complete++
		h.over = append(h.over, id)
		return true
	})
	for len(h.going) < hourQuests {
		h.begin(`,"plan":{"steps":[{"id":"a","title":"A","files":["a"]},{"id":"b","title":"B","files":["b"]}]}`)
	}
	for len(h.over) > hourKept {
		h.remove(h.over[0])
		h.over = h.over[1:]
	}
}

// message ends one run with a message of the user, which resumes its session.
func (h *hour) message() {
	h.t.Helper()
	for i := range h.going {
		quest := h.going[(h.messages+i)%len(h.going)]
		for _, r := range objects(h.get("/quests/" + quest).want(http.StatusOK)["runs"]) {
			if r["state"] == "running" && r["role"] != "ward" {
				h.post("/runs/"+r["id"].(string)+"/message", `{"text":"Look again."}`) // the run may have ended by now
				h.messages++
				return
			}
		}
	}
}

// empty ends all quests and deletes them.
func (h *hour) empty() {
	h.t.Helper()
	for _, id := range h.going {
		if h.begun > 1 { // all but the first, which is to be complete
			h.post("/quests/"+id+"/abandon", "") // it may have become complete
		}
	}
	for _, id := range append(h.over, h.going...) {
		h.until(id, "the quest and its runs are over", func(q object) bool {
			return q["endedAt"] != nil && !slices.ContainsFunc(objects(q["runs"]), func(r object) bool { return r["state"] != "ended" })
		})
		h.remove(id)
	}
	h.going, h.over = nil, nil
}

func (h *hour) remove(id string) {
	h.t.Helper()
	for _, r := range objects(h.get("/quests/" + id).want(http.StatusOK)["runs"]) {
		switch {
		case r["startedAt"] == nil:
		case r["role"] == "ward":
			h.checks++
		default:
			h.runs++
		}
	}
	if r := h.send(http.MethodDelete, "/api/v1/quests/"+id, ""); r.status != http.StatusNoContent {
		h.t.Errorf("delete %s: %d %s", id, r.status, r.text)
	}
}

// temporary lists what programs left in the folder for temporary files.
func (h *hour) temporary() []string {
	h.t.Helper()
	return foldersIn(h.t, h.temp)
}
