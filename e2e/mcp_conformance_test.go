package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"questboard/e2e/e2etest"
)

// tokenProxy stands in front of the running server and adds the token of a run at /mcp,
// because the official tools cannot send it. It passes on everything else unchanged,
// above all Host and Origin, which the server's gate checks. The server is told the
// proxy's address as its public one.
type tokenProxy struct {
	*httptest.Server
	mu              sync.Mutex
	token, backend  string
	refused, passed int // at the gate, of the requests with a Host that is not ours
}

func newTokenProxy(t *testing.T) *tokenProxy {
	t.Helper()
	p := &tokenProxy{}
	p.Server = httptest.NewServer(e2etest.FullDuplex(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			p.mu.Lock()
			defer p.mu.Unlock()
			to, err := url.Parse(p.backend)
			if err != nil {
				t.Error(err)
			}
			r.SetURL(to)
			r.Out.Host = r.In.Host
			if r.In.URL.Path == "/mcp" {
				r.Out.Header.Set("Authorization", "Bearer "+p.token)
			}
		},
		ModifyResponse: func(r *http.Response) error {
			p.mu.Lock()
			defer p.mu.Unlock()
			switch {
			case r.Request.Host == p.Listener.Addr().String():
			case r.StatusCode == http.StatusForbidden && r.ContentLength == 0:
				p.refused++ // by the gate, because the endpoint behind it would give a reason
			default:
				p.passed++
			}
			return nil
		},
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *tokenProxy) set(backend, token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.backend, p.token = backend, token
}

// listens returns the server's own address. The first line of its output has the public
// one.
func listens(t *testing.T, s *launched) string {
	t.Helper()
	address := regexp.MustCompile(`msg=serving addr=(\S+)`)
	var found []string
	poll(t, 10*time.Second, func() bool { found = address.FindStringSubmatch(s.said.String()); return found != nil },
		func() string { return "the server's address\n" + s.said.String() })
	return found[1]
}

// The official suite and the MCP inspector act as an agent at work. They call the built
// server with everything that stands in front of its endpoint.
func TestTheServerPassesTheOfficialMCPConformanceScenarios(t *testing.T) {
	t.Parallel()
	tools := installConformance(t)
	proxy := newTokenProxy(t)
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, file, workers)
	data := t.TempDir()
	s := launch(t, nil, "-addr", "127.0.0.1:0", "-data", data, "-agent", "simulated", "-scenario", file,
		"-grace", "1s", "-public-url", proxy.URL)
	proxy.set("http://"+listens(t, s), "")
	quest := s.begin(apiRepo(t), `,"plan":{"steps":[{"id":"part","title":"Part"}]}`)
	run := s.running(quest, 1)
	proxy.set("http://"+listens(t, s), runToken(t, data, run))

	endpoint := proxy.URL + "/mcp"
	// The scenarios that a server without fixture tools can pass. They run one after
	// the other: parallel ones would wait for their turn among all tests, and the agent
	// would be silent for too long.
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "dns-rebinding-protection", "server-sse-polling", "server-sse-multiple-streams"} {
		t.Run(scenario, func(t *testing.T) {
			// These two say what a server with sessions would do; ours has none.
			informs := strings.HasPrefix(scenario, "server-sse-")
			results := t.TempDir()
			out := tools.run(t, "conformance", "server", "--url", endpoint, "--scenario", scenario, "-o", results)
			passed, warned, failed := verdict(t, results)
			if failed > 0 || !informs && (passed == 0 || warned > 0) {
				t.Errorf("%d passed, %d warned, %d failed\n%s", passed, warned, failed, out)
			}
		})
	}
	proxy.mu.Lock()
	if proxy.refused == 0 || proxy.passed > 0 {
		t.Errorf("with a foreign Host %d requests were refused at the gate and %d passed it", proxy.refused, proxy.passed)
	}
	proxy.mu.Unlock()

	out := tools.run(t, "mcp-inspector", "--cli", endpoint, "--transport", "http", "--method", "tools/list")
	for _, name := range []string{"signal-back", "get-quest", "set-size", "set-requirements", "plan-steps"} {
		if !strings.Contains(out, `"`+name+`"`) {
			t.Errorf("the inspector does not list %s\n%s", name, out)
		}
	}
	out = tools.run(t, "mcp-inspector", "--cli", endpoint, "--transport", "http", "--method", "tools/call", "--tool-name", "signal-back",
		"--tool-arg", "signal=complete", "--tool-arg", "stepId=part", "--tool-arg", "summary=by the inspector")
	if !strings.Contains(out, "Stored.") {
		t.Errorf("the inspector's call was not stored:\n%s", out)
	}
	q := s.untilStatus(quest, "complete")
	if signal, _ := named(q["runs"], run)["signal"].(object); signal["summary"] != "by the inspector" {
		t.Errorf("the run's signal is %v", signal)
	}
}
