package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// pathFields are the fields that may contain a path, a branch or a file name. Pages and
// forms ignore fields that are not theirs.
var pathFields = []string{"repo", "path", "file", "base", "ref", "branch", "links", "copies", "on", "page", "view", "from", "n", "run", "next", "quest", "editor", "comment-file"}

// bodies are the requests of the API that have such a field; %s is the path.
var bodies = map[string][]string{
	"POST /api/v1/quests":                      {`{"request":"x","repo":%s}`, `{"request":"x","repo":REPO,"base":%s}`, `{"request":"x","repo":REPO,"plan":{"steps":[{"id":"one","title":"x","files":[%s]}]},"base":"-"}`, `{"request":"x","repo":%s,"workspace":"shared"}`},
	"PATCH /api/v1/settings":                   {`{"repos":[{"path":REPO,"links":[%s]}]}`, `{"repos":[{"path":REPO,"copies":[%s]}]}`},
	"POST /api/v1/quests/:quest/kept/restore":  {`{"ref":%s,"branch":"x"}`, `{"ref":"refs/heads/main","branch":%s}`},
	"POST /api/v1/quests/:quest/comments":      {`{"comments":[{"file":%s,"line":1,"text":""}]}`},
	"POST /api/v1/quests/:quest/deliver":       {`{"how":%s}`},
	"PATCH /api/v1/quests/:quest/steps/:step":  {`{"files":[%s]}`},
	"POST /api/v1/questions/:question/answer":  {`{"answer":%s}`},
	"POST /api/v1/quests/:quest/gates/:gate":   {`{"approve":false,"feedback":%s}`},
	"PATCH /api/v1/quests/:quest":              {`{"repo":%s}`},
	"PUT /api/v1/slots":                        {`{"path":%s}`},
	"POST /api/v1/quests/:quest/shares":        {`{"expiresIn":%s}`},
	"POST /api/v1/quests/:quest/delivery":      {`{"branch":%s}`},
	"POST /api/v1/quests/:quest/steps/resplit": {`{"reason":%s}`},
}

// harmful are the routes that would disturb the test if they were called with real names.
var harmful = []string{"POST /quests/:quest/abandon", "POST /quests/:quest/pause", "POST /runs/:run/stop", "POST /runs/:run/message", "POST /quests/:quest/steps/:step/skip",
	"POST /quests/:quest/steps/:step/retry", "POST /quests/:quest/steps/:step/take-over", "POST /quests/:quest/steps/:step/mark-done",
	"POST /quests/:quest/follow-up", "POST /quests/:quest/change", "POST /logout", "POST /shares/:share/revoke", "POST /quests/:quest/shares", "DELETE /api/v1/quests/:quest"}

// inFields puts hostile paths into the query or the body of a route. The names in the
// route are real.
func (p *prober) inFields(route address, paths []string, real map[string]string) {
	p.t.Helper()
	name := route.method + " " + route.path
	at := route.with(real)
	for _, h := range harmful {
		if h == name {
			return
		}
	}
	switch {
	case strings.HasSuffix(route.path, "/ws") || route.path == "/mcp":
	case strings.HasPrefix(route.path, "/api/") && route.method != http.MethodGet:
		for _, body := range bodies[name] {
			for _, path := range paths {
				if p.passes(route) {
					continue
				}
				p.probe(at, "application/json", fmt.Sprintf(strings.ReplaceAll(body, "REPO", strconv.Quote(p.repo)), jsonOf(path)))
			}
		}
	default:
		for _, path := range paths {
			if p.passes(route) {
				continue
			}
			fields := url.Values{}
			for _, field := range pathFields {
				fields.Set(field, path)
			}
			if route.method == http.MethodGet || route.method == http.MethodHead {
				p.probe(address{route.method, at.path + "?" + fields.Encode()}, "", "")
				delete(fields, "page") // a wrong page is refused before the other fields are read
				delete(fields, "from")
				delete(fields, "n")
				delete(fields, "quest")
				p.probe(address{route.method, at.path + "?" + fields.Encode()}, "", "")
				continue
			}
			fields.Set("request", "x")
			fields.Del("quest")
			fields.Del("page")
			p.probe(at, "application/x-www-form-urlencoded", fields.Encode())
		}
	}
}

func jsonOf(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}
