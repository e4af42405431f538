package web

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
)

// The largest bodies. The API and MCP have smaller limits with their own messages. These
// are the limits for everything.
const (
	// A form has handlers.FieldMost bytes of any text in one field, also when each byte is sent as
	// "%AB".
	formBody = 4 << 20
	jsonBody = 8 << 20
	// strangeBody is the limit for clients without a login: for a login, a guest's
	// answer, and the forms of the page that asks for the token.
	strangeBody = 256 << 10
)

// largeField refuses a form because of one field. What was sent comes back, so that
// nothing that somebody typed is lost.
type largeField struct {
	name string
	size int
}

func (l *largeField) Error() string {
	return fmt.Sprintf("the field %s has %d bytes", l.name, l.size)
}

// says is what the page says beside the field.
func (l *largeField) says() string {
	return fmt.Sprintf("At most %s of text is possible, and this has %.1f MiB", handlers.Limit(handlers.FieldMost), float64(l.size)/(1<<20))
}

// sizes returns a *largeField if a field is too large.
func sizes(form url.Values) error {
	for _, name := range slices.Sorted(maps.Keys(form)) {
		for _, value := range form[name] {
			if len(value) > handlers.FieldMost {
				return &largeField{name, len(value)}
			}
		}
	}
	return nil
}

// bodies answers a body that is too large with 413. It looks at the declared length, or
// else counts while reading. It parses forms at once, because FormValue would drop the
// error and half a form would look like an empty one.
func (o *owner) bodies(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		forms := r.URL.Path != "/mcp" && !strings.HasPrefix(r.URL.Path, "/api/")
		limit, files := int64(jsonBody), forms && takesFiles[r.URL.Path] && isMultipart(r)
		switch {
		case !o.knows(r) && r.URL.Path != "/mcp":
			limit = strangeBody
		case files:
			limit = uploadBody
			_ = http.NewResponseController(c.Response().Writer).SetReadDeadline(time.Now().Add(uploadTime)) // fails only in tests
		case forms:
			limit = formBody
		}
		if r.ContentLength > limit && !files { // of a form with files, the text is read and comes back
			return largeForm(limit)
		}
		r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
		if !forms {
			return next(c)
		}
		if err := r.ParseForm(); err != nil {
			return unreadable(err)
		}
		checked := func(c echo.Context) error {
			if err := sizes(r.PostForm); err != nil {
				return err
			}
			return next(c)
		}
		if files {
			return o.uploads(c, checked)
		}
		return checked(c)
	}
}

// unreadable words the error of a form that cannot be read.
func unreadable(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return largeForm(large.Limit)
	}
	return echo.NewHTTPError(http.StatusBadRequest, "The form cannot be read.")
}
