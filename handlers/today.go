package handlers

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// todayCookie keeps when this browser's last visits of the page Today began and ended. It
// is not secret.
const todayCookie = "questboard_today"

const (
	// visitEnds: a visit ends when the page was not opened for so long.
	visitEnds = 30 * time.Minute
	// firstVisit is how far back the first visit looks.
	firstVisit = 24 * time.Hour
	// todayMost is how many quests the page lists.
	todayMost = 50
)

// visit is the visit of a browser now. The page lists what ended since the end of the one
// before: it does not change while the page is loaded again.
type visit struct {
	before time.Time // the end of the visit before this one
	seen   time.Time // when the page was last opened
}

// visitAt is the visit at this time, after the one that the cookie keeps.
func visitAt(cookie string, now time.Time) visit {
	before, seen, _ := strings.Cut(cookie, ".")
	began, wrong := strconv.ParseInt(before, 10, 64)
	last, also := strconv.ParseInt(seen, 10, 64)
	v := visit{before: time.Unix(began, 0), seen: time.Unix(last, 0)}
	switch {
	case wrong != nil || also != nil || v.before.After(now) || v.seen.After(now): // there is none, or not from us
		v.before = now.Add(-firstVisit)
	case now.Sub(v.seen) > visitEnds:
		v.before = v.seen
	}
	v.seen = now
	return v
}

func (v visit) cookie() string { return fmt.Sprintf("%d.%d", v.before.Unix(), v.seen.Unix()) }

// todaySpans are the times to look back that can be chosen besides the last visit.
var todaySpans = []struct {
	name, words string
	back        time.Duration
}{{"24h", "24 hours", 24 * time.Hour}, {"7d", "7 days", 7 * 24 * time.Hour}}

// Today shows what waits for the user, what ended since the last visit, and what it cost.
func (p *Pages) Today(c echo.Context) error {
	ctx, now := c.Request().Context(), p.Clock()
	var kept string
	if cookie, err := c.Cookie(todayCookie); err == nil {
		kept = cookie.Value
	}
	this := visitAt(kept, now)
	c.SetCookie(&http.Cookie{Name: todayCookie, Value: this.cookie(), Path: paths.Today, MaxAge: int(lookLasts.Seconds()), HttpOnly: true,
		SameSite: http.SameSiteStrictMode})

	page := views.Today{Frame: p.frame("Today", views.SectionToday), Waits: p.inbox("").Items, Since: this.before}
	chosen := c.QueryParam("since")
	page.Spans = []views.Tab{{Words: "Last visit", URL: paths.Today}}
	for _, span := range todaySpans {
		if span.name == chosen {
			page.Since = now.Add(-span.back)
		}
		page.Spans = append(page.Spans, views.Tab{Words: span.words, URL: paths.TodaySince(span.name), Current: span.name == chosen})
	}
	page.Spans[0].Current = page.Since.Equal(this.before)

	over, err := p.Quests.Ended(ctx, orchestration.EndedFilter{Since: page.Since, N: todayMost + 1})
	if err != nil {
		return err
	}
	page.More = len(over) > todayMost
	over = over[:min(len(over), todayMost)]
	var cost float64
	for _, e := range over {
		page.Ended, cost = append(page.Ended, p.endedRow(e)), cost+e.CostUSD
	}
	counted := views.Count(len(over), "quest", "quests")
	if page.More {
		counted = "The newest " + counted
	}
	page.Cost = fmt.Sprintf("%s, which cost %s in all. In quests that go on, runs that ended since then cost %s.",
		counted, orchestration.DollarWords(cost), orchestration.DollarWords(orchestration.CostSince(p.Quests.Active(), page.Since)))
	if page.Broken, err = p.brokenChannels(ctx); err != nil {
		return err
	}
	return render(c, http.StatusOK, views.TodayPage(page))
}

// brokenChannels says which channels do not reach anybody.
func (p *Pages) brokenChannels(ctx context.Context) ([]string, error) {
	now, err := p.Settings.Settings(ctx)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, c := range now.Channels {
		stands, err := p.Outbox.Standing(ctx, c.ID)
		switch {
		case err != nil:
			return nil, err
		case c.Stopped != "":
			list = append(list, fmt.Sprintf("The channel %s was stopped: %s.", views.Visible(c.Name), views.Visible(c.Stopped)))
		case stands.Broken():
			list = append(list, fmt.Sprintf("The channel %s: %s", views.Visible(c.Name), standingWords(stands)))
		}
	}
	return list, nil
}
