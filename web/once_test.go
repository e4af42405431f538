package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/labstack/echo/v4"
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

// press sends the planted form under a name.
func (d *door) press(ctx context.Context, path, name string) int {
	return d.request(http.MethodPost, path, url.Values{"questboard_once": {name}}.Encode(), func(r *http.Request) {
		owned(r)
		*r = *r.WithContext(ctx)
	}).Code
}

// A browser may leave while its form is at work. The form is done to its end, and the next
// press gets its result.
func TestAFormWhoseBrowserLeftIsDoneOnce(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	var done atomic.Int64
	began, release := make(chan struct{}, 2), make(chan struct{})
	d.POST("/planted", func(c echo.Context) error {
		began <- struct{}{}
		<-release
		done.Add(1) // it takes effect, whether or not somebody waits
		if err := c.Request().Context().Err(); err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, "/quests")
	})
	ctx, leave := context.WithCancel(t.Context())
	var first sync.WaitGroup
	first.Go(func() { d.press(ctx, "/planted", "1") })
	<-began
	leave()
	close(release)
	if code := d.press(t.Context(), "/planted", "1"); code != http.StatusSeeOther {
		t.Errorf("the second press: %d", code)
	}
	first.Wait()
	if n := done.Load(); n != 1 {
		t.Errorf("the form was done %d times", n)
	}
}

// A form that was refused is handled again, and its success is remembered.
func TestAFormThatSucceedsAfterARefusalIsDoneOnce(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	var done atomic.Int64
	d.POST("/planted", func(c echo.Context) error {
		if done.Add(1) == 1 {
			return echo.NewHTTPError(http.StatusServiceUnavailable)
		}
		return c.Redirect(http.StatusSeeOther, "/quests")
	})
	for i, want := range []int{http.StatusServiceUnavailable, http.StatusSeeOther, http.StatusSeeOther} {
		if code := d.press(t.Context(), "/planted", "1"); code != want {
			t.Errorf("press %d: %d, want %d", i+1, code, want)
		}
	}
	if n := done.Load(); n != 2 {
		t.Errorf("the form was handled %d times", n)
	}
}

// The answers to these forms show a secret once, so it cannot be shown again. A second press
// makes no second one, and says so.
func TestAFormThatShowsASecretIsDoneOnce(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	path := "/quests/" + d.party.Quest + "/shares"
	form := url.Values{"expiresIn": {"1d"}, "questboard_once": {"1"}}.Encode()
	for path, form := range map[string]string{path: form, "/settings/hosts": "name=smithy&questboard_once=1"} {
		if w := d.request(http.MethodPost, path, form, owned); w.Code != http.StatusOK {
			t.Fatalf("%s: %d", path, w.Code)
		}
		if w := d.request(http.MethodPost, path, form, owned); w.Code != http.StatusConflict || !strings.Contains(bodyOf(t, w), "done already") {
			t.Errorf("%s, again: %d", path, w.Code)
		}
	}
	if n := parsedPage(t, d.get(path)).Find("#shares form").Length(); n != 1 {
		t.Errorf("there are %d links", n)
	}
}
