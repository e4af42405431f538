package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
)

// stale is a form that was opened before the state changed.
type stale struct {
	at, action string // the page, and where its form leads; ":quest" is the party's quest
	party      func(*world) *handlerstest.Party
	field      string // the name of a text field
	move       func(*world)
	says       string // what the page says about the new state
}

const mine = "words of mine, in a <sentence>"

// steadfast are the forms that no change makes stale: their action is always possible, or
// has been done already.
var steadfast = map[string]string{
	"/login": "asks for the token", "/logout": "ends what there is", "/confirm": "asks for the token",
	"/quests": "begins something new", "/quests/new": "only looks", "/drafts/:draft/restore": "restores twice as well as once",
	"/shares/:share/revoke": "revokes twice as well as once", "/slots": "sets a number", "/doctor": "looks once more",
	"/quests/:quest/delete": "what is over stays over", "/drafts/:draft/start": "begins what is saved; what has begun it leads to", "/drafts/:draft/delete": "can be undone",
	"/quests/:quest/trial/stop": "stops what has ended already", "/quests/new/trial/stop": "stops what has ended already",
	"/settings/browser": "of this browser alone", "/quests/:quest/level": "sets one value", "/settings/editor": "sets one value",
	"/settings/channels": "sets what is typed", "/settings/channels/test": "tests once more", "/settings/channels/remove": "removes twice as well as once",
	"/settings/hosts": "makes a key, or says that the name is taken", "/settings/hosts/drain": "sets one value", "/settings/hosts/remove": "removes twice as well as once",
	"/settings/trust/withdraw": "withdraws twice as well as once",
	"/settings/agents":         "sets what is typed", "/settings/agents/remove": "removes twice as well as once",
	"/settings/repositories": "sets what is typed", "/settings/repositories/remove": "removes twice as well as once",
	"/settings/roles/:role/preview": "only shows",
	"/settings/roles/:role/tools":   "sets what is typed",
	"/quests/:quest/diff":           "only opens a box for a comment", "/quests/:quest/steps/:step/diff": "only opens a box for a comment",
	"/quests/:quest/shares": "a quest that is over can be shared", "/quests/:quest/delivery/push": "pushes again",
}

// A form that was opened before the state changed does nothing. The answer is 409 with
// the new state, a way on, and what was typed.
func TestAStaleFormSaysWhatIsNowAndKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, c := range staleForms() {
		w := newWorld(t)
		f := c.opened(t, w)
		route := w.routeOf(http.MethodPost, f.action)
		known[route] = true
		c.move(w)
		got := w.request(http.MethodPost, f.action, f.values.Encode(), owned)
		what := f.action + " on " + c.at
		page := pageOf(t, what, got)
		text := page.Text()
		page.Find("input").Each(func(_ int, e *goquery.Selection) { text += "\n" + e.AttrOr("value", "") })
		if got.Code != http.StatusConflict {
			t.Errorf("%s: %d %s", what, got.Code, strings.Join(strings.Fields(page.Find("main").Text()), " "))
			continue
		}
		if !strings.Contains(text, c.says) {
			t.Errorf("%s: does not say %q: %s", what, c.says, strings.Join(strings.Fields(text), " "))
		}
		if c.field != "" && !strings.Contains(text, mine) {
			t.Errorf("%s: what was typed is lost: %s", what, strings.Join(strings.Fields(text), " "))
		}
		if page.Find("#fault").Length() > 0 {
			w.leadsOn(t, what, "", page)
		}
	}
	for _, route := range newWorld(t).Routes() {
		if _, is := steadfast[route.Path]; route.Method == http.MethodPost && !is && !known[route.Path] && route.Path != "/mcp" && !strings.HasPrefix(route.Path, "/api/") {
			t.Errorf("%s: is there a state from which its form is stale? Add it to staleForms, or say why not in steadfast", route.Path)
		}
	}
}

// opened reads the form from the page, and types into it.
func (c stale) opened(t *testing.T, w *world) plainForm {
	t.Helper()
	party := w.party
	if c.party != nil {
		party = c.party(w)
	}
	concrete := func(s string) string {
		return strings.NewReplacer(":quest", party.Quest, ":draft", w.draft, ":share", w.link).Replace(s)
	}
	page := pageOf(t, c.at, w.get(concrete(c.at)))
	action := concrete(c.action)
	button := page.Find(`button[formaction="` + action + `"]`).First()
	form := button.Closest("form")
	if button.Length() == 0 {
		form = page.Find(`form[method=post][action="` + action + `"]`).First()
		button = form.Find("button").First()
	}
	if form.Length() == 0 {
		t.Fatalf("%s has no form to %s", concrete(c.at), action)
	}
	f := pressed(page, form, button, false)
	f.action = action
	if strings.HasSuffix(action, "/abandon") || strings.HasSuffix(action, "/delete") {
		f.values.Set("title", "Add login to billing")
	}
	if c.field != "" {
		f.values.Set(c.field, mine)
	}
	return f
}
