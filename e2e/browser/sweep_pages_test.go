package browser_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
)

// swept says what the sweeps look for on a page: first its heading and the seeded
// content.
type swept struct {
	route, path string
	h1          string
	rows        string // a selector
	least       int    // the least number of rows
	stranger    bool   // for a visitor who is not logged in
	bare        bool   // without a socket
	scripted    bool   // the rows are made by a script; without one there is a link to plain text
}

func (p swept) name() string {
	return strings.Trim(strings.NewReplacer("/", "-", "?", "-", ":", "", "=", "-", "&", "-").Replace(p.route+"-"+p.path[strings.LastIndex(p.path, "/")+1:]), "-")
}

// otherRoutes are the GET routes that are not pages, and what they are.
var otherRoutes = map[string]string{
	"/healthz": "one word", "/readyz": "one word", "/metrics": "figures", "/static/:name": "scripts and styles", "/favicon.ico": "a picture",
	"/": "leads to the quests", "/mcp": "for agents", "/ws": "a socket", "/s/:token/ws": "a socket",
	"/quests/:quest/patch": "a file", "/quests/:quest/cost.csv": "a file", "/quests/:quest/history.csv": "a file", "/quests/:quest/history.json": "a file",
	"/quests/new/folders": "a part of a page", "/quests/new/missing": "a part of a page", "/quests/new/files/:sum": "a file of the form", "/quests/:quest/files/:name": "a file of the request", "/quests/new/trial": "a part of a page", "/quests/new/trial/output.txt": "plain text",
	"/quests/:quest/trial": "leads to the settings of the quest", "/quests/:quest/trial/output.txt": "plain text", "/quests/:quest/request.txt": "plain text", "/quests/:quest/history/news": "a part of a page",
	"/quests/:quest/steps/:step/menu": "leads to the step",
	"/runs/:run/output":               "lines for a script", "/runs/:run/output.txt": "plain text", "/runs/:run/find": "numbers of lines",
	"/s/:token/runs/:run/output": "lines for a script", "/s/:token/runs/:run/output.txt": "plain text",
}

