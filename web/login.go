package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
	"questboard/web/paths"
)

// loginPage shows the login form. The first time that it is opened with the link's token,
// it logs in. Later the visitor has to press a button, because a link stays in the
// browser's history, and everything that opens addresses would log in.
func (o *owner) loginPage(c echo.Context) error {
	next := localPath(c.QueryParam("next"))
	if o.knows(c.Request()) {
		return c.Redirect(http.StatusSeeOther, next)
	}
	token := c.QueryParam("token")
	switch {
	case token == "":
		return handlers.LoginPage(c, http.StatusOK, "", next)
	case o.useBrowserToken(token):
		return o.letIn(c, next)
	case !o.isToken(token):
		return o.wrongToken(c, next)
	case !o.useLink():
		return handlers.LoginLinkUsed(c, next)
	}
	return o.letIn(c, next)
}

// login reads the token from the form.
func (o *owner) login(c echo.Context) error {
	next := localPath(c.FormValue("next"))
	if !o.isToken(strings.TrimSpace(c.FormValue("token"))) {
		return o.wrongToken(c, next)
	}
	return o.letIn(c, next)
}

func (o *owner) wrongToken(c echo.Context, next string) error {
	var refusal *echo.HTTPError
	if errors.As(o.refuseGuess(c.Request(), refusedLogin), &refusal) && refusal.Code == http.StatusTooManyRequests {
		return refusal
	}
	return handlers.LoginPage(c, http.StatusUnauthorized, "That is not the owner's token.", next)
}

func (o *owner) letIn(c echo.Context, next string) error {
	return c.Redirect(http.StatusSeeOther, withKey(next, o.openSession(c)))
}

// openSession gives the browser the cookie of a new session, and returns the session's
// key.
func (o *owner) openSession(c echo.Context) string {
	session, key := o.sessions.open()
	c.SetCookie(o.newCookie(session, int(sessionAge.Seconds())))
	return key
}

// logout ends the session of this browser, or of all browsers. It closes all open
// sockets. Those with a valid session reconnect on their own.
func (o *owner) logout(drop func()) echo.HandlerFunc {
	return func(c echo.Context) error {
		var err error
		if session, ok := o.session(c.Request()); c.FormValue("everywhere") != "" {
			err = o.sessions.closeAll()
		} else if ok {
			err = o.sessions.close(session)
		}
		drop()
		c.SetCookie(o.newCookie("", -1))
		if err != nil {
			return fmt.Errorf("forget a session, which would be back after a restart: %w", err)
		}
		return c.Redirect(http.StatusSeeOther, paths.Login)
	}
}

func (o *owner) newCookie(value string, maxAge int) *http.Cookie {
	return &http.Cookie{Name: o.cookie, Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: o.secure}
}

// localPath is the path to go to after the login. It never leads to another site.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(u.Path, "/") || path.Clean(u.Path) != u.Path ||
		strings.ContainsAny(next, "\\\r\n\t") || u.Path == paths.Login || u.Path == paths.Confirm {
		return paths.Quests
	}
	return u.RequestURI()
}
