package web_test

import (
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/orchestration/service"
)

const dataDir = "/home/hero/data of mine"

// full makes the server read-only.
func (d *door) full() {
	d.readOnly.Store(&service.ReadOnly{Full: true, Dir: dataDir, Free: 4 << 20})
}

// While nothing can be stored, every page of the owner says so, with the folder, its free
// space and the remedy. Pages of a share say nothing about it.
func TestEveryPageSaysThatNothingCanBeStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.full()
	pages := w.crawl(t, func(url string, page *goquery.Document) {
		bar := page.Find("#read-only")
		_, hidden := bar.Attr("hidden")
		switch shared, login := isShare(url), strings.HasPrefix(url, "/login") || strings.HasPrefix(url, "/confirm"); {
		case page.Find("html").Length() == 0 || page.Find("#top").Length() == 0 || login:
			// a part of a page, or a page without a login
		case shared && (bar.Length() > 0 || strings.Contains(page.Text(), dataDir)):
			t.Errorf("%s tells guests of the server's disk", url)
		case shared:
		case hidden || bar.AttrOr("role", "") != "alert" || !strings.Contains(bar.Text(), dataDir) ||
			!strings.Contains(bar.Text(), "4.0 MiB free") || !strings.Contains(bar.Text(), "Make space there"):
			t.Errorf("%s says %q", url, bar.Text())
		}
	})
	if pages < 100 {
		t.Errorf("%d pages", pages)
	}
	w.readOnly.Store(nil)
	bar := pageOf(t, "/quests", w.get("/quests")).Find("#read-only")
	if _, hidden := bar.Attr("hidden"); !hidden || bar.Text() != "" {
		t.Errorf("it does not go: %q", bar.Text())
	}
}

func isShare(url string) bool { return strings.HasPrefix(url, "/s/") }

// takenAnyway are requests that store nothing.
var takenAnyway = map[string]bool{"/login": true, "/logout": true, "/confirm": true, "/doctor": true, "/quests/:quest/trial/stop": true,
	"/quests/new": true, "/quests/:quest/diff": true, "/quests/:quest/steps/:step/diff": true, "/settings/roles/:role/preview": true, "/mcp": true}

// The remedy for a failing disk differs from that for a full one.
func TestAPageSaysWhatToDoAboutAFailingDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.readOnly.Store(&service.ReadOnly{Failing: true, Dir: dataDir, Free: 4 << 20})
	bar := pageOf(t, "/quests", w.get("/quests")).Find("#read-only").Text()
	for _, want := range []string{"input/output error", dataDir, "backups", "dmesg", "smartctl"} {
		if !strings.Contains(bar, want) {
			t.Errorf("no %q in %q", want, bar)
		}
	}
	if strings.Contains(bar, "Make space") || strings.Contains(bar, "nothing that was stored is lost") {
		t.Errorf("the page promises what a dying disk may not keep: %q", bar)
	}
}

// A database of its own has remedies of its own, and our disk has nothing to do with it.
func TestAPageSaysWhatToDoAboutAPostgreSQLThatIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for want, state := range map[string]service.ReadOnly{
		"The PostgreSQL database does not answer: nothing can be stored. Start it, or mend the network": {Away: true, Remote: true},
		"The disk of PostgreSQL is full: nothing can be stored. Make space there":                       {Full: true, Remote: true},
		"PostgreSQL takes no changes: nothing can be stored. Let it be written again":                   {Remote: true},
	} {
		state.Dir, state.Free = dataDir, 4<<20
		w.readOnly.Store(&state)
		bar := pageOf(t, "/quests", w.get("/quests")).Find("#read-only").Text()
		if !strings.Contains(bar, want) || strings.Contains(bar, dataDir) || strings.Contains(bar, "MiB") {
			t.Errorf("%q, want %q", bar, want)
		}
	}
}