// sweptPages returns the pages of all other routes, with some content on each.
func sweptPages(s *stage, link string) []swept {
	busy, step, run := "/quests/"+s.busy.Quest, "/quests/"+s.busy.Quest+"/steps/form", s.run
	review, done := "/quests/"+s.review.Quest, "/quests/"+s.finished.Quest
	const title = "Add login to billing"
	return []swept{
		{route: "/quests", path: "/quests", h1: "Quests", rows: ".quest-row", least: 4},
		{route: "/quests/new", path: "/quests/new", h1: "New quest", rows: "#new-quest .field", least: 5},
		{route: "/quests/new/repository", path: "/quests/new/repository?repo=/odd", h1: "New quest", rows: "#repository-choices", least: 1},
		{route: "/drafts/:draft", path: "/drafts/draft1", h1: "Quest draft", rows: "#new-quest .field", least: 5},
		{route: "/quests/:quest", path: busy, h1: title, rows: ".card", least: 12},
		{route: "/quests/:quest", path: "/quests/" + s.gated.Quest, h1: "Show the exchange rate", rows: "#alerts a", least: 1},
		{route: "/quests/:quest", path: "/quests/" + s.red.Quest, h1: title, rows: "#alerts .alert", least: 1},
		{route: "/quests/:quest/delivery", path: done + "/delivery", h1: "Ready to be merged", rows: "#deliver input", least: 3},
		{route: "/quests/:quest/delivery", path: "/quests/" + s.delivered.Quest + "/delivery", h1: "Merged", rows: "#delivered", least: 1},
		{route: "/quests/:quest/delivery/changed", path: done + "/delivery/changed", h1: "Ready to be merged", rows: "#changed", least: 1},
		{route: "/quests/:quest/disk", path: done + "/disk", h1: "Ready to be merged", rows: "#disk", least: 1},
		{route: "/quests/:quest/settings", path: busy + "/settings", h1: title, rows: "#quest-settings .field", least: 4},
		{route: "/quests/:quest/kept", path: done + "/kept", h1: "Ready to be merged", rows: "main form", least: 2},
		{route: "/quests/:quest/diff", path: review + "/diff", h1: title, rows: ".diff-file", least: 3},
		{route: "/quests/:quest/graph", path: busy + "/graph", h1: title, rows: "#graph .node", least: 12},
		{route: "/quests/:quest/evidence", path: review + "/evidence", h1: title, rows: "#evidence article", least: 1},
		{route: "/quests/:quest/cost", path: busy + "/cost", h1: title, rows: "#cost-roles tbody tr", least: 3},
		{route: "/quests/:quest/history", path: busy + "/history", h1: title, rows: ".event", least: 20},
		{route: "/quests/:quest/runs", path: busy + "/runs", h1: title, rows: ".gantt a.bar", least: 5},
		{route: "/quests/:quest/shares", path: busy + "/shares", h1: title, rows: "#shares li, #shares tbody tr", least: 1},
		{route: "/quests/:quest/change", path: busy + "/change", h1: title, rows: "#change textarea", least: 1},
		{route: "/quests/:quest/follow-up", path: done + "/follow-up", h1: "Ready to be merged", rows: "#follow-up textarea", least: 1},
		{route: "/quests/:quest/steps/:step", path: step, h1: title, rows: ".card", least: 12},
		{route: "/quests/:quest/steps/:step", path: busy + "/steps/cookie", h1: title, rows: "#step-question textarea", least: 1},
		{route: "/quests/:quest/steps/:step", path: busy + "/steps/limit", h1: title, rows: "#panel form", least: 3},
		{route: "/quests/:quest/steps/:step", path: busy + "/steps/plan", h1: title, rows: "#step-document h3", least: 12},
		{route: "/quests/:quest/steps/:step", path: review + "/steps/form", h1: title, rows: ".outside", least: 1},
		{route: "/quests/:quest/steps/:step/edit", path: busy + "/steps/audit/edit", h1: title, rows: ".choices input", least: 6},
		{route: "/quests/:quest/steps/:step/timeline", path: step + "/timeline", h1: title, rows: "#step-timeline li", least: 1},
		{route: "/quests/:quest/steps/:step/signals", path: busy + "/steps/store/signals", h1: title, rows: "#step-signals dd, #step-signals pre", least: 1},
		{route: "/quests/:quest/steps/:step/sessions", path: step + "/sessions", h1: title, rows: "#step-runs tbody tr", least: 1},
		{route: "/quests/:quest/steps/:step/cost", path: busy + "/steps/store/cost", h1: title, rows: "#step-cost tbody tr", least: 1},
		{route: "/quests/:quest/steps/:step/prompt", path: step + "/prompt", h1: title, rows: "#step-prompt", least: 1},
		{route: "/quests/:quest/steps/:step/raw", path: step + "/raw", h1: title, rows: ".row", least: 5, scripted: true},
		{route: "/quests/:quest/steps/:step/diff", path: review + "/steps/form/diff", h1: title, rows: ".diff-file", least: 3},
		{route: "/quests/:quest/gates/:gate", path: "/quests/" + s.gated.Quest + "/gates/plan", h1: "Show the exchange rate", rows: ".document h3", least: 12},
		{route: "/quests/:quest/gates/:gate", path: "/quests/" + s.gated.Quest + "/gates/requirements", h1: "Show the exchange rate", rows: "main li", least: 3},
		{route: "/slots", path: "/slots", h1: "Slots", rows: ".slot.state-running", least: 3},
		{route: "/slots", path: "/slots?span=24h", h1: "Slots", rows: "#checks-now .slot", least: 1},
		{route: "/today", path: "/today?since=7d", h1: "Today", rows: "#waits > li, #ended > li", least: 4},
		{route: "/questions", path: "/questions", h1: "Needs you", rows: "main textarea, main .alert a, main li a", least: 2},
		{route: "/questions/:question", path: "/questions/" + s.busy.Quest + "-q1", h1: title, rows: "textarea[name=answer]", least: 1},
		{route: "/settings", path: "/settings", h1: "Settings", rows: "main form", least: 3},
		{route: "/settings/disk", path: "/settings/disk", h1: "Settings", rows: "#disk, main dd", least: 1},
		{route: "/settings/browser", path: "/settings/browser", h1: "This browser", rows: "#look input", least: 3},
		{route: "/settings/channels", path: "/settings/channels", h1: "Notifications", rows: "main details", least: 5},
		{route: "/settings/hosts", path: "/settings/hosts", h1: "Hosts", rows: "main form", least: 1},
		{route: "/settings/trust", path: "/settings/trust?repo=%2Frepo", h1: "Trust", rows: "main form", least: 2},
		{route: "/settings/limits", path: "/settings/limits", h1: "Limits", rows: "main .field", least: 8},
		{route: "/settings/roles", path: "/settings/roles", h1: "Roles", rows: "main tbody tr, main li a", least: 6},
		{route: "/settings/roles/:role", path: "/settings/roles/codeweaver", h1: "Codeweaver", rows: "main textarea", least: 1},
		{route: "/doctor", path: "/doctor", h1: "Doctor", rows: "#doctor li, #doctor tbody tr, #doctor dt", least: 2},
		{route: "/audit", path: "/audit", h1: "Audit", rows: "main tbody tr", least: 2},
		{route: "/palette", path: "/palette?q=cookie&quest=" + s.busy.Quest, h1: "Go to", rows: "main li a", least: 1},
		{route: "/login", path: "/login", h1: "Log in", rows: "#token", least: 1, stranger: true, bare: true},
		{route: "/confirm", path: "/confirm?next=/quests", h1: "Enter the owner's token", rows: "#token", least: 1, bare: true},
		{route: "/runs/:run/log", path: "/runs/" + run + "/log", h1: title, rows: ".row", least: 10},
		{route: "/runs/:run/lines/:line", path: "/runs/" + run + "/lines/2", h1: title, rows: "main pre, main .detail", least: 1},
		{route: "/s/:token", path: link, h1: title, rows: ".card", least: 12},
		{route: "/s/:token/steps/:step", path: link + "/steps/form", h1: title, rows: ".card", least: 12},
		{route: "/s/:token/questions/:question", path: link + "/questions/" + s.busy.Quest + "-q1", h1: title, rows: "textarea[name=answer]", least: 1},
		{route: "/s/:token/runs/:run/log", path: link + "/runs/" + run + "/log", h1: title, rows: ".row", least: 10},
		{route: "/s/:token/runs/:run/lines/:line", path: link + "/runs/" + run + "/lines/2", h1: title, rows: "main pre, main .detail", least: 1},
	}
}

// posts lets a test open what a form would answer: /posted/PATH?FIELDS is a POST
// of the owner.
func (s *site) posts() {
	s.fault = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			path, is := strings.CutPrefix(r.URL.Path, "/posted")
			if !is {
				next.ServeHTTP(w, r)
				return
			}
			post := httptest.NewRequest(http.MethodPost, path, strings.NewReader(r.URL.RawQuery))
			post.Host = r.Host
			post.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			post.Header.Set("Authorization", "Bearer "+s.token())
			next.ServeHTTP(w, post)
		})
	}
}
