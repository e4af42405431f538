package web

import (
	"crypto/rand"
	"net/http"

	"github.com/labstack/echo/v4"
)

// policy lets a page load from this server and nowhere else. HTML is parsed only through
// the Trusted Types policy of static/js/htmx.js.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'; trusted-types questboard"

func securityHeaders(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		// Not no-referrer: with it a browser posts the server's own forms with "Origin:
		// null", which the gate refuses. Other sites get no referrer in either case.
		h.Set("Referrer-Policy", "same-origin")
		if isShared(c.Request().URL.Path) {
			sharedHeaders(h)
		}
		return next(c)
	}
}

// sharedHeaders are for pages of a share: no cache keeps them, no search engine lists
// them, and they send no referrer. The page with a form needs another referrer policy
// (handlers/guest_answer.go).
func sharedHeaders(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Robots-Tag", "noindex, nofollow, noarchive")
}

// requestID gives every request an id that is short enough to read aloud.
func requestID(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set(echo.HeaderXRequestID, rand.Text()[:10])
		return next(c)
	}
}
