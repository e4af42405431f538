package redact

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// HTML redacts every text and every attribute that a page shows, except what guests typed
// into a form and get back. It works on the finished page, so that no view can forget it.
// The error may be ErrBlind.
func (r *Redactor) HTML(page []byte) ([]byte, error) {
	if r.blind {
		return nil, ErrBlind
	}
	var out bytes.Buffer
	out.Grow(len(page))
	z := html.NewTokenizer(bytes.NewReader(page))
	own := false // within a text that the guest typed
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("redact a page: %w", err)
			}
			return out.Bytes(), nil
		case html.TextToken:
			raw := z.Raw()
			if own {
				out.Write(raw)
				continue
			}
			said := string(raw)
			if strings.IndexByte(said, '&') >= 0 {
				said = html.UnescapeString(said)
			}
			if safe := r.Text(said); safe != said {
				out.WriteString(html.EscapeString(safe))
			} else {
				out.Write(raw)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			at := out.Len()
			out.Write(z.Raw())
			own = bytes.HasPrefix(z.Raw(), []byte("<textarea"))
			if bytes.Equal(z.Raw(), proseBegins) {
				r.prose(z, &out)
				continue
			}
			if attributeHints.in(string(z.Raw())) == 0 {
				continue
			}
			if token := z.Token(); r.attributes(token.Attr) {
				out.Truncate(at)
				out.WriteString(token.String())
			}
		default:
			own = false
			out.Write(z.Raw())
		}
	}
}

// shownAttributes are the attributes that people see or copy.
var shownAttributes = []string{"title", "alt", "aria-label", "placeholder", "data-copy", "summary"}

var attributeHints = newHints(wordsAs(1, shownAttributes))

// attributes redacts attributes in place, and reports whether any changed.
func (r *Redactor) attributes(list []html.Attribute) bool {
	changed := false
	for i, a := range list {
		if !slices.Contains(shownAttributes, a.Key) {
			continue
		}
		if safe := r.Text(a.Val); safe != a.Val {
			list[i].Val, changed = safe, true
		}
	}
	return changed
}
