package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// If the answer to a form is lost, the browser sends the form again under the same name.
// Its action happens once, and the second request gets the answer of the first. This
// matters for forms that would otherwise do a second thing, such as starting a quest.
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
	for i := range places { // some while the first request is still running
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
	// A refused form did nothing, so it is handled again.
	if code, _ := send("9", ""); code != http.StatusUnprocessableEntity {
		t.Errorf("a request that is empty: %d", code)
	}
	if code, place := send("9", "Say hello, too."); code != http.StatusSeeOther || place == "" {
		t.Errorf("the same form, corrected: %d", code)
	}
	// A name that is too long does not count.
	long := strings.Repeat("x", 65)
	_, first := send(long, "Sing.")
	if _, second := send(long, "Sing."); first == second {
		t.Error("a name of any length is kept")
	}
}

// Each press of a button has a name of its own, so that pausing twice on purpose is not a
// repeat. A form without a name is always handled.
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
