package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"questboard/orchestration"
)

// stamp is an absolute time of a page.
type stamp struct{ ISO, As, Text string }

// kolkata differs from UTC by half an hour more than whole hours, and has no summer time.
var kolkata = time.FixedZone("Asia/Kolkata", 5*3600+1800)

// inZone returns what a page should show for a time. It includes the day unless that is
// today.
func (s stamp) inZone(t *testing.T, zone *time.Location) string {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s.ISO)
	if err != nil {
		t.Errorf("%q is no time: %v", s.ISO, err)
	}
	at, now := at.In(zone), time.Now().In(zone)
	if s.As == "clock" {
		return at.Format("15:04:05")
	}
	if s.As == "until" {
		return at.Format("Monday 2 January 2006, 15:04")
	}
	if s.As == "day" && at.Hour()+at.Minute() == 0 {
		return at.Format("2 Jan")
	}
	form := map[string]string{"second": "15:04:05", "minute": "15:04", "day": "15:04"}[s.As]
	switch {
	case at.Year() != now.Year():
		form = "2 Jan 2006 " + form
	case at.YearDay() != now.YearDay() || s.As == "day":
		form = "2 Jan " + form
	}
	return at.Format(form)
}

// Every page shows absolute times in the zone of the browser, even times that arrive
// later. Without scripts a page shows UTC and says so.
func TestTimesAreToldInTheBrowsersZone(t *testing.T) {
	t.Parallel()
	s, party := worked(t)
	s.engine.Hold(orchestration.AccountHold{Agent: "claude", Kind: orchestration.HoldOverload, Until: time.Now().Add(10 * time.Minute), Reason: "overloaded"})
	b := newTab(t)
	b.size(1440, 900)
	if _, err := chromedp.Call(b.ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Kolkata"}); err != nil {
		t.Fatal(err)
	}
	b.open(s.login)
	link := b.shared(s, party)
	quest := "/quests/" + party.Quest
	for _, page := range []struct {
		path  string
		least int
		utc   bool // it sums days of UTC, and says so
	}{
		{quest + "/history", 20, false}, {quest + "/steps/form/timeline", 2, false}, {"/slots?span=24h", 20, false}, {"/slots?quest=" + party.Quest, 20, false},
		{"/audit", 1, false}, {"/doctor", 0, false}, {"/quests", 0, false}, {"/questions", 0, false}, {"/settings", 0, false}, {quest + "/delivery", 0, false}, {quest + "/kept", 0, false}, {quest + "/change", 0, false}, {quest + "/diff", 0, false}, {quest + "/evidence", 0, false}, {quest + "/steps/form", 0, false}, {quest + "/steps/form/sessions", 0, false}, {quest + "/shares", 1, false}, {strings.TrimPrefix(link, s.url), 1, false}, {quest, 1, false}, {quest + "/cost", 0, true},
	} {
		b.open(s.url + page.path)
		b.live()
		b.toldIn(page.path, kolkata, page.least)
		if text := eval[string](b, `document.body.textContent`); !page.utc && strings.Contains(text, "UTC") {
			at := strings.Index(text, "UTC")
			t.Errorf("%s says UTC: %q", page.path, text[max(0, at-80):at+3])
		}
	}
	// A day begins elsewhere at another time: each entry stands below its own. A run's stands below that
	// of its newest event, and the events that it has within may be of the day before.
	b.open(s.url + quest + "/history")
	b.live()
	if wrong := eval[string](b, `[...document.querySelectorAll('.history section')].filter((day) => {
		const name = (time) => new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(new Date(time.dateTime)).replace(/^(\w+) /, '$1, ');
		return [...day.querySelectorAll(':scope > ol > li.event > time')].some((time) => name(time) !== day.querySelector('h2').textContent.trim());
	}).map((day) => day.textContent.slice(0, 80)).join(' | ')`); wrong != "" {
		t.Errorf("below another day: %s", wrong)
	}

	// An invalid time is shown as it is, and does not affect the others.
	eval[any](b, `void document.querySelector('.history time').setAttribute('datetime', '12345-99-99T00:00:00Z')`)
	eval[any](b, `void (document.querySelector('.history li:last-child time').textContent = 'spoilt')`)
	eval[any](b, `void (Date.prototype.toDateString = () => 'another day')`) // all are told once more
	b.until(`document.querySelector('.history time').textContent.startsWith('12345') && document.querySelector('.history li:last-child time').textContent !== 'spoilt'`)

	// The same for times that are patched into the page later.
	b.open(s.url + quest + "/steps/form/timeline")
	b.live()
	rows := eval[int](b, `document.querySelectorAll('li.event').length`)
	party.Signal("form", orchestration.Signal{Kind: orchestration.Complete, Summary: "written"})
	b.until(fmt.Sprintf(`document.querySelectorAll('li.event').length > %d`, rows))
	b.toldIn("the live timeline", kolkata, rows+1)
}

// toldIn checks that a page shows its times in a zone.
func (b *tab) toldIn(what string, zone *time.Location, least int) {
	b.t.Helper()
	stamps := eval[[]stamp](b, `[...document.querySelectorAll('[data-zoned]')].map((e) => ({ISO: e.dateTime ?? e.dataset.at, As: e.dataset.zoned, Text: e.textContent.trim()}))`)
	if len(stamps) < least {
		b.t.Errorf("%s has %d times, want %d", what, len(stamps), least)
	}
	for _, s := range stamps {
		if want := s.inZone(b.t, zone); s.Text != want {
			b.t.Errorf("%s: %s is %q, want %q", what, s.ISO, s.Text, want)
		}
	}
}
