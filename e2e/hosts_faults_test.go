package e2e_test

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// holdingScenario is a step whose agent works until the file GO exists.
const holdingScenario = `
- role: codeweaver
  do:
    - say: I work here.
    - run: echo $QUESTBOARD_RUN_ID >> RUNS; until test -e GO; do sleep 0.05; done; echo made > made.txt
    - tool: {name: signal-back, input: {signal: complete, summary: made}}
- role: siegemaster
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: tested}}
- role: lawbringer
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: reviewed}}
`

const oneStep = `,"approve":[],"ward":"test -e made.txt || ! test -e GO","plan":{"steps":[{"id":"one","title":"One","files":["a"]}]}`

// held is a quest on a host whose agent works until it may end.
type held struct {
	*launched
	t                   *testing.T
	data, addr, file    string
	repo, quest, ledger string
	goes                string
	args                []string
	first               string // the run that is at work
}

// holdOnHost begins such a quest. In a test the lease is short.
func holdOnHost(t *testing.T, flags ...string) (*held, *workerProcess) {
	t.Helper()
	h := &held{t: t, data: t.TempDir(), addr: freeAddress(t), repo: apiRepo(t), ledger: filepath.Join(t.TempDir(), "runs.log"), goes: filepath.Join(t.TempDir(), "go")}
	h.file = filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, h.file, strings.NewReplacer("RUNS", h.ledger, "GO", h.goes).Replace(holdingScenario))
	h.args = append([]string{"-data", h.data, "-addr", h.addr, "-agent", "simulated", "-scenario", h.file, "-grace", "1s", "-crash-backoff", "0s", "-away"}, flags...)
	h.launched = launch(t, nil, h.args...)
	h.base = "http://" + h.addr // also if the server tells people another address
	w := h.startHost(t, "forge", h.repo, h.file)
	h.quest = h.begin(h.repo, strings.ReplaceAll(oneStep, "GO", h.goes))
	h.first = h.atWork()
	return h, w
}

// freeAddress returns an address at which nobody listens now.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// atWork waits for an agent that is at work and whose session is known, so that it can be resumed.
// It returns the run.
func (h *held) atWork() (run string) {
	h.t.Helper()
	h.until(h.quest, "an agent is at work", func(q object) bool {
		for _, r := range ofStep(q, "codeweaver", "one") {
			if r["state"] == "running" && r["sessionOpened"] == true && strings.Contains(h.began(), r["id"].(string)) {
				run = r["id"].(string)
			}
		}
		return run != ""
	})
	return run
}

// began returns what the agents have left in the file outside of all trees.
func (h *held) began() string {
	text, _ := os.ReadFile(h.ledger)
	return string(text)
}

func (h *held) finish() object {
	h.t.Helper()
	write(h.t, h.goes, "")
	q := h.untilStatus(h.quest, "complete")
	if made := onBranch(h.t, h.repo, h.quest, "made.txt"); made != "made\n" {
		h.t.Errorf("the branch has %q", made)
	}
	return q
}

func TestAWorkerThatDiesLosesNothing(t *testing.T) {
	t.Parallel()
	h, w := holdOnHost(t)
	w.signal(syscall.SIGKILL)
	_ = w.cmd.Wait()
	h.untilHost("forge", false)
	w.start()
	second := h.atWorkAgain()
	q := h.finish()
	runs := ofStep(q, "codeweaver", "one")
	if len(runs) != 2 || runs[0]["outcome"] != "interrupted" || runs[1]["id"] != second || runs[1]["resumedFrom"] != h.first {
		t.Errorf("codeweaver's runs: %s", jsonText(runs))
	}
	if left := alive(t, h.quest); len(left) > 0 {
		t.Errorf("processes of %v live", left)
	}
}

// atWorkAgain waits for another run than the first.
func (h *held) atWorkAgain() (run string) {
	h.t.Helper()
	h.until(h.quest, "another run is at work", func(object) bool { run = h.atWork(); return run != h.first })
	return run
}

func TestAgentsOnAHostWorkOnWhileTheServerIsReplaced(t *testing.T) {
	t.Parallel()
	h, w := holdOnHost(t)
	h.signal(syscall.SIGKILL)
	_ = h.cmd.Wait()
	h.launched = launch(t, nil, h.args...)
	h.untilHost("forge", true)
	q := h.finish()
	if runs := ofStep(q, "codeweaver", "one"); len(runs) != 1 || runs[0]["signal"] == nil {
		t.Errorf("codeweaver's runs: %s\n%s", jsonText(runs), w.said.String())
	}
	if out := h.get("/runs/" + h.first + "/output").text; strings.Count(out, "I work here.") != 1 {
		t.Errorf("the output is %s", out)
	}
}

