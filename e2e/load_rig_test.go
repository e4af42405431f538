package e2e_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// loadedServer is a server with many agents that print at a known rate.
type loadedServer struct {
	*launched
	repo  string
	runs  []string          // in the order of their steps
	quest map[string]string // by run
	steps map[string]string
	lines int // the number of lines that each run prints

	workspace string // of its quests
}

// spare is the number of slots for runs that signal.
const spare = 4

// startLoad starts a server with that many agents, in quests of ten steps. Each agent
// prints that many lines and then stays.
func startLoad(t *testing.T, agents, lines int, every time.Duration) *loadedServer {
	t.Helper()
	file := talking(t, lines, every)
	c := &loadedServer{lines: lines, quest: map[string]string{}, steps: map[string]string{}, workspace: "shared"}
	c.launched = launch(t, nil, "-addr", "127.0.0.1:0", "-data", t.TempDir(), "-agent", "simulated", "-scenario", file,
		"-slots", strconv.Itoa(agents+spare), "-grace", "1s")
	c.repo = apiRepo(t)
	for begun := 0; begun < agents; begun += 10 {
		var steps []string
		for i := range min(10, agents-begun) {
			steps = append(steps, fmt.Sprintf("s%d", i))
		}
		c.plan(steps...)
	}
	poll(t, 2*time.Minute, func() bool { return c.live() == agents }, func() string { return "agents that all live\n" + c.said.String() })
	return c
}

// talking writes a scenario whose agents print so many lines and then stay.
func talking(t *testing.T, lines int, every time.Duration) (file string) {
	t.Helper()
	file = t.TempDir() + "/scenario.yaml"
	write(t, file, fmt.Sprintf(`- role: codeweaver
  step: signal
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: done}}
- role: codeweaver
  do:
    - talk: {text: %s, lines: %d, every: %s}
    - hang: true
`, word, lines, every))
	return file
}

// plan begins a quest of these steps, which do not depend on each other.
func (c *loadedServer) plan(steps ...string) string {
	c.t.Helper()
	var list []string
	for _, id := range steps {
		list = append(list, fmt.Sprintf(`{"id":%q,"title":"Talk","description":"x","files":["%s.txt"],"dependsOn":[],"observables":["o1"]}`, id, id))
	}
	return c.begin(c.repo, fmt.Sprintf(`,"workspace":"%s","slots":10,"approve":[],"plan":{"requirements":[{"id":"r1","context":"c",`+
		`"observables":[{"id":"o1","text":"o"}]}],"steps":[%s]}`, c.workspace, strings.Join(list, ",")))
}

// live counts the runs that have a process.
func (c *loadedServer) live() int {
	c.runs = nil
	for _, q := range objects(c.get("/quests").want(200)["quests"]) {
		id := q["id"].(string)
		for _, r := range objects(c.get("/quests/" + id).want(200)["runs"]) {
			if run := r["id"].(string); r["role"] == "codeweaver" && r["startedAt"] != nil && r["state"] != "ended" {
				c.runs, c.quest[run], c.steps[run] = append(c.runs, run), id, r["step"].(string)
			}
		}
	}
	slices.Sort(c.runs)
	return len(c.runs)
}

// tabs opens n viewers. Every fourth one watches a board, and the others follow a run.
// A session has at most 50 of them.
func (c *loadedServer) tabs(n int, reading bool) []*tab {
	c.t.Helper()
	var all []*tab
	var session browser
	for i := range n {
		if i%50 == 0 {
			session = c.session()
		}
		run := c.runs[i%len(c.runs)]
		topics := []string{"nav", "board/" + c.quest[run]}
		if i%4 < 3 {
			topics = []string{"nav", "step/" + c.quest[run] + "/" + c.steps[run], "log:" + run}
		}
		v := session.dial(c.t, topics...)
		if all = append(all, v); reading {
			go v.read() // ends with the socket
		}
	}
	return all
}

// cost is the processor time and memory used so far.
type cost struct {
	at          time.Time
	server, all time.Duration // by the server; by it, its agents and this test
	machine     time.Duration // by everything on this machine
	rss, most   int           // memory of the server, in MiB: now, and the most so far
}

