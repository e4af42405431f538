package browser_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"questboard/handlers/handlerstest"
)

// The pages that report an error are accessible, and nothing that was typed is lost.
func TestErrorPagesAreAccessible(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.posts()
	busy, gate := "/quests/"+s.busy.Quest, "/posted/quests/"+s.finished.Quest+"/gates/plan"
	b := newTab(t)
	b.sweep(s.url, swept{route: "wrong-link", path: "/login?token=wrong", h1: "Log in", rows: "#token-error", least: 1, bare: true})
	b.open(s.login)
	for _, page := range []swept{
		{route: "missing-quest", path: "/quests/nowhere", h1: "Not found", rows: "#fault a", least: 2},
		{route: "missing-step", path: busy + "/steps/nowhere", h1: "Not found", rows: `#fault a[href="` + busy + `"]`, least: 1},
		{route: "missing-page", path: "/no/such/page", h1: "Not found", rows: "#fault a", least: 2},
		{route: "missing-share", path: "/s/nowhere", h1: "No such link", rows: "#fault", least: 1},
		{route: "stale-retry", path: "/posted" + busy + "/steps/form/retry", h1: "Not possible now", rows: "#fault a", least: 3},
		{route: "stale-message", path: "/posted/runs/" + s.busy.Quest + "-r1/message?text=some+words+of+mine", h1: "Not possible now", rows: "#typed pre", least: 1},
		{route: "stale-gate", path: gate + "/changes?feedback=some+words+of+mine", h1: "", rows: "main", least: 1},
		{route: "stale-answer", path: "/posted/questions/" + s.busy.Quest + "-q2/answer?answer=mine", h1: "Add login to billing", rows: "main", least: 1},
		{route: "stale-step", path: "/posted" + busy + "/steps/audit/edit?title=mine&was=old", h1: "Add login to billing", rows: "main [role=alert]", least: 1},
		{route: "stale-role", path: "/posted/settings/roles/codeweaver?prompt=mine&was=old", h1: "Codeweaver", rows: "main [role=alert]", least: 1},
		{route: "wrong-quest", path: "/posted/quests?budget=much&slots=99", h1: "New quest", rows: ".error[role=alert]", least: 3},
		{route: "wrong-title", path: "/posted" + busy + "/abandon?title=not+this", h1: "Check what you entered", rows: "#typed pre", least: 1},
		{route: "wrong-limits", path: "/posted/settings/limits?slots=99&time-stuck=soon", h1: "Limits", rows: ".error[role=alert]", least: 2},
		{route: "empty-answer", path: "/posted/questions/" + s.busy.Quest + "-q1/answer?answer=", h1: "Add login to billing", rows: "[id$=-error], .error[role=alert]", least: 1},
	} {
		page.bare = true
		b.sweep(s.url, page)
	}
	failing := bareTab(t) // because the console reports the failure
	broken := newSite(t)
	failing.open(broken.login)
	broken.engine.Break(errors.New("the disk is gone"))
	failing.sweep(broken.url, swept{route: "failed", path: busy, h1: "The server failed", rows: "#fault code", least: 1, bare: true})
}

// Pages on which there is nothing yet say what will be there.
func TestEmptyPagesAreAccessible(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := newTab(t)
	b.open(s.login)
	for _, page := range []swept{
		{path: "/quests", h1: "Quests"}, {path: "/questions", h1: "Needs you"}, {path: "/slots", h1: "Slots"}, {path: "/settings", h1: "Settings"},
		{path: "/audit", h1: "Audit"}, {path: "/doctor", h1: "Doctor"}, {path: "/palette?q=nothing+like+this", h1: "Go to"},
	} {
		page.route, page.rows, page.least = "empty", "main p", 1
		b.sweep(s.url, page)
		// If nothing waits, nothing asks for attention.
		if loud := eval[string](b, `[...document.querySelectorAll('main .empty')].filter((e) => getComputedStyle(e).borderLeftColor !== getComputedStyle(e).borderRightColor ||
			getComputedStyle(e).borderLeftWidth !== '1px').map((e) => e.textContent).join('; ')`); loud != "" {
			t.Errorf("%s: what is empty looks as if it asked for something: %s", page.path, loud)
		}
	}
	young := "/quests/" + handlerstest.Begin(s.engine, "A quest that has just begun").Quest
	for _, page := range []swept{
		{path: young}, {path: young + "/graph"}, {path: young + "/cost"}, {path: young + "/diff"}, {path: young + "/history?type=merge.done"}, {path: young + "/steps/requirements"},
		{path: young + "/kept"}, {path: young + "/delivery"}, {path: young + "/shares"},
	} {
		page.route, page.rows, page.least = "young", "main p", 1
		b.sweep(s.url, page)
	}
}

// Pages whose socket is gone say so, stay usable, and are accessible.
func TestDisconnectedPagesAreAccessible(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var gone atomic.Bool
	s.fault = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/ws" && gone.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	b := newTab(t)
	b.open(s.login)
	for _, path := range []string{"/quests", "/quests/" + s.busy.Quest, "/quests/" + s.busy.Quest + "/steps/cookie", "/questions", "/slots"} {
		b.size(1440, 900)
		b.open(s.url + path)
		b.live()
		gone.Store(true)
		s.hub.Drop()
		b.until(`document.documentElement.dataset.live === 'off' && document.getElementById('connection-bar').checkVisibility()`)
		b.auditLooks("disconnected" + strings.ReplaceAll(path, "/", "-"))
		gone.Store(false)
	}
}
