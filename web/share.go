package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
	"questboard/web/paths"
)

// shareRoutes mounts what links open. A guest has no cookie and no bearer
// token: the token is in the path, so these routes ask for no owner, and no
// other route knows it.
func shareRoutes(e *echo.Echo, owner *owner, d Deps) {
	guesses := &limiter{clock: owner.clock, perSecond: 10}
	answers := &limiter{clock: owner.clock, perSecond: 5} // of all guests
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

var errAnswers = echo.NewHTTPError(http.StatusTooManyRequests, "Too many answers at once, so your answer was not stored. Go back, wait a second, and send it again.")

// isShared reports whether a path is one that only links lead to.
func isShared(path string) bool { return strings.HasPrefix(path, paths.SharedPrefix) }

// followsLink reports whether somebody follows a link of a share from another
// site: a mail, a chat. That tells the other site nothing and changes nothing,
// and the page cannot be framed. All else of other sites is refused.
func followsLink(r *http.Request) bool {
	return isShared(r.URL.Path) && r.Method == http.MethodGet &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}
