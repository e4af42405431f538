package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
	"questboard/handlers/api"
	"questboard/web/paths"
)

// faults turns every error into an answer. It is the only place where an error gets its
// HTTP status.
type faults struct {
	owner *owner
	pages *handlers.Pages
	log   *slog.Logger
}

func (f faults) handle(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	fault := f.fault(err)
	// A 503 is not a failure of the code: its message says what the server lacks.
	if fault.Status >= http.StatusInternalServerError && fault.Status != http.StatusServiceUnavailable {
		fault.RequestID = c.Response().Header().Get(echo.HeaderXRequestID)
		f.log.Error("request failed", "request", fault.RequestID, "method", c.Request().Method, "path", loggable(c), "error", err)
	}
	if err := f.answer(c, fault, err); err != nil {
		f.log.Warn("error page not written", "error", err)
	}
}

// loggable is the path of a request without the token of a share.
func loggable(c echo.Context) string {
	if isShared(c.Request().URL.Path) {
		return c.Path()
	}
	return pathOf(c.Request())
}

func (f faults) answer(c echo.Context, fault handlers.Fault, err error) error {
	r := c.Request()
	if fault.Status == http.StatusUnauthorized {
		c.Response().Header().Set("WWW-Authenticate", `Bearer realm="questboard"`)
	}
	if fault.Status == http.StatusServiceUnavailable {
		c.Response().Header().Set("Retry-After", "5")
	}
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/"):
		return api.WriteError(c, err)
	case r.URL.Path == paths.WebSocket || r.URL.Path == "/mcp" || paths.SharedSocket(r.URL.Path):
		return c.String(fault.Status, fault.Text+"\n")
	case fault.Status == http.StatusUnauthorized && r.Header.Get("HX-Request-Type") != "":
		// htmx would follow a redirect and show the login within the panel.
		c.Response().Header().Set("HX-Redirect", paths.Login)
		return c.NoContent(fault.Status)
	case fault.Status == http.StatusUnauthorized && r.Method == http.MethodGet && r.Header.Get("Authorization") == "":
		return c.Redirect(http.StatusSeeOther, paths.Login+"?next="+url.QueryEscape(r.URL.RequestURI()))
	}
	if r.Method == http.MethodPost {
		fault.Sent = sent(r)
		if fault.Status == http.StatusServiceUnavailable {
			fault.Again = r.URL.RequestURI()
		}
	}
	switch stranger := errors.Is(err, handlers.ErrNoShare) || errors.Is(err, handlers.ErrShareEnded); {
	case isShared(r.URL.Path) && !stranger:
		fault.Up = handlers.UpShared(c)
	case f.owner.knows(r) && !isShared(r.URL.Path):
		fault.SignedIn, fault.Up, fault.ReadOnly = true, f.pages.Up(c), f.pages.ReadOnlyNotice()
	}
	return handlers.FaultPage(c, fault)
}

func (f faults) fault(err error) handlers.Fault {
	switch {
	case errors.Is(err, handlers.ErrShareEnded):
		return handlers.Fault{Status: http.StatusGone, Heading: "This link has ended",
			Text: "It was revoked or has expired. Ask the person who sent it to you for a new one."}
	case errors.Is(err, handlers.ErrNoShare):
		return handlers.Fault{Status: http.StatusNotFound, Heading: "No such link",
			Text: "Nothing is shared at this address. Copy the whole link again. If that does not help, its quest was deleted: ask the person " +
				"who sent it to you."}
	}
	code, message, fields := handlers.Refusal(err)
	switch code {
	case "invalid":
		return handlers.Fault{Status: http.StatusUnprocessableEntity, Heading: "Check what you entered", Text: message, Fields: fields}
	case "not_found":
		return handlers.Fault{Status: http.StatusNotFound, Heading: "Not found", Text: message}
	case "conflict":
		return handlers.Fault{Status: http.StatusConflict, Heading: "Not possible now",
			Text: strings.TrimSuffix(message, ".") + ". Nothing was changed."}
	case "unavailable":
		return handlers.Fault{Status: http.StatusServiceUnavailable, Heading: "Try again later", Text: message}
	}
	var large *largeField
	if errors.As(err, &large) {
		return handlers.Fault{Status: http.StatusUnprocessableEntity, Heading: "Too much text",
			Fields: map[string]string{large.name: large.says()},
			Text:   "Nothing was changed. Shorten the text, or write it into a file of the repository and name the file here."}
	}
	var refused *echo.HTTPError
	if errors.As(err, &refused) {
		return ofEcho(refused)
	}
	return handlers.Fault{Status: http.StatusInternalServerError, Heading: "The server failed",
		Text: "This request failed; quests are not affected. Try again. If it fails again, look at the server's log."}
}

// ofEcho words the refusals of Echo and its middleware.
func ofEcho(refused *echo.HTTPError) handlers.Fault {
	f := handlers.Fault{Status: refused.Code, Heading: http.StatusText(refused.Code), Text: fmt.Sprint(refused.Message)}
	switch refused.Code {
	case http.StatusNotFound:
		f.Heading, f.Text = "Not found", "There is no such page. Its quest may have been deleted."
	case http.StatusMethodNotAllowed:
		f.Text = "This address does not accept that kind of request."
	case http.StatusServiceUnavailable:
		f.Heading = "Too much at once"
	case http.StatusConflict:
		f.Heading = "Done already"
	case http.StatusRequestEntityTooLarge:
		f.Heading, f.Text = tooLarge(refused)
	}
	return f
}

// tooLarge names the limit that a body exceeded.
func tooLarge(refused error) (heading, text string) {
	var large *http.MaxBytesError
	switch {
	case !errors.As(refused, &large):
		return "Too much at once", "The request is too large. Nothing was changed."
	case large.Limit == uploadBody:
		return "Too many files", fmt.Sprintf("A form with files may send at most %s. %s Nothing was changed.", handlers.Limit(uploadBody),
			handlers.UploadLimits())
	}
	return "Too much text", fmt.Sprintf("The text of a form may have at most %s. Nothing was changed.", handlers.Limit(large.Limit))
}

// recovered turns a panic of a handler into an error, because one broken page must not
// end the server.
func recovered(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			if r := recover(); r != nil {
				if aborted, is := r.(error); is && errors.Is(aborted, http.ErrAbortHandler) {
					panic(r)
				}
				err = fmt.Errorf("handler panicked: %v", r)
			}
		}()
		return next(c)
	}
}
