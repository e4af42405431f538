package handlers

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/views"
	"questboard/web/paths"
)

// lookCookie stores a views.Look as a query. It is not secret.
const lookCookie = "questboard_look"

// legendCookie is set by static/js/board.js when the legend of the board is closed.
const legendCookie = "questboard_legend"

// lookLasts is how long a browser keeps its look.
const lookLasts = 400 * 24 * time.Hour

// looking returns the request's context with the look that the browser chose.
func looking(c echo.Context) context.Context {
	var l views.Look
	if cookie, err := c.Cookie(lookCookie); err == nil {
		chosen, _ := url.ParseQuery(cookie.Value)
		l = lookFrom(chosen)
	}
	_, err := c.Cookie(legendCookie)
	l.Knows, l.Posted = err == nil, c.Request().Method == http.MethodPost
	return views.WithLook(c.Request().Context(), l)
}

// lookFrom checks every value, because cookies can come from anywhere.
func lookFrom(chosen url.Values) views.Look {
	l := views.Look{NoKeys: chosen.Get("keys") == "off", Technical: chosen.Get("technical") == "on"}
	if theme := chosen.Get("theme"); theme == "light" || theme == "dark" {
		l.Theme = theme
	}
	return l
}

// BrowserPage shows the settings of this browser.
func (p *Pages) BrowserPage(c echo.Context) error {
	frame := p.frame("This browser", views.SectionSettings)
	page := views.Browser{Frame: frame, Look: views.LookOf(looking(c))}
	if c.QueryParam("saved") != "" {
		page.Notice = "Saved, for this browser."
	}
	return render(c, http.StatusOK, views.BrowserPage(page))
}

// SetBrowser saves the fields theme and keys.
func (p *Pages) SetBrowser(c echo.Context) error {
	chosen := url.Values{"theme": {c.FormValue("theme")}, "keys": {c.FormValue("keys")}}
	if chosen.Get("keys") != "on" {
		chosen.Set("keys", "off")
	}
	l := lookFrom(chosen)
	l.Technical = views.LookOf(looking(c)).Technical
	keepLook(c, l)
	return see(c, paths.Browser+"?saved=1")
}

// keepLook lets the browser keep a look.
func keepLook(c echo.Context, l views.Look) {
	value := url.Values{}
	if l.Theme != "" {
		value.Set("theme", l.Theme)
	}
	if l.NoKeys {
		value.Set("keys", "off")
	}
	if l.Technical {
		value.Set("technical", "on")
	}
	c.SetCookie(&http.Cookie{Name: lookCookie, Value: value.Encode(), Path: "/", MaxAge: int(lookLasts.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode})
}
