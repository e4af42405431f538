package handlers_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/labstack/echo/v4"
	"golang.org/x/net/html"

	"questboard/handlers"
	"questboard/handlers/handlerstest"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/orchestration/service"
	"questboard/orchestration/sharing"
)

// site has the pages with an engine without processes, and without package web.
type site struct {
	engine *handlerstest.Engine
	output *handlerstest.Output
	diffs  *handlerstest.Diffs
	pages  *handlers.Pages
	live   handlers.Live

	trees    *handlerstest.Trees
	settings handlerstest.Settings
	doctor   handlerstest.Doctor
	trials   handlerstest.Trials
	shares   handlerstest.Shares
	audit    handlerstest.Audit
	drafts   handlerstest.Drafts
	outbox   handlerstest.Outbox
}

func now() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

func newSite() *site {
	s := &site{engine: handlerstest.NewEngine(now), output: handlerstest.NewOutput(), diffs: handlerstest.NewDiffs()}
	s.trees = &handlerstest.Trees{Engine: s.engine, Diffs: s.diffs}
	s.pages = handlers.New(handlers.Deps{Service: service.Service{Quests: s.engine, Output: s.output, Repos: handlerstest.Repos{}, Trees: s.trees,
		Drafts: &s.drafts, Attachments: &service.Attachments{}, Settings: &s.settings, Doctor: &s.doctor, Audit: &s.audit, Outbox: &s.outbox, Hosts: handlerstest.TwoHosts(&s.settings), TestChannel: s.outbox.Test, Clock: now, Address: "http://127.0.0.1:8420",
		Shares: sharing.Service{Store: &s.shares, Clock: now, Ended: func(string) {}}, Agents: []string{"claude", "simulated"}},
		Started: handlerstest.Started(), Trials: &s.trials, Redactor: redact.New("", nil), SignedIn: true})
	s.live = handlers.NewLive(s.pages)
	return s
}

// call calls a handler with the parameters of its route, as pairs of name and value.
func call(t *testing.T, handler echo.HandlerFunc, form url.Values, params ...string) *httptest.ResponseRecorder {
	t.Helper()
	w, err := try(handler, form, params...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// try is call for a request that may be refused.
func try(handler echo.HandlerFunc, form url.Values, params ...string) (*httptest.ResponseRecorder, error) {
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	r := httptest.NewRequest(method, "/", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	c := echo.New().NewContext(r, w)
	var names, values []string
	for i := 0; i < len(params); i += 2 {
		names, values = append(names, params[i]), append(values, params[i+1])
	}
	c.SetParamNames(names...)
	c.SetParamValues(values...)
	return w, handler(c)
}

func parsed(t *testing.T, w *httptest.ResponseRecorder) *goquery.Document {
	t.Helper()
	page, err := goquery.NewDocumentFromReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// words returns the texts of the elements that the selector finds, with spaces between
// elements.
func words(page *goquery.Document, selector string) string { return textOf(page.Find(selector)) }

func textOf(found *goquery.Selection) string {
	var texts []string
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			texts = append(texts, strings.Fields(n.Data)...)
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
	}
	for _, n := range found.Nodes {
		walk(n)
	}
	return strings.Join(texts, " ")
}

func (s *site) quest(t *testing.T, p *handlerstest.Party) *orchestration.Quest {
	t.Helper()
	q, err := s.engine.Quest(context.Background(), p.Quest)
	if err != nil {
		t.Fatal(err)
	}
	return q
}