// used reads the cost from Linux.
func (c *loadedServer) used() cost {
	c.t.Helper()
	pid := c.cmd.Process.Pid
	u := cost{at: time.Now(), server: cpuOf(pid)}
	u.all = u.server + cpuOf(os.Getpid())
	for _, child := range descendants(c.t, pid) {
		u.all += cpuOf(child)
	}
	u.machine = machineUsed()
	status := read(c.t, fmt.Sprintf("/proc/%d/status", pid))
	for name, to := range map[string]*int{"VmRSS:": &u.rss, "VmHWM:": &u.most} {
		if _, rest, found := strings.Cut(status, name); found {
			kib, _ := strconv.Atoi(strings.Fields(rest)[0])
			*to = kib >> 10
		}
	}
	return u
}

// machineUsed returns how long the cores of this machine have worked since its start,
// including time that a host took from it; 0 on other systems than Linux.
func machineUsed() (sum time.Duration) {
	stat, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(stat), "\n")
	for i, field := range strings.Fields(strings.TrimPrefix(line, "cpu")) {
		if ticks, _ := strconv.Atoi(field); i != 3 && i != 4 && i < 8 { // not idle, not waiting for the disk
			sum += time.Duration(ticks) * tick
		}
	}
	return sum
}

// tick is the unit in which Linux counts processor time.
const tick = time.Second / 100

// cpuOf returns the processor time of a process; 0 once it has ended.
func cpuOf(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name may contain blanks
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}

// since returns how many cores the server has used since before, and how many all
// processes have used that have nothing to do with it.
func (u cost) since(before cost) (server, others float64) {
	took := u.at.Sub(before.at).Seconds()
	return (u.server - before.server).Seconds() / took, (u.machine - before.machine - u.all + before.all).Seconds() / took
}

// sight sums up what viewers of logs saw.
type sight struct {
	lates         []time.Duration
	lost, doubled int
	waiting       int // viewers without any line so far
	behind        int // viewers without all lines so far
	ended         int // sockets that were closed
	shed          int // of these, with 1013
}

func look(tabs []*tab, lines int) sight {
	var s sight
	for _, v := range tabs {
		v.mu.Lock()
		if v.end != nil {
			s.ended++
		}
		if websocket.IsCloseError(v.end, websocket.CloseTryAgainLater) {
			s.shed++
		}
		if v.log != "" {
			s.lates = append(s.lates, v.lates...)
			s.lost, s.doubled = s.lost+len(v.left), s.doubled+v.doubled
			if v.last == 0 {
				s.waiting++
			}
			if v.last < lines {
				s.behind++
			}
		}
		v.mu.Unlock()
	}
	slices.Sort(s.lates)
	return s
}

// fetch requests the lines that were left out because a viewer was far behind, as a
// page does.
func (c *loadedServer) fetch(tabs []*tab) {
	c.t.Helper()
	for _, v := range tabs {
		for from := 0; len(v.left) > 0; {
			lines, _ := c.get(fmt.Sprintf("/runs/%s/output?from=%d&n=500", v.log, from)).want(200)["lines"].([]any)
			if from += len(lines); len(lines) == 0 {
				break
			}
			for _, line := range lines {
				if _, rest, found := strings.Cut(fmt.Sprint(line), word+" "); found {
					number, _ := leadingNumber([]byte(rest))
					delete(v.left, number)
				}
			}
		}
	}
}

// at returns the latency that this share of the lines does not exceed.
func (s sight) at(share float64) time.Duration {
	if len(s.lates) == 0 {
		return 0
	}
	return s.lates[int(share*float64(len(s.lates)-1))]
}

// metric returns one of the server's own figures, by its name and labels.
func (c *loadedServer) metric(name string) float64 {
	c.t.Helper()
	w := c.send("GET", "/metrics", "")
	_, rest, found := strings.Cut(w.text, "\n"+name+" ")
	if !found {
		c.t.Fatalf("there is no metric %s in\n%s", name, w.text)
	}
	value, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}
