package web_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/web"
)

// link creates a link to the party's quest as the owner, and returns its path.
func (d *door) link(t testing.TB, form string) string {
	t.Helper()
	w := d.request(http.MethodPost, "/quests/"+d.party.Quest+"/shares", form+"&expiresIn=1d", owned)
	page, err := goquery.NewDocumentFromReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(page.Find("#share-link").Text())
	if err != nil || !strings.HasPrefix(u.Path, "/s/") || len(u.Path) < 50 {
		t.Fatalf("no link was made (%d): %q (%v)", w.Code, u, err)
	}
	return u.Path
}

// revoke revokes the newest link as the owner.
func (d *door) revoke(t *testing.T) {
	t.Helper()
	page, err := goquery.NewDocumentFromReader(d.get("/quests/" + d.party.Quest + "/shares").Body)
	if err != nil {
		t.Fatal(err)
	}
	action, ok := page.Find("#shares form").First().Attr("action")
	if w := d.request(http.MethodPost, action, "x=y", owned); !ok || w.Code != http.StatusSeeOther {
		t.Fatalf("not revoked: %d", w.Code)
	}
}

// visit sends a guest's request: without a cookie, and without a token but the link's.
func (d *door) visit(path string) *http.Response {
	return d.request(http.MethodGet, path, "", nil).Result()
}

// opened are the routes that a link opens, with the status of a plain GET.
var opened = map[string]int{
	"/s/:token": 200, "/s/:token/steps/:step": 200, "/s/:token/questions/:question": 200, "/s/:token/ws": 400, // 400: not an upgrade
	"/s/:token/runs/:run/output": 200, "/s/:token/runs/:run/output.txt": 200, "/s/:token/runs/:run/lines/:line": 200, "/s/:token/runs/:run/log": 200,
}

// docs/hardening.md#web, T1.10: the token of a share opens the routes of the list and no
// other, with any method, however it is sent.
func TestAShareOpensNothingElse(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	path := d.link(t, "output=true&answer=true")
	secret := strings.TrimPrefix(path, "/s/")
	run := d.party.Quest + "-r1"
	d.output.Write(run, "a line")
	before, err := d.engine.Quest(t.Context(), d.party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	seen, tried := map[string]bool{}, 0
	for _, route := range d.Routes() {
		if open[route.Path] && route.Path != "/login" {
			continue
		}
		to := strings.Replace(concrete(route.Path, d.party.Quest), "/s/none", path, 1)
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
			for how, change := range map[string]func(*http.Request){
				"in the path": func(*http.Request) {},
				"as bearer":   func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret) },
				"as cookie":   func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "questboard_8420", Value: secret}) },
				"as login":    func(r *http.Request) { r.URL.RawQuery = "token=" + secret },
			} {
				d.now.Add(1)
				tried++
				w := d.request(method, to, "", change)
				if want, is := opened[route.Path]; is && method == http.MethodGet {
					seen[route.Path] = true
					if w.Code != want {
						t.Errorf("%s %s: %d, want %d", how, to, w.Code, want)
					}
					continue
				}
				toLogin := w.Code == http.StatusSeeOther && strings.HasPrefix(w.Header().Get("Location"), "/login?next=")
				form := route.Path == "/login" && method == http.MethodGet && how != "as login"
				if w.Code < 400 && !toLogin && !form {
					t.Errorf("%s: %s %s answers %d", how, method, to, w.Code)
				}
			}
		}
	}
	if len(seen) != len(opened) || tried < 500 {
		t.Errorf("%d of %d opened routes are there, %d requests were made", len(seen), len(opened), tried)
	}
	if after, err := d.engine.Quest(t.Context(), d.party.Quest); err != nil || after != before {
		t.Errorf("a guest changed the quest (%v)", err)
	}
	t.Logf("%d requests on %d routes", tried, len(d.Routes()))
}