// Every form and every write of the API is refused before anything is done, with the
// remedy and everything that was typed.
func TestEveryFormIsRefusedWholeWhileNothingCanBeStored(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	d.full()
	q, err := d.engine.Quest(t.Context(), d.party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	forms, version := 0, q.Version
	for _, route := range d.Routes() {
		if route.Method == http.MethodGet || route.Method == http.MethodHead || takenAnyway[route.Path] || strings.HasPrefix(route.Path, "/s/") || strings.HasPrefix(route.Method, "echo_") {
			continue
		}
		forms++
		path := regexp.MustCompile(`:[a-z]+`).ReplaceAllString(route.Path, d.party.Quest)
		got := d.request(route.Method, path, "answer=yes&text=two+words", owned)
		what := route.Method + " " + route.Path
		if got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d", what, got.Code)
			continue
		}
		if now, err := d.engine.Quest(t.Context(), d.party.Quest); err != nil || now.Version != version {
			t.Errorf("%s was carried out: %v", what, err)
			version = now.Version
		}
		if strings.HasPrefix(path, "/api/") {
			if body := got.Body.String(); !strings.Contains(body, `"unavailable"`) || !strings.Contains(body, "Make space there") {
				t.Errorf("%s: %s", what, body)
			}
			continue
		}
		page := pageOf(t, what, got)
		again := page.Find("#fault form")
		if !strings.Contains(page.Find("#fault").Text(), "Make space there") || !strings.Contains(page.Find("#typed").Text(), "two words") {
			t.Errorf("%s: %s", what, page.Find("#fault").Text())
		}
		if again.AttrOr("action", "") != path || again.Find("[name=answer]").AttrOr("value", "") != "yes" {
			t.Errorf("%s: what was typed cannot be sent again", what)
		}
	}
	if forms < 40 {
		t.Errorf("%d forms", forms)
	}
	if text := d.log.String(); strings.Contains(text, "level=ERROR") {
		t.Errorf("the log tells of each: %.500s", text)
	}
}

// The page keeps a guest's answer, and tells nothing about the disk.
func TestAGuestsAnswerIsKeptWhileNothingCanBeStored(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	link := d.link(t, "answer=true")
	d.full()
	got := d.answers(link, "Ada", "yes")
	page := pageOf(t, link, got)
	if got.Code != http.StatusServiceUnavailable || strings.Contains(page.Text(), dataDir) || strings.Contains(page.Text(), "disk") {
		t.Errorf("%d: %s", got.Code, page.Text())
	}
	if page.Find("#fault form [name=answer]").AttrOr("value", "") != "yes" {
		t.Error("the answer is lost")
	}
	d.readOnly.Store(nil)
	if got := d.answers(link, "Ada", "yes"); got.Code != http.StatusSeeOther && got.Code != http.StatusOK {
		t.Errorf("afterwards: %d", got.Code)
	}
	if answer, by := d.question(t); answer != "yes" {
		t.Errorf("the answer is %q by %q", answer, by)
	}
}

// What happened while the audit could not be written is added later, in order.
func TestTheAuditIsMadeUpFor(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	quest := d.party.Quest
	d.audit.Fail(errors.New("the disk is full"))
	for _, act := range []string{"pause", "resume", "pause"} {
		d.request(http.MethodPost, "/quests/"+quest+"/"+act, "", owned)
	}
	if n := len(d.entries(t)); n != 0 {
		t.Fatalf("%d entries", n)
	}
	if n := strings.Count(d.log.String(), "audit"); n != 1 {
		t.Errorf("%d lines of the log tell of it", n)
	}
	d.audit.Fail(nil)
	d.request(http.MethodPost, "/quests/"+quest+"/resume", "", owned)
	var acts []string
	for _, e := range d.entries(t) {
		acts = append(acts, e.Action)
	}
	if got := strings.Join(acts, " "); got != "pause resume pause resume" {
		t.Errorf("the audit holds %q", got)
	}
}
