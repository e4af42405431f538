package e2e_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// address is a method and a path that the server answers.
type address struct{ method, path string }

// addresses returns those of the OpenAPI document, and the other pages and endpoints,
// with the ids of an existing quest.
func (s *apiServer) addresses(quest, run string) (api, pages, others []address) {
	s.t.Helper()
	names := strings.NewReplacer("{quest}", quest, "{run}", run, "{step}", "one", "{gate}", "plan", "{question}", "none", "{share}", "none")
	paths := s.get("/openapi.json").want(http.StatusOK)["paths"].(object)
	for path, item := range paths {
		for method := range item.(object) {
			if method = strings.ToUpper(method); !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, method) {
				continue
			}
			api = append(api, address{method, "/api/v1" + names.Replace(path)})
		}
	}
	if len(api) < 20 {
		s.t.Fatalf("the document names %d routes", len(api))
	}
	board := "/quests/" + quest
	for _, path := range []string{"/", "/quests", "/quests/new", board, board + "/steps/one", board + "/gates/plan",
		"/questions", "/settings", "/settings/trust", "/audit", board + "/shares", board + "/delivery", board + "/diff", "/confirm", "/runs/" + run + "/output", "/runs/" + run + "/output.txt", "/runs/" + run + "/lines/1", "/nothing"} {
		pages = append(pages, address{"GET", path})
	}
	for _, path := range []string{"/quests", board + "/pause", board + "/resume", board + "/abandon", board + "/steps/one/retry",
		board + "/steps/one/skip", board + "/gates/plan/approve", board + "/gates/plan/changes", "/questions/none/answer",
		"/runs/" + run + "/stop", "/runs/" + run + "/message", "/settings/trust", "/settings/editor", board + "/shares", board + "/delivery", board + "/comments", "/confirm", "/logout"} {
		pages = append(pages, address{"POST", path})
	}
	others = []address{{"GET", "/ws"}, {"POST", "/mcp"}, {"GET", "/mcp"}, {"GET", "/login"}, {"POST", "/login"},
		{"GET", "/healthz"}, {"GET", "/readyz"}, {"GET", "/metrics"}, {"GET", "/favicon.ico"}}
	return api, pages, others
}

// knock makes a request as any program might. It follows no redirect.
func (s *apiServer) knock(a address, change func(r *http.Request)) (*http.Response, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), a.method, s.base+a.path, strings.NewReader(""))
	if err != nil {
		s.t.Fatal(err)
	}
	change(r)
	w, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer w.Body.Close()
	body := make([]byte, 64<<10)
	n, _ := w.Body.Read(body)
	return w, string(body[:n])
}

func owner(r *http.Request) { r.Header.Set("Authorization", "Bearer "+apiToken) }

func TestNothingOpensWithoutTheOwnersToken(t *testing.T) {
	t.Parallel()
	s := startAPI(t, workers)
	quest := s.begin(apiRepo(t), `,"plan":{"steps":[{"id":"one","title":"One"}]}`)
	run := s.running(quest, 1)
	api, pages, _ := s.addresses(quest, run)
	before := s.get("/quests/" + quest).want(http.StatusOK)
	for _, a := range api {
		if w, body := s.knock(a, func(*http.Request) {}); w.StatusCode != http.StatusUnauthorized || !strings.Contains(body, `"code":"`) {
			t.Errorf("%s %s: %d %q", a.method, a.path, w.StatusCode, body)
		}
	}
	for _, a := range pages {
		w, body := s.knock(a, func(*http.Request) {})
		toLogin := w.StatusCode == http.StatusSeeOther && strings.HasPrefix(w.Header.Get("Location"), "/login")
		if w.StatusCode != http.StatusUnauthorized && !toLogin || strings.Contains(body, quest) && a.method == "POST" {
			t.Errorf("%s %s: %d %q", a.method, a.path, w.StatusCode, body)
		}
	}
	// Few of these: more than ten a second are refused at once.
	for _, wrong := range []string{apiToken + "x", apiToken[1:], "", runToken(t, s.data, run)} {
		w, _ := s.knock(address{"POST", "/api/v1/quests/" + quest + "/abandon"}, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+wrong) })
		if w.StatusCode != http.StatusUnauthorized {
			t.Errorf("the token %q: %d", wrong, w.StatusCode)
		}
	}
	if after := s.get("/quests/" + quest).want(http.StatusOK); after["version"] != before["version"] || after["status"] != before["status"] {
		t.Errorf("the quest went from version %v to %v, %v", before["version"], after["version"], after["status"])
	}
}

