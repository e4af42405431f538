package handlers

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"questboard/views"
	"questboard/web/paths"
)

// askedShown is how much of a request stands on a page, in bytes; askedHinted is
// how much of it stands among the facts of the board, in characters. A request
// may be a megabyte long.
const (
	askedShown  = 16 << 10
	askedHinted = 300
)

// asked is the user's own request; nil where nobody knows it any more, and for
// guests: what a share shows does not name it.
func (p *presenter) asked() *views.Asked {
	if p.q.Request == "" || p.guest() {
		return nil
	}
	text, cut := beginning(p.q.Request, askedShown)
	a := views.Asked{Text: clean(text), URL: paths.RequestText(p.q.ID)}
	if cut {
		a.More = bytesWords(int64(len(p.q.Request)))
	}
	return &a
}

// askedInShort is the beginning of the request on one line.
func (p *presenter) askedInShort() string {
	text, cut := beginning(p.q.Request, 4*askedHinted)
	r := []rune(strings.Join(strings.Fields(clean(text)), " "))
	if cut || len(r) > askedHinted {
		return string(r[:min(len(r), askedHinted)]) + " …"
	}
	return string(r)
}

// beginning is at most n bytes of a text, whole characters.
func beginning(s string, n int) (text string, cut bool) {
	if len(s) <= n {
		return s, false
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], true
}

// RequestText is the whole request as plain text.
func (p *Pages) RequestText(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.Blob(http.StatusOK, "text/plain; charset=utf-8", fmt.Appendln(nil, clean(q.Request)))
}
