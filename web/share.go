package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
	"questboard/web/paths"
)

// shareRoutes adds the routes of shares. A guest has no cookie and no bearer token,
// because the token is in the path. So these routes do not require the owner, and no
// other route accepts the token.
func shareRoutes(e *echo.Echo, owner *owner, d Deps) {
	guesses := &limiter{clock: owner.clock, perSecond: 10}
	answers := &limiter{clock: owner.clock, perSecond: 5} // of all guests together
	for _, r := range d.Pages.GuestRoutes(d.Hub) {
		e.Add(r.Method, r.Path, func(c echo.Context) error {
			if r.Method != http.MethodGet && !answers.allow() {
				return errAnswers
			}
			err := r.Handle(c)
			if errors.Is(err, handlers.ErrNoShare) || errors.Is(err, handlers.ErrShareEnded) {
				owner.refusals.refuse(c.Request(), refusedShare)
			}
			if errors.Is(err, handlers.ErrNoShare) && !guesses.allow() {
				return errGuesses
			}
			return err
		})
		owner.guests[r.Path] = true
	}
}

var errAnswers = echo.NewHTTPError(http.StatusTooManyRequests,
	"Too many answers at once, so your answer was not stored. Go back, wait a second, and send it again.")

// isShared reports whether a path belongs to a share.
func isShared(path string) bool { return strings.HasPrefix(path, paths.SharedPrefix) }

// followsLink reports whether a visitor follows the link of a share from another site,
// such as a mail or a chat. That is safe: the other site learns nothing, the request
// changes nothing, and the page cannot be framed. All other requests from other sites are
// refused.
func followsLink(r *http.Request) bool {
	return isShared(r.URL.Path) && r.Method == http.MethodGet &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}
