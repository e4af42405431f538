package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// newSweep makes a site with some content on every page, and a link that shares a quest.
func newSweep(t *testing.T) (*stage, *tab, []swept) {
	t.Helper()
	s := newStage(t)
	writeOutput(s.site, s.busy)
	s.trees.KeptWork = handlerstest.KeptSample(s.finished.Quest)
	s.repos.Wanted = record.RepoConfig{Files: []record.WantedFile{{Path: ".mcp.json", Sum: "1"}},
		List: []record.Want{{File: ".mcp.json", Kind: "MCP server", Name: "x", Text: "{}"}}}.Sealed()
	s.doctor.Find(time.Now(), service.Finding{What: "claude", Bad: true, Says: "claude is not logged in"}, service.Finding{What: "git", Says: "2.47.3"})
	ctx := context.Background()
	for _, status := range []int{303, 409} {
		_ = s.audit.Record(ctx, record.AuditEntry{At: time.Now(), Actor: "owner", Via: "browser", Action: "approve", Quest: s.busy.Quest, Status: status})
	}
	_, err := s.drafts.SaveDraft(ctx, record.Draft{ChangedAt: time.Now(), Quest: orchestration.NewQuest{Title: "An idea", Repo: "/repo", Agent: "claude"}})
	if err == nil {
		err = s.settings.ChangeSettings(ctx, func(now *record.Settings) {
			now.SetRepo(record.RepoSettings{Path: "/repo", Setup: "npm ci", Links: []string{"node_modules"}})
			slack, _ := handlerstest.ASlackChannel()
			now.SetChannel(slack)
			now.AddTrust("/repo", record.RepoConfig{List: []record.Want{{File: ".mcp.json", Kind: "MCP server", Name: "db", Text: "{}"}}}.Sealed(), time.Now())
			role := record.RoleSettings{Role: orchestration.Codeweaver, Model: "claude-opus-4-8"}
			role.SetPrompt("You are **Codeweaver**, in other words.\n")
			now.SetRole(role)
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	link := strings.TrimPrefix(b.shared(s.site, s.busy, "#share-output", "#share-cost", "#share-answer"), s.url)
	return s, b, sweptPages(s, link)
}

// Every page in the list of routes is accessible in light and dark, on a desktop and on
// a phone, and shows its content.
func TestEveryPageIsAccessible(t *testing.T) {
	t.Parallel()
	const parts = 3 // each in its own tab, which has a time limit
	for part := range parts {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			s, b, pages := newSweep(t)
			for i, page := range pages {
				switch {
				case i%parts != part:
				case page.stranger:
					newTab(t).sweep(s.url, page)
				default:
					b.sweep(s.url, page)
				}
			}
			b.plantedFault()
		})
	}
}

// sweep audits one page in all its looks.
func (b *tab) sweep(site string, page swept) {
	b.t.Helper()
	b.size(1440, 900)
	b.theme("light")
	b.open(site + page.path)
	if !page.bare {
		b.live()
	}
	b.holds(page)
	b.auditLooks(page.name())
}

// holds fails unless this is the right page and it has content.
func (b *tab) holds(page swept) {
	b.t.Helper()
	if h1 := eval[string](b, `document.querySelector('h1')?.textContent.trim() ?? ''`); !strings.HasPrefix(h1, page.h1) {
		b.t.Errorf("%s is headed %q, not %q", page.path, h1, page.h1)
	}
	rows := "document.querySelectorAll(`" + page.rows + "`).length"
	if page.scripted {
		b.until(rows + fmt.Sprintf(" >= %d", page.least))
	}
	if n := eval[int](b, rows); n < page.least {
		b.t.Errorf("%s holds %d of %s, not %d: %s", page.path, n, page.rows, page.least, eval[string](b, `document.querySelector('main').innerText.replaceAll(/\s+/g, " ").slice(-400)`))
	}
}

// plantedFault fails if the audit does not find a fault that it makes on purpose.
func (b *tab) plantedFault() {
	b.t.Helper()
	eval[any](b, `void document.body.append(document.createElement('button'))`)
	if len(b.audit()) == 0 {
		b.t.Error("the audit does not find a button without a name: it has gone blind")
	}
}

// The sweeps leave out no page. Every route that answers a GET is in their table or is
// not a page, and the test checks that as well.
func TestTheSweepsKnowEveryRoute(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	isPage := func(path string) bool {
		r := httptest.NewRequest(http.MethodGet, s.url+path, nil)
		r.Header.Set("Authorization", "Bearer "+s.token())
		w := httptest.NewRecorder()
		s.router.ServeHTTP(w, r)
		return w.Code == http.StatusOK && strings.Contains(w.Body.String(), "<html")
	}
	if !isPage("/quests") {
		t.Error("a page is not known as one")
	}
	known := map[string]bool{}
	for _, page := range sweptPages(s, "/s/x") {
		known[page.route] = true
	}
	for _, route := range s.router.Routes() {
		if route.Method != http.MethodGet || strings.HasPrefix(route.Path, "/api/") || known[route.Path] {
			continue
		}
		if otherRoutes[route.Path] == "" {
			t.Errorf("%s: a page? Add it to sweptPages, with what it holds; or say in otherRoutes what it is", route.Path)
			continue
		}
		path := strings.NewReplacer(":quest", s.busy.Quest, ":step", "form", ":run", s.run, ":name", "app.js").Replace(route.Path)
		if isPage(path) {
			t.Errorf("%s answers a page, and no sweep looks at it", route.Path)
		}
	}
}