func TestAShareHoldsItsOwnQuestAndWhatWasChosen(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	other := handlerstest.Begin(d.engine, "Another quest of the owner")
	run := other.Start("requirements")
	own := d.party.Quest + "-r1"
	d.output.Write(run, "not for guests")
	d.output.Write(own, "a line of output")
	board := d.link(t, "")
	all := d.link(t, "output=true&cost=true")
	for path, want := range map[string]int{
		board: 200, board + "/steps/form": 200, board + "/steps/nowhere": 404,
		board + "/runs/" + own + "/output": 404, board + "/runs/" + own + "/output.txt": 404, board + "/runs/" + own + "/lines/1": 404,
		all + "/runs/" + own + "/output": 200, all + "/runs/" + run + "/output": 404, all + "/runs/" + run + "/output.txt": 404,
		all + "/runs/" + run + "/lines/1": 404, all + "/runs/" + own + "/output.jsonl": 404, all + "/diff": 404, "/s/": 404,
	} {
		if got := d.visit(path).StatusCode; got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	text := func(path string) string { return bodyOf(t, d.request(http.MethodGet, path, "", nil)) }
	if page := text(board + "/steps/form"); strings.Contains(page, "$0.00") || strings.Contains(page, "log-view") || strings.Contains(page, "go test ./internal/form") {
		t.Error("cost or output is shown without having been chosen")
	}
	if page := text(all + "/steps/form"); !strings.Contains(page, "$0.00") || !strings.Contains(page, "go test ./internal/form") {
		t.Error("cost or output is not shown although it was chosen")
	}
}

func TestSharedPagesAreReadOnlyAndLeaveNoTrace(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	root := d.link(t, "output=true&cost=true")
	for _, run := range []string{"-r1", "-r2"} {
		d.output.Write(d.party.Quest+run, "one", "two")
	}
	seen, queue := map[string]bool{}, []string{root}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if seen[at] || strings.HasPrefix(at, "/static/") {
			continue
		}
		seen[at] = true
		w := d.request(http.MethodGet, at, "", nil)
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d", at, w.Code)
		}
		for name, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow, noarchive"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q", at, name, got)
			}
		}
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			continue
		}
		page, err := goquery.NewDocumentFromReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		const controls = "form, input, textarea, select, button[type=submit], [hx-post], [hx-put], [hx-patch], [hx-delete], [formaction]"
		page.Find(controls).Each(func(_ int, e *goquery.Selection) {
			html, _ := goquery.OuterHtml(e)
			t.Errorf("%s holds a control: %s", at, html)
		})
		if banner := strings.Join(strings.Fields(page.Find("#guest-banner").Text()), " "); !strings.Contains(banner, "read only. The link ends Saturday 16 January 2027, 08:00 UTC") || page.Find("#guest-banner time[datetime='2027-01-16T08:00:00Z']").Length() != 1 {
			t.Errorf("%s: the banner says %q", at, banner)
		}
		for _, name := range []string{"href", "src", "hx-get", "lines", "data-socket"} {
			page.Find("[" + name + "]").Each(func(_ int, e *goquery.Selection) {
				to, _ := e.Attr(name)
				if !strings.HasPrefix(to, root) && !strings.HasPrefix(to, "/static/") && !strings.HasPrefix(to, "#") {
					t.Errorf("%s leads out of the share: %s=%q", at, name, to)
				}
				if name == "href" || name == "hx-get" || name == "src" {
					to, _, _ = strings.Cut(to, "#")
					if to != "" && !again(at, to) {
						queue = append(queue, to)
					}
				}
			})
		}
	}
	if len(seen) < 25 {
		t.Errorf("only %d pages were seen", len(seen))
	}
}

func TestEndedSharesSayWhatToDo(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	revoked := d.link(t, "")
	d.revoke(t)
	expired := d.link(t, "")
	d.now.Add(24*60*60 - 1)
	if got := d.visit(expired).StatusCode; got != http.StatusOK {
		t.Errorf("a second before its end: %d", got)
	}
	d.now.Add(1)
	for _, path := range []string{revoked, expired, revoked + "/steps/form", expired + "/ws"} {
		w := d.request(http.MethodGet, path, "", nil)
		if w.Header().Get("Referrer-Policy") != "no-referrer" || w.Code != http.StatusGone || !strings.Contains(w.Body.String(), "Ask the person who sent it") || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %q", path, w.Code, w.Body)
		}
	}
	page := bodyOf(t, d.get("/quests/"+d.party.Quest+"/shares"))
	if !strings.Contains(page, "Revoked") || !strings.Contains(page, "Expired") || strings.Contains(page, strings.TrimPrefix(revoked, "/s/")) {
		t.Error("the list does not say what became of them, or tells a token again")
	}
}

