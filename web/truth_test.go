package web_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/labstack/echo/v4"
	"golang.org/x/net/html"

	"questboard/handlers/api"
	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/service"
)

// tales is the number of random quests. `make soak-walks` uses more.
var tales = flag.Int("tales", 16, "random quests whose pages are read for what they claim")

// docs/state-machine.md#outcome: no page, API answer or notification says done, checked,
// reviewed or proven of what is not. A notification repeats the badge of an element that
// turns good or amber (static/js/patch.js), so the test reads it with the pages.
func TestNothingSaysDoneCheckedReviewedOrProvenOfWhatIsNot(t *testing.T) {
	t.Parallel()
	var ended, green, skipped, amber int
	for seed := range uint64(*tales) {
		d := newDoor(t, nil)
		s := newTale(t, d.engine, seed)
		w := witness{t: t, d: d, s: s, api: apiOf(d)}
		for moves := range 500 {
			if s.quest().Over() && s.one(3) {
				break
			}
			s.move()
			if moves == 40 || s.one(300) {
				w.hear()
			}
		}
		w.hear()
		q := s.quest()
		_, n, _ := s.counts()
		ended, green, skipped, amber = ended+count(q.Over()), green+count(s.green()), skipped+count(n > 0), amber+count(s.complete && !s.green())
		if t.Failed() {
			t.Fatalf("tale %d", seed)
		}
	}
	t.Logf("%d tales: %d ended, %d green, %d complete and amber, %d with skipped steps", *tales, ended, green, amber, skipped)
	if ended == 0 || green == 0 || amber == 0 || skipped == 0 {
		t.Errorf("too little happened: %d ended, %d green, %d amber, %d with skipped steps", ended, green, amber, skipped)
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// apiOf returns the API on the engine of a door.
func apiOf(d *door) *echo.Echo {
	e := echo.New()
	api.Register(e.Group("/api/v1"), api.Deps{Service: service.Service{Quests: d.engine, Clock: d.clock, Log: slog.New(slog.DiscardHandler)}})
	return e
}

// witness reads everything that is shown of a tale, and compares it with what happened.
type witness struct {
	t   *testing.T
	d   *door
	s   *tale
	api *echo.Echo
	at  string // the address that is read
}

func (w *witness) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Errorf("%s: %s", w.at, fmt.Sprintf(format, args...))
}

// heard are the routes of the pages that are read.
var heard = []string{"/quests", "/today", "/slots", "/questions",
	"/quests/:quest", "/quests/:quest/gates/:gate", "/quests/:quest/graph", "/quests/:quest/history", "/quests/:quest/runs", "/quests/:quest/cost",
	"/quests/:quest/evidence", "/quests/:quest/delivery", "/quests/:quest/diff", "/quests/:quest/kept", "/quests/:quest/change",
	"/quests/:quest/follow-up", "/quests/:quest/settings", "/quests/:quest/shares", "/quests/:quest/disk", "/quests/:quest/history/news",
	"/quests/:quest/steps/:step", "/quests/:quest/steps/:step/edit", "/quests/:quest/steps/:step/diff",
	"/quests/:quest/steps/:step/timeline", "/quests/:quest/steps/:step/sessions", "/quests/:quest/steps/:step/cost",
	"/quests/:quest/steps/:step/signals", "/quests/:quest/steps/:step/raw", "/quests/:quest/steps/:step/prompt",
	"/s/:token", "/s/:token/steps/:step"}

// unheard says why the other routes of a quest are not read.
var unheard = map[string]string{
	"/quests/:quest/steps/:step/menu": controls,
	"/quests/:quest/delivery/changed": controls,
	"/quests/:quest/trial":            output,
	"/quests/:quest/trial/output.txt": output,
	"/quests/:quest/request.txt":      "what the user wrote",
	"/quests/:quest/files/:name":      "what the user attached",
	"/quests/:quest/patch":            "the code",
	"/quests/:quest/cost.csv":         table,
	"/quests/:quest/history.csv":      table,
	"/quests/:quest/history.json":     table,
	"/s/:token/questions/:question":   "what an agent asked",
	"/s/:token/ws":                    "what the pages show, again",
	"/s/:token/runs/:run/output":      output,
	"/s/:token/runs/:run/output.txt":  output,
	"/s/:token/runs/:run/log":         output,
	"/s/:token/runs/:run/lines/:line": output,
}

const (
	controls = "a part of a page, with its controls"
	output   = "what a program printed"
	table    = "what happened, as a table"
)

// A new page may say that something is done, and nobody reads it.
func TestEveryPageOfAQuestIsReadForWhatItClaims(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	known := map[string]bool{}
	for _, route := range d.Routes() {
		known[route.Path] = true
		if route.Method != http.MethodGet || !strings.HasPrefix(route.Path, "/quests/:quest") && !strings.HasPrefix(route.Path, "/s/:token") {
			continue
		}
		if why := unheard[route.Path]; slices.Contains(heard, route.Path) == (why != "") {
			t.Errorf("%s is to be in heard, or in unheard with the reason", route.Path)
		}
	}
	for _, route := range slices.Concat(heard, slices.Collect(maps.Keys(unheard))) {
		if !known[route] {
			t.Errorf("%s is read or left out, and there is no such route", route)
		}
	}
}

// hear reads the pages of the owner and the guest, and the API.
func (w *witness) hear() {
	w.t.Helper()
	q := w.s.quest()
	w.d.party = &handlerstest.Party{Engine: w.d.engine, Quest: q.ID}
	link := w.d.link(w.t, "output=true&cost=true")
	steps := append([]string{}, orchestration.QuestWideSteps...)
	for _, s := range q.Steps.All() {
		steps = append(steps, s.ID)
	}
	var pages []string
	for _, route := range heard {
		address := strings.NewReplacer(":quest", q.ID, "/s/:token", link).Replace(route)
		if before, all := strings.CutSuffix(address, ":gate"); all {
			pages = append(pages, before+"requirements", before+"plan")
			continue
		}
		if !strings.Contains(address, ":step") {
			pages = append(pages, address)
			continue
		}
		for i, step := range steps {
			if i == 0 || w.s.one(5) {
				pages = append(pages, strings.Replace(address, ":step", step, 1))
			}
		}
	}
	for _, at := range pages {
		w.at = at
		if got := w.d.get(at); got.Code == http.StatusOK {
			page, err := goquery.NewDocumentFromReader(got.Body)
			if err != nil {
				w.t.Fatal(err)
			}
			w.page(page)
		} else if got.Code != http.StatusNotFound && got.Code != http.StatusConflict { // not there, or not now
			w.fail("%d", got.Code)
		}
	}
	if w.at = "the pull request"; w.s.complete {
		w.text(q.Report(), "")
	}
	w.answers(q)
}

// page checks one page: its texts, its counts, and what is green.
func (w *witness) page(page *goquery.Document) {
	scope := page.Find("#main, #panel")
	if w.at == "/quests" {
		scope = page.Find("#quest-" + w.s.id)
		if scope.Length() != 1 {
			w.fail("the quest is listed %d times", scope.Length())
		}
	}
	step := ""
	if _, after, ok := strings.Cut(w.at, "/steps/"); ok {
		step, _, _ = strings.Cut(after, "/")
	}
	scope.Find("script, style, textarea, option, log-view, #step-log, .history details, #history details").Remove()
	scope.Find(".state-good").Each(func(_ int, e *goquery.Selection) { w.good(e, step) })
	scope.Find(".strip li.passed").Each(func(_ int, e *goquery.Selection) { w.stop(strings.TrimSpace(e.Text())) })
	w.counts(scope)
	for _, n := range scope.Nodes {
		w.nodes(n, step)
	}
}

// good checks an element that is green.
func (w *witness) good(e *goquery.Selection, step string) {
	id, _ := e.Attr("id")
	badge := strings.TrimSpace(e.Find(".badge").First().Text())
	switch kind, name, _ := strings.Cut(id, "-"); {
	case kind == "card", kind == "node", kind == "listed":
		w.stepIs(name, badge)
	case id == "step-head":
		w.stepIs(step, badge)
	case id == "quest-head", id == "quest-"+w.s.id, id == "outcome", e.Find("a[href$='"+w.s.id+"']").Length() > 0:
		if !w.s.green() {
			w.fail("the quest is green (%q), and it is not: %+v", badge, *w.s)
		}
	case e.Closest("tr, li, dd").Length() > 0 && !strings.Contains(badge, "Done"): // a run: what it signalled
		if strings.Contains(badge, "Passed") && !w.s.everChecked {
			w.fail("a check passed where there never was one")
		}
	default:
		w.fail("something unknown is green: %q", strings.Join(strings.Fields(e.Text()), " "))
	}
}

// stepIs checks a step that is shown as done and green.
func (w *witness) stepIs(id, how string) {
	step := w.s.quest().Step(id)
	switch {
	case step == nil:
		w.fail("the unknown line %q is green (%s)", id, how)
	case step.Whole():
		if id == orchestration.StepReview && !w.s.complete {
			w.fail("the review is green (%s)", how)
		}
	case !w.s.done[id] || !w.s.passed[id]:
		w.fail("%s is green (%s): done %v, checked %v", id, how, w.s.done[id], w.s.passed[id])
	}
}

// stop checks a phase that is shown as passed with a tick.
func (w *witness) stop(words string) {
	done, _, total := w.s.counts()
	switch {
	case strings.Contains(words, "Build") && done != total,
		strings.Contains(words, "Review") && !w.s.verdict,
		strings.Contains(words, "Complete") && !w.s.green():
		w.fail("the phase has a tick: %q", words)
	}
}

var figure = regexp.MustCompile(`(\d+)/(\d+)(?: steps(?:, (\d+) skipped)?)?`)

// counts checks that a number is the same everywhere.
func (w *witness) counts(scope *goquery.Selection) {
	done, skipped, total := w.s.counts()
	check := func(where, words string) {
		m := figure.FindStringSubmatch(words)
		if m == nil || m[1] != strconv.Itoa(done) || m[2] != strconv.Itoa(total) || m[3] != "" && m[3] != strconv.Itoa(skipped) {
			w.fail("%s: %q, and %d of %d are done, %d skipped", where, strings.Join(strings.Fields(words), " "), done, total, skipped)
		}
	}
	scope.Find(".figures span").Each(func(_ int, e *goquery.Selection) {
		if words := e.Text(); strings.Contains(words, "steps") {
			check("the figures", words)
		}
	})
	scope.Find(".strip .stop, .strip a").Each(func(_ int, e *goquery.Selection) {
		if words := e.Text(); strings.Contains(words, "Build ") && total+skipped > 0 { // without steps, no number
			check("the strip", words)
		}
	})
	scope.Find("#count-done").Each(func(_ int, e *goquery.Selection) {
		if first, _, _ := strings.Cut(e.Text(), ","); first != strconv.Itoa(done) {
			w.fail("the column Done has %q, and %d are done", e.Text(), done)
		}
	})
	scope.Find("progress").Each(func(_ int, e *goquery.Selection) {
		value, _ := e.Attr("value")
		most, _ := e.Attr("max")
		check("the bar", value+"/"+most)
	})
}

// nodes checks every text by itself.
func (w *witness) nodes(n *html.Node, step string) {
	if n.Type == html.TextNode {
		w.text(n.Data, place(n, step))
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		w.nodes(child, step)
	}
}

// place returns the step that a text is about: the step of its card, or of the link that
// it is in or next to.
func place(n *html.Node, step string) string {
	for ; n != nil; n = n.Parent {
		if n.Data == "li" && n.FirstChild != nil {
			if step := stepIn(n.FirstChild); step != "" {
				return step
			}
		}
		if step := stepIn(n); step != "" {
			return step
		}
	}
	return step
}

func stepIn(n *html.Node) string {
	for _, a := range n.Attr {
		if _, step, ok := strings.Cut(a.Val, "/steps/"); ok && a.Key == "href" {
			step, _, _ = strings.Cut(step, "?")
			return step
		}
		for _, kind := range []string{"card-", "node-", "listed-"} {
			if step, ok := strings.CutPrefix(a.Val, kind); ok && a.Key == "id" {
				return step
			}
		}
	}
	return ""
}

// answers checks what the API says.
func (w *witness) answers(q *orchestration.Quest) {
	done, skipped, total := w.s.counts()
	type head struct {
		ID, Why  string
		Progress struct{ Done, Skipped, Total int }
		Outcome  struct {
			Green, Reviewed bool
			Whole           string
		}
		Steps []struct{ ID, Why, Checked string }
	}
	look := func(h head) {
		if p := h.Progress; p.Done != done || p.Skipped != skipped || p.Total != total {
			w.fail("progress %+v, and %d are done, %d skipped, of %d", p, done, skipped, total)
		}
		if o := h.Outcome; o.Green && !w.s.green() || o.Reviewed && !w.s.verdict || o.Whole == "passed" && !w.s.passed[orchestration.StepReview] {
			w.fail("outcome %+v", o)
		}
		w.text(h.Why, "")
		for _, s := range h.Steps {
			if s.Checked == "passed" && !w.s.passed[s.ID] {
				w.fail("%s is said to be checked", s.ID)
			}
			w.text(s.Why, s.ID)
		}
	}
	var one head
	w.ask("/api/v1/quests/"+q.ID, &one)
	look(one)
	var all struct{ Quests []head }
	w.ask("/api/v1/quests", &all)
	for _, h := range all.Quests {
		if h.ID == q.ID {
			look(h)
		}
	}
}

func (w *witness) ask(at string, into any) {
	w.at = at
	got := httptest.NewRecorder()
	w.api.ServeHTTP(got, httptest.NewRequest(http.MethodGet, at, nil))
	if err := json.Unmarshal(got.Body.Bytes(), into); err != nil || got.Code != http.StatusOK {
		w.t.Fatal(errors.Join(fmt.Errorf("%s: %d", at, got.Code), err))
	}
}
