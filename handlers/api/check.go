package api

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// checks collects every wrong value of a request, so that the caller learns all of them
// at once. The zero value is ready.
type checks struct{ fields map[string]string }

func (c *checks) add(field, format string, args ...any) {
	if c.fields == nil {
		c.fields = map[string]string{}
	}
	if _, said := c.fields[field]; !said {
		c.fields[field] = fmt.Sprintf(format, args...)
	}
}

// addAll adds the faults of a rule, by field.
func (c *checks) addAll(faults map[string]string) {
	for field, why := range faults {
		c.add(field, "%s", why)
	}
}

// err returns the refusal, or nil if nothing was wrong.
func (c *checks) err() error {
	if len(c.fields) == 0 {
		return nil
	}
	names := make([]string, 0, len(c.fields))
	for name := range c.fields {
		names = append(names, name)
	}
	slices.Sort(names)
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = name + ": " + c.fields[name]
	}
	return &Fault{Status: http.StatusUnprocessableEntity, Code: "invalid",
		Message: strings.Join(parts, "; "), Fields: c.fields}
}

// take adds the fields that a refusal of the core names. It returns any other error.
func (c *checks) take(err error) error { return c.takeAt("", err) }

// takeAt is take for an object within the body. at precedes the names of its fields.
func (c *checks) takeAt(at string, err error) error {
	var refusal *orchestration.Error
	if err == nil || !errors.As(err, &refusal) || len(refusal.Fields) == 0 {
		return err
	}
	for field, why := range refusal.Fields {
		c.add(at+field, "%s", why)
	}
	return nil
}

// text reads a text of several lines. It refuses control characters and does not remove
// them, because a ward command that lacks a character is another command. Line ends
// become "\n".
func (c *checks) text(field, s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	for i, r := range s {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			c.add(field, "has the control character %U at byte %d", r, i)
			break
		}
	}
	return s
}

// line reads a text of one line, of at most limit characters.
func (c *checks) line(field, s string, limit int) string {
	s = strings.TrimSpace(c.text(field, s))
	if strings.ContainsAny(s, "\n\t") {
		c.add(field, "must be one line without tabs")
	}
	if n := utf8.RuneCountInString(s); n > limit {
		c.add(field, "has %d characters; at most %d", n, limit)
	}
	return s
}

func (c *checks) needed(field, s string) string {
	s = strings.TrimSpace(c.text(field, s))
	if s == "" {
		c.add(field, "must not be empty")
	}
	return s
}

func (c *checks) between(field string, n, lowest, highest int) {
	if n < lowest || n > highest {
		c.add(field, "is %d; must be %d to %d", n, lowest, highest)
	}
}

// directory reads an absolute path. Whether it exists is checked elsewhere.
func (c *checks) directory(field, dir string) string {
	dir = c.line(field, dir, 4096)
	switch {
	case dir == "":
		c.add(field, "must not be empty")
	case !filepath.IsAbs(dir):
		c.add(field, "must be an absolute path")
	}
	return filepath.Clean(dir)
}

// lines cleans a list of one-line texts in place.
func (c *checks) lines(field string, items *[]string) {
	if items == nil {
		return
	}
	for i, s := range *items {
		(*items)[i] = c.line(fmt.Sprintf("%s.%d", field, i), s, 4096)
	}
}

// acceptBaseline accepts that the check fails on the base branch already, so that the
// steps are not blamed for it.
func (h handlers) acceptBaseline(c echo.Context) error {
	if err := decode(c, &struct{}{}); err != nil {
		return err
	}
	return h.control(c, orchestration.BaselineAcceptPressed{})
}
