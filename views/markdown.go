package views

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/a-h/templ"
	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
)

// Only this file writes markup that templ has not escaped; a test looks for other places.
// The markup comes from goldmark, which does not pass HTML through here, and then passes
// the policy below, which removes everything that is not on its list.

// maxMarkdown is how many bytes of a text are read as Markdown, because some texts need
// quadratic time. The rest is shown as it is.
const maxMarkdown = 16 << 10

// Markdown renders a text of an agent or a person. The text must be safe to show
// (present.clean) and, for guests, redacted.
func Markdown(text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, Visible(markdownHTML(text))) // entities may stand for characters that Visible must show
		return err
	})
}

func markdownHTML(text string) string {
	rest := ""
	if len(text) > maxMarkdown {
		end := maxMarkdown
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text, rest = text[:end], text[end:]
	}
	out := plainParagraph(text)
	if out == "" && text != "" {
		var rendered bytes.Buffer
		if err := markdown().Convert([]byte(text), &rendered); err != nil {
			rendered.Reset() // a buffer takes everything, but if it fails, show plain text
			rendered.WriteString("<p>" + html.EscapeString(text) + "</p>")
		}
		out = policy().SanitizeReader(&rendered).String()
	}
	if rest != "" {
		out += "<pre>" + html.EscapeString(rest) + "</pre>"
	}
	return out
}

// plainParagraph renders a text without any Markdown, as most lines of a log are. It
// returns "" if the text may have some.
func plainParagraph(text string) string {
	if text == "" || strings.ContainsAny(text[:1], "-+= \f\r0123456789") || strings.ContainsAny(text, "\\`*_{}[]<>#|~&@\n\t") ||
		strings.Contains(text, "://") || strings.Contains(text, "www.") {
		return ""
	}
	return "<p>" + html.EscapeString(text) + "</p>"
}

// policy is the list of all markup that a text may have: no classes, ids, styles or
// images, and links only to the web, without a referrer.
var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h4", "h5", "h6", "strong", "em", "del", "code", "pre", "blockquote",
		"ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "a")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(false)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
})

// markdown is created once. It is safe for concurrent use.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithParser(proseParser()), goldmark.WithRenderer(proseRenderer()),
		goldmark.WithExtensions(proseExtensions()...))
})

// lastHeading is the deepest heading in HTML. firstHeading is below the headings of the
// page itself.
const lastHeading, firstHeading = 6, 4

func headingName(level int) string {
	return fmt.Sprintf("h%d", min(level+firstHeading-1, lastHeading))
}
