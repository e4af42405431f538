package e2e_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/e2e/e2etest"
)

// prober asks the server for files that it must not return.
type prober struct {
	*apiServer
	outside
	pid     int
	all     bool // try every name on every route (`make soak`)
	turn    int
	asked   int
	slowest time.Duration
}

// answerTime is the longest time for an answer, and memoryGrowth the most that the
// server's memory may grow by all requests.
const (
	answerTime   = 2 * time.Second
	memoryGrowth = 96 << 20
)

// probe makes one request; body "" is none. It returns the status.
func (p *prober) probe(a address, kind, body string) int {
	p.t.Helper()
	r := &http.Request{Method: a.method, URL: &url.URL{Scheme: "http", Host: strings.TrimPrefix(p.base, "http://"), Opaque: a.path},
		Header: http.Header{"Authorization": {"Bearer " + apiToken}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if a.method == http.MethodGet || body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	begun := time.Now()
	w, err := probing.Do(r)
	if isCutOff(a, err) {
		p.asked++
		return http.StatusRequestHeaderFieldsTooLarge
	}
	if err != nil {
		p.t.Errorf("%s %.200s %.200s: %v", a.method, a.path, body, err)
		return 0
	}
	defer w.Body.Close()
	text, err := io.ReadAll(io.LimitReader(w.Body, 64<<20))
	took := time.Since(begun)
	p.asked++
	p.slowest = max(p.slowest, took)
	switch {
	case isCutOff(a, err): // while the answer was read
	case err != nil || len(text) == 64<<20:
		p.t.Errorf("%s %.200s %.200s: %d bytes, %v", a.method, a.path, body, len(text), err)
	case w.StatusCode >= 500:
		p.t.Errorf("%s %.200s %.300s: %d %.300s", a.method, a.path, body, w.StatusCode, text)
	case took > e2etest.Room(answerTime):
		p.t.Errorf("%s %.200s %.200s took %v", a.method, a.path, body, took)
	}
	for _, c := range p.canaries {
		if bytes.Contains(text, []byte(c)) {
			p.t.Errorf("%s %.200s %.200s: the answer holds %q", a.method, a.path, body, c)
		}
	}
	return w.StatusCode
}

// isCutOff reports whether the error is expected: the server does not read all of a
// request whose headers are longer than 64 KiB, and then its answer may be lost. Linux
// calls that EPIPE if the server's end of the stream came first (tcp_reset).
func isCutOff(a address, err error) bool {
	return len(a.path) > 64<<10 && (errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE))
}

var probing = &http.Client{Timeout: 4 * e2etest.Room(answerTime), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// lookAtPaths are the routes that accept a name of a file or a folder. Each is tried
// with a third of all names. Every other route is tried with a few, different from
// those of the route before.
var lookAtPaths = []string{"/static/:name", "/settings/trust", "/settings/repositories", "/quests", "/quests/new", "/quests/new/repository", "/api/v1/quests", "/api/v1/repository-file"}

// passes reports whether the prober leaves out the next name for this route.
func (p *prober) passes(route address) bool {
	p.turn++
	every := 19
	if slices.Contains(lookAtPaths, route.path) {
		every = 3
	}
	return !p.all && p.turn%every > 0
}

// memory returns the most memory that the server has used.
func (p *prober) memory() int {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		return 0 // not on Linux
	}
	var kb int
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "VmHWM: %d kB", &kb)
	}
	return kb << 10
}

// docs/hardening.md#web, T1.6: on no route can a name, however it is written, make the
// server read a file outside of the allowed folder, wait without an end, or crash.
func TestNoNameLeadsOutOfItsPlace(t *testing.T) {
	t.Parallel()
	s, pid, _ := startWith(t, append(os.Environ(), "QUESTBOARD_TOKEN="+apiToken, "DISPLAY="), workers)
	p := &prober{apiServer: s, outside: newOutside(t), pid: pid, all: os.Getenv("QUESTBOARD_PROBES") == "all"}
	quest := s.begin(p.repo, `,"plan":{"steps":[{"id":"one","title":"One"}]}`)
	run := s.running(quest, 1)
	token := s.post("/quests/"+quest+"/shares", `{"expiresIn":"1d","include":["output"]}`).want(http.StatusCreated)["url"].(string)
	real := map[string]string{"quest": quest, "step": "one", "run": run, "gate": "plan", "question": quest + "-q1", "share": "none", "line": "1",
		"token": token[strings.LastIndexByte(token, '/')+1:], "name": "app.js"}
	before, memory := s.get("/quests/"+quest).want(http.StatusOK), p.memory()

	hostile := p.paths(s.data)
	if _, err := exec.Command("git", "-C", fmt.Sprintf("/proc/%d/cwd", pid), "rev-parse").CombinedOutput(); err == nil {
		t.Fatal("the server stands in a repository, and would begin quests there")
	}
	names := segments(hostile)
	for _, route := range productRoutes(t) {
		p.inPath(route, names, real)
		p.inFields(route, hostile, real)
	}
	if n := p.memory() - memory; n > memoryGrowth {
		t.Errorf("the server grew by %d MiB", n>>20)
	}
	after := s.get("/quests/" + quest).want(http.StatusOK)
	for _, field := range []string{"title", "repo", "ward", "branch", "workspace"} {
		if after[field] != before[field] {
			t.Errorf("%s was %v and is %v", field, before[field], after[field])
		}
	}
	if n := len(objects(s.get("/quests").want(http.StatusOK)["quests"])); n != 1 {
		t.Errorf("there are %d quests", n)
	}
	if entries, err := os.ReadDir(p.dir); err != nil || len(entries) != 1 {
		t.Errorf("outside there is now %v, %v", entries, err)
	}
	if p.asked < 500 {
		t.Errorf("only %d probes", p.asked)
	}
	t.Logf("%d probes on %d routes, the slowest answer took %v, the server grew by %d MiB", p.asked, len(productRoutes(t)), p.slowest, (p.memory()-memory)>>20)
}

// inPath puts hostile names into each part of the address. None of them may be found.
func (p *prober) inPath(route address, names []string, real map[string]string) {
	p.t.Helper()
	for _, param := range route.params() {
		for _, name := range names {
			if p.passes(route) {
				continue
			}
			values := maps.Clone(real)
			values[param] = name
			if status := p.probe(route.with(values), "", ""); status >= 200 && status < 300 {
				p.t.Errorf("%s %s with %s %.200q: %d", route.method, route.path, param, name, status)
			}
		}
	}
}
