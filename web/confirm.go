package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
	"questboard/web/paths"
)

// tokenField is the field for the owner's token on the page that confirms a form.
const tokenField = "questboard_token"

// confirmHeader tells the page's script to send its form again without the script,
// because the answer is a whole page.
const confirmHeader = "Questboard-Confirm"

const (
	sayNoKey = "Please confirm your token to continue. Another program may have copied this browser's cookie, " +
		"so without JavaScript every form asks for the token. Nothing has changed so far."
	sayNobody = "You are not logged in, or the server has restarted since. Nothing has changed so far."
	sayWrong  = "That is not the owner's token. It is the part after token= in the login link that the server printed when it started."
)

var errNoKey = echo.NewHTTPError(http.StatusForbidden,
	"A browser's cookie alone changes nothing. Send the owner's token as a bearer token.")

// confirm answers a request that has only a cookie, or not even that. It answers a form
// with a page that keeps what was typed and asks for the owner's token. When that page is
// sent with the right token, the form's action runs.
func (o *owner) confirm(c echo.Context, next echo.HandlerFunc, via string) error {
	r := c.Request()
	status, say, refusal, reason := http.StatusForbidden, sayNoKey, errNoKey, refusedKey
	if via == "" {
		status, say, refusal, reason = http.StatusUnauthorized, sayNobody, errStranger, refusedNobody
	}
	switch token, given := strings.TrimSpace(r.PostForm.Get(tokenField)), r.PostForm.Has(tokenField); {
	case !isForm(c) || via == "" && len(r.PostForm) == 0:
		o.refusals.refuse(r, reason)
		return refusal
	case given && o.isToken(token):
		return o.confirmed(c, next)
	case given:
		var counted *echo.HTTPError
		status, say = http.StatusUnauthorized, sayWrong
		if errors.As(o.refuseGuess(r, refusedLogin), &counted) && counted.Code == http.StatusTooManyRequests {
			status, say = counted.Code, "Too many wrong tokens. Wait a second, and send the right one."
		}
	default:
		o.refusals.refuse(r, reason)
	}
	if r.Header.Get("HX-Request-Type") != "" {
		c.Response().Header().Set(confirmHeader, "true")
		return c.NoContent(status)
	}
	return handlers.ConfirmPage(c, handlers.Confirm{Status: status, Say: say, Wrong: r.PostForm.Has(tokenField), To: r.URL.RequestURI(),
		Fields: sent(r)})
}

// isForm reports whether a page of this server may have sent the request: the route
// belongs to a page, and its address cannot lead to another site.
func isForm(c echo.Context) bool {
	to := c.Request().URL.RequestURI()
	return c.Request().Method == http.MethodPost && c.Path() != "" && c.Path() != paths.WebSocket && !strings.HasPrefix(c.Path(), "/api/") &&
		strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") && !strings.Contains(to, "\\")
}

// sent returns the fields of a form without the secrets, in a fixed order.
func sent(r *http.Request) []handlers.SentField {
	var fields []handlers.SentField
	for name, values := range r.PostForm {
		if name == tokenField || name == keyField || name == onceField {
			continue
		}
		for _, value := range values {
			fields = append(fields, handlers.SentField{Name: name, Value: value})
		}
	}
	slices.SortStableFunc(fields, func(a, b handlers.SentField) int { return strings.Compare(a.Name, b.Name) })
	return fields
}

// confirmed runs the form's action, and gives the browser a key, so that a browser with
// scripts is not asked again. Without a session it opens one.
func (o *owner) confirmed(c echo.Context, next echo.HandlerFunc) error {
	r := c.Request()
	session, ok := o.session(r)
	key := ""
	if !ok {
		key = o.openSession(c)
	}
	c.Set(viaKey, viaBrowser)
	for _, form := range []map[string][]string{r.Form, r.PostForm} {
		delete(form, tokenField)
		delete(form, keyField)
	}
	c.Response().Before(func() {
		h := c.Response().Header()
		if h.Get(echo.HeaderLocation) == "" {
			return
		}
		if ok {
			key = o.sessions.newKey(session)
		}
		h.Set(echo.HeaderLocation, withKey(h.Get(echo.HeaderLocation), key))
	})
	return next(c)
}

func withKey(to, key string) string {
	to, _, _ = strings.Cut(to, "#")
	return to + keyFragment + key
}

// confirmPage is the page for a browser that has lost its key. It also tells the script
// of a page whether a key is valid.
func (o *owner) confirmPage(c echo.Context) error {
	if o.mode == AuthNone || o.showsKey(c.Request()) {
		return c.NoContent(http.StatusNoContent)
	}
	return handlers.ConfirmPage(c, handlers.Confirm{Status: http.StatusOK, To: paths.Confirm,
		Say: "Please confirm your token to continue. This browser has lost part of its session, so pages do not update live and forms ask " +
			"for the token.",
		Fields: []handlers.SentField{{Name: "next", Value: localPath(c.QueryParam("next"))}}})
}

// confirmOnly is the form of that page. By then the token has been checked, so there is
// nothing left to do.
func (o *owner) confirmOnly(c echo.Context) error {
	return c.Redirect(http.StatusSeeOther, localPath(c.FormValue("next")))
}
