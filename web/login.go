package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
	"questboard/web/paths"
)

// loginPage is the form, or, with the link's token, the way in: once, because
// links are kept in histories.
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
		return handlers.LoginPage(c, http.StatusForbidden, "This login link was used already. Paste the token from it.", next)
	}
	return o.letIn(c, next)
}

// login takes the token from the form.
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
	c.SetCookie(o.newCookie(o.sessions.open(), int(sessionAge.Seconds())))
	return c.Redirect(http.StatusSeeOther, next)
}

func (o *owner) logout(c echo.Context) error {
	if cookie, err := c.Cookie(o.cookie); err == nil {
		o.sessions.close(cookie.Value)
	}
	c.SetCookie(o.newCookie("", -1))
	return c.Redirect(http.StatusSeeOther, paths.Login)
}

func (o *owner) newCookie(value string, maxAge int) *http.Cookie {
	return &http.Cookie{Name: o.cookie, Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: o.secure}
}

// localPath is where to go after the login: a path of ours, never another
// site's address.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(next, "/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") || u.Path == paths.Login {
		return paths.Quests
	}
	return next
}