// A worker that hangs for longer than its lease, and goes on: its run is over for the server,
// and it ends its agents.
func TestAWorkerThatHangsForTooLongEndsItsAgents(t *testing.T) {
	t.Parallel()
	h, w := holdOnHost(t, "-lease", "4s")
	w.signal(syscall.SIGSTOP)
	t.Cleanup(func() { _ = w.cmd.Process.Signal(syscall.SIGCONT) })
	h.until(h.quest, "the run is given up", func(q object) bool {
		return named(q["runs"], h.first)["outcome"] == "interrupted"
	})
	if live := alive(t, h.quest); !slices.Contains(live, h.first) {
		t.Fatalf("the agent of the worker that hangs has ended by itself: %v", live)
	}
	w.signal(syscall.SIGCONT)
	second := h.atWorkAgain()
	if live := alive(t, h.quest); slices.Contains(live, h.first) {
		t.Errorf("the first agent works beside the second: %v", live)
	}
	q := h.finish()
	if runs := ofStep(q, "codeweaver", "one"); len(runs) != 2 || runs[1]["id"] != second || runs[0]["signal"] != nil {
		t.Errorf("codeweaver's runs: %s", jsonText(runs))
	}
}

// A host that cannot reach its server ends its agents before the server gives them up, and
// goes on with them as soon as it can.
func TestAHostThatIsCutOffEndsItsAgentsInTime(t *testing.T) {
	t.Parallel()
	h, w := holdOnHost(t, "-lease", "6s")
	p := newCut(t, h.addr)
	w.signal(syscall.SIGTERM) // it comes back over a way that can be cut
	_ = w.cmd.Wait()
	w.args[slices.Index(w.args, "-server")+1] = "http://" + p.addr
	w.start()
	h.first = h.atWorkAgain()
	p.cut(true)
	poll(t, time.Minute, func() bool { return !slices.Contains(alive(t, h.quest), h.first) }, func() string { return "the end of an agent that is cut off" })
	if r := named(h.get("/quests/" + h.quest).want(200)["runs"], h.first); r["state"] == "ended" {
		t.Log("the server has given the run up by now; on a busy machine that can be")
	}
	p.cut(false)
	h.atWorkAgain()
	h.finish()
}

// A short cut ends nothing.
func TestAShortCutOfTheNetworkChangesNothing(t *testing.T) {
	t.Parallel()
	h, w := holdOnHost(t, "-lease", "1m")
	p := newCut(t, h.addr)
	w.signal(syscall.SIGTERM)
	_ = w.cmd.Wait()
	w.args[slices.Index(w.args, "-server")+1] = "http://" + p.addr
	w.start()
	h.first = h.atWorkAgain()
	for range 3 {
		p.cut(true)
		h.untilHost("forge", false)
		p.cut(false)
		h.untilHost("forge", true)
	}
	q := h.finish()
	if r := named(q["runs"], h.first); r["signal"] == nil || len(ofStep(q, "codeweaver", "one")) != 2 {
		t.Errorf("codeweaver's runs: %s", jsonText(ofStep(q, "codeweaver", "one")))
	}
	if out := h.get("/runs/" + h.first + "/output").text; strings.Count(out, "I work here.") != 1 {
		t.Errorf("the output is %s", out)
	}
}

func TestAQuestLeavesAHostThatIsDrained(t *testing.T) {
	t.Parallel()
	h, _ := holdOnHost(t)
	other := h.startHost(t, "smith", h.repo, h.file)
	h.post("/hosts/forge/drain", `{"drained":true}`).want(200)
	if r := named(h.get("/quests/" + h.quest).want(200)["runs"], h.first); r["state"] != "running" {
		t.Errorf("a drained host has ended %s", jsonText(r))
	}
	h.post("/runs/"+h.first+"/stop", "").want(200) // so that nothing of it is at work
	h.until(h.quest, "it works on the other host", func(q object) bool { return q["host"] == "smith" })
	h.post("/quests/"+h.quest+"/steps/one/retry", "{}")
	h.first = ""
	h.atWork()
	q := h.finish()
	if q["host"] != "smith" {
		t.Errorf("it ended on %v\n%s", q["host"], other.said.String())
	}
	if events := h.get("/quests/" + h.quest + "/events?limit=500").text; !strings.Contains(events, "quest.moved") || !strings.Contains(events, "the host forge is drained") {
		t.Errorf("the history does not say why: %s", events)
	}
}