// A request with a foreign host name or origin is refused, even if everything else is
// right.
func TestAForeignHostOrOriginIsRefusedEverywhere(t *testing.T) {
	t.Parallel()
	s := startAPI(t, workers)
	quest := s.begin(apiRepo(t), `,"plan":{"steps":[{"id":"one","title":"One"}]}`)
	run := s.running(quest, 1)
	before := s.get("/quests/" + quest).want(http.StatusOK)
	port := s.base[strings.LastIndexByte(s.base, ':'):]
	api, pages, others := s.addresses(quest, run)
	for _, a := range slices.Concat(api, pages, others) {
		for name, change := range map[string]func(*http.Request){
			"a rebound name":   func(r *http.Request) { r.Host = "evil.example" + port },
			"another port":     func(r *http.Request) { r.Host = "127.0.0.1:1" },
			"a longer name":    func(r *http.Request) { r.Host = "127.0.0.1.evil.example" + port },
			"another origin":   func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
			"a page elsewhere": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		} {
			w, body := s.knock(a, func(r *http.Request) { owner(r); change(r) })
			if w.StatusCode != http.StatusForbidden || body != "" {
				t.Errorf("%s: %s %s: %d %q", name, a.method, a.path, w.StatusCode, body)
			}
		}
	}
	if after := s.get("/quests/" + quest).want(http.StatusOK); after["version"] != before["version"] {
		t.Errorf("the quest went from version %v to %v", before["version"], after["version"])
	}
}

// The login URL of the first line opens the pages to a plain HTTP client, once.
func TestTheLoginURLOpensThePagesOnce(t *testing.T) {
	t.Parallel()
	s := startAPI(t, workers)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	link := s.base + "/login?token=" + apiToken
	w, err := client.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	if w.StatusCode != http.StatusOK || w.Request.URL.Path != "/quests" || strings.Contains(w.Request.URL.String(), apiToken) {
		t.Errorf("the link led to %s, %d", w.Request.URL, w.StatusCode)
	}
	base, err := url.Parse(s.base)
	if err != nil {
		t.Fatal(err)
	}
	cookies := jar.Cookies(base)
	if len(cookies) != 1 {
		t.Fatalf("the cookies are %v", cookies)
	}
	session := func(r *http.Request) { r.AddCookie(cookies[0]) }
	_, key, _ := strings.Cut(w.Request.URL.Fragment, "key=")
	page := func(r *http.Request) { session(r); r.Header.Set("Questboard-Key", key) }
	if w, _ := s.knock(address{"GET", "/quests/new"}, session); w.StatusCode != http.StatusOK {
		t.Errorf("a page with the cookie: %d", w.StatusCode)
	}
	if w, body := s.knock(address{"GET", "/login?token=" + apiToken}, func(*http.Request) {}); w.StatusCode != http.StatusForbidden || !strings.Contains(body, "already been used") {
		t.Errorf("the link a second time: %d", w.StatusCode)
	}

	upgrade := func(r *http.Request) {
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", "websocket")
		r.Header.Set("Sec-Websocket-Version", "13")
		r.Header.Set("Sec-Websocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==")
		r.Header.Set("Origin", s.base)
	}
	for name, c := range map[string]struct {
		status int
		change func(r *http.Request)
	}{
		"the owner's page": {http.StatusSwitchingProtocols, func(r *http.Request) {
			session(r)
			r.Header.Set("Sec-Websocket-Protocol", "questboard, key."+key)
		}},
		"the cookie alone": {http.StatusForbidden, func(r *http.Request) { session(r) }},
		"a stranger":       {http.StatusUnauthorized, func(*http.Request) {}},
		"another site":     {http.StatusForbidden, func(r *http.Request) { session(r); r.Header.Set("Origin", "http://evil.example") }},
		"a rebound name":   {http.StatusForbidden, func(r *http.Request) { session(r); r.Host = "evil.example" }},
	} {
		if w, _ := s.knock(address{"GET", "/ws"}, func(r *http.Request) { upgrade(r); c.change(r) }); w.StatusCode != c.status {
			t.Errorf("the websocket for %s: %d; want %d", name, w.StatusCode, c.status)
		}
	}

	if w, _ := s.knock(address{"POST", "/logout"}, page); w.StatusCode != http.StatusSeeOther {
		t.Errorf("logout: %d", w.StatusCode)
	}
	if w, _ := s.knock(address{"GET", "/quests/new"}, session); w.StatusCode == http.StatusOK {
		t.Error("the cookie opens pages after the logout")
	}
}