func TestTokensOfSharesCannotBeGuessedFast(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	path := d.link(t, "")
	for i := range 40 {
		w := d.visit("/s/" + web.NewToken())
		if want := map[bool]int{true: http.StatusNotFound, false: http.StatusTooManyRequests}[i < 10]; w.StatusCode != want {
			t.Fatalf("guess %d: %d", i+1, w.StatusCode)
		}
	}
	if got := d.visit(path).StatusCode; got != http.StatusOK {
		t.Errorf("who has the link is kept out: %d", got)
	}
}

// A link may be followed from another site, such as a mail or a chat.
func TestLinksMayBeFollowedFromElsewhere(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	path := d.link(t, "")
	from := func(path, method, mode, dest string) int {
		return d.request(method, path, "", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", mode)
			r.Header.Set("Sec-Fetch-Dest", dest)
		}).Code
	}
	if got := from(path, "GET", "navigate", "document"); got != http.StatusOK {
		t.Errorf("following the link: %d", got)
	}
	for _, c := range [][4]string{{path, "GET", "navigate", "iframe"}, {path, "GET", "no-cors", "script"}, {path, "GET", "cors", "empty"},
		{path, "POST", "navigate", "document"}, {"/quests", "GET", "navigate", "document"}, {path + "/ws", "GET", "websocket", "websocket"}} {
		if got := from(c[0], c[1], c[2], c[3]); got != http.StatusForbidden {
			t.Errorf("%v: %d", c, got)
		}
	}
}

func TestLookingIsNotedOnceAMinute(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	path := d.link(t, "")
	if page := bodyOf(t, d.get("/quests/"+d.party.Quest+"/shares")); !strings.Contains(page, "never viewed") {
		t.Error("nobody looked yet, and it does not say so")
	}
	d.visit(path)
	d.now.Add(int64(2 * time.Hour / time.Second))
	if page := bodyOf(t, d.get("/quests/"+d.party.Quest+"/shares")); !strings.Contains(page, "last viewed") || !strings.Contains(page, "2h 0m") {
		t.Error("the last look is not told")
	}
}

func TestTheTokenOfAShareIsNotLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	d := newDoor(t, func(c *web.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	path := d.link(t, "")
	d.engine.Break(errors.New("the disk is gone"))
	if got := d.visit(path).StatusCode; got != http.StatusInternalServerError {
		t.Errorf("%d", got)
	}
	if !strings.Contains(log.String(), "path=/s/:token") || strings.Contains(log.String(), path) {
		t.Errorf("the log says %s", log.String())
	}
}

// A folder on a network that is away holds who opens it, like a pipe that nobody writes to.
func TestAShareWhoseRepositoryDoesNotAnswerShowsNothing(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	away := filepath.Join(t.TempDir(), "away")
	if err := syscall.Mkfifo(away, 0o600); err != nil {
		t.Fatal(err)
	}
	q, err := d.engine.Create(t.Context(), orchestration.NewQuest{Title: "Tulips", Request: "Plant tulips.", Repo: away, Agent: "claude",
		Workspace: orchestration.WorkspaceShared})
	if err != nil {
		t.Fatal(err)
	}
	d.party.Quest = q.ID
	path := d.link(t, "output=true")
	w := d.request(http.MethodGet, path, "", nil)
	if said := w.Body.String(); w.Code != http.StatusServiceUnavailable || strings.Contains(said, "Tulips") || !strings.Contains(said, "does not answer") {
		t.Errorf("%d: %s", w.Code, said)
	}
	if writer, err := os.OpenFile(away, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil { // it answers at last
		_ = writer.Close()
	}
}