// What an agent had done when its quest was abandoned is kept, as on the server's own machine.
func TestAnAbandonedQuestOnAHostKeepsItsWork(t *testing.T) {
	t.Parallel()
	h, w := holdOnHost(t)
	write(t, filepath.Join(w.data, "worktrees", h.quest, "one", "half.txt"), "half\n")
	h.post("/quests/"+h.quest+"/abandon", "{}").want(200)
	poll(t, time.Minute, func() bool { return strings.Contains(h.get("/quests/"+h.quest+"/kept").text, `"line":"one"`) },
		func() string { return "kept work: " + h.get("/quests/"+h.quest+"/kept").text })
	poll(t, time.Minute, func() bool { _, err := os.Stat(filepath.Join(w.data, "git", h.quest)); return os.IsNotExist(err) },
		func() string { return "a host that keeps nothing of a quest that is over" })
}

func TestAWorkerIsToldWhyItIsNotTaken(t *testing.T) {
	t.Parallel()
	s, repo, file, _ := hostServer(t, hostScenario)
	s.post("/hosts", `{"name":"Not a name"}`).refused(422)
	key := s.post("/hosts", `{"name":"forge"}`).want(201)["key"].(string)
	s.post("/hosts", `{"name":"forge"}`).refused(422)
	work := func(key string, more ...string) *exec.Cmd {
		return serverCommand(t, nil, append([]string{"worker", "-server", s.base, "-key", key, "-data", t.TempDir(), "-scenario", file}, more...)...)
	}
	for name, c := range map[string]struct {
		cmd  *exec.Cmd
		code int
		says string
	}{
		"no repository":     {work(key), 2, "-repo: it is missing"},
		"no checkout":       {work(key, "-repo", t.TempDir()), 2, "is no checkout"},
		"no key":            {work("", "-repo", repo), 2, "-key: it is missing or not whole"},
		"another key":       {work("forge.other", "-repo", repo), 1, "the server does not know this key"},
		"an address alone":  {work(key, "-repo", repo, "-server", "forge"), 2, "-server:"},
		"a label of spaces": {work(key, "-repo", repo, "-labels", "two words"), 2, "-labels:"},
	} {
		out, _ := c.cmd.CombinedOutput()
		if code := c.cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: exit code %d, %s", name, code, out)
		}
	}
	w := &workerProcess{t: t, name: "forge", said: &lockedBuffer{}, args: []string{"worker", "-server", s.base, "-key", key, "-repo", repo, "-data", t.TempDir(), "-scenario", file}}
	w.start()
	s.untilHost("forge", true)
	twin := work(key, "-repo", repo)
	said := &lockedBuffer{}
	twin.Stderr = said
	if err := twin.Start(); err != nil {
		t.Fatal(err)
	}
	poll(t, time.Minute, func() bool { return strings.Contains(said.String(), "a worker named forge is connected already") }, said.String)
	_ = twin.Process.Kill()
	_ = twin.Wait()
	s.send("DELETE", "/api/v1/hosts/forge", "")
	if err := w.cmd.Wait(); err == nil || !strings.Contains(w.said.String(), "the server does not know this key") {
		t.Errorf("a worker whose key was revoked: %v\n%s", err, w.said.String())
	}
}

// cutter is a way to a server that a test can cut: nothing passes, and nobody is told.
type cutter struct {
	addr string
	mu   sync.Mutex
	to   string
	is   bool
	open []net.Conn
}

func newCut(t *testing.T, to string) *cutter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &cutter{addr: l.Addr().String(), to: to}
	t.Cleanup(func() { _ = l.Close(); p.cut(true) })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			p.mu.Lock()
			is, to := p.is, p.to
			p.mu.Unlock()
			out, err := net.Dial("tcp", to)
			if err != nil || is {
				_ = in.Close()
				continue
			}
			p.mu.Lock()
			p.open = append(p.open, in, out)
			p.mu.Unlock()
			go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
			go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
		}
	}()
	return p
}

// leads makes new connections lead to another server.
func (p *cutter) leads(to string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = to
}

func (p *cutter) cut(is bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.is = is
	if is {
		for _, c := range p.open {
			_ = c.Close()
		}
		p.open = nil
	}
}
