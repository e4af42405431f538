package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// A form whose answer was lost is sent once more under its name: what it did is
// done once, and the second gets the answer of the first. It is so for forms
// that would do a second thing: a quest that begins.
func TestAFormThatComesTwiceUnderOneNameIsDoneOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	send := func(name, request string) (int, string) {
		form := url.Values{"request": {request}, "repo": {"/repo"}, "questboard_once": {name}}
		got := w.request(http.MethodPost, "/quests", form.Encode(), owned)
		return got.Code, got.Header().Get("Location")
	}
	before := len(w.engine.Active())
	var all sync.WaitGroup
	places := make([]string, 8)
	for i := range places { // some while the first is at work
		all.Go(func() { _, places[i] = send("1-2-3-4", "Say hello.") })
	}
	all.Wait()
	for _, place := range places {
		if place == "" || place != places[0] {
			t.Errorf("one leads to %q, another to %q", places[0], place)
		}
	}
	if n := len(w.engine.Active()) - before; n != 1 {
		t.Errorf("%d quests began", n)
	}
	if _, place := send("5-6-7-8", "Say hello."); place == places[0] {
		t.Error("a form of another name was taken for the first")
	}
	// What was refused did nothing: it is looked at again.
	if code, _ := send("9", ""); code != http.StatusUnprocessableEntity {
		t.Errorf("a request that is empty: %d", code)
	}
	if code, place := send("9", "Say hello, too."); code != http.StatusSeeOther || place == "" {
		t.Errorf("the same form, corrected: %d", code)
	}
	// A name that is too long is none.
	long := strings.Repeat("x", 65)
	_, first := send(long, "Sing.")
	if _, second := send(long, "Sing."); first == second {
		t.Error("a name of any length is kept")
	}
}

// Pausing twice on purpose is not a repeat: each press has a name of its own,
// and what comes without one is always done.
func TestAFormWithoutANameIsAlwaysDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 2 {
		for _, act := range []string{"pause", "resume"} {
			if got := w.request(http.MethodPost, "/quests/"+w.party.Quest+"/"+act, "x=1", owned); got.Code != http.StatusSeeOther {
				t.Errorf("%s: %d", act, got.Code)
			}
		}
	}
}
