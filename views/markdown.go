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

// This file is the one place that writes markup which templ has not escaped
// (a test of the house looks for others). What it writes has been through
// goldmark, which knows no raw HTML here, and then through the policy below,
// which drops whatever is not on its list.

// maxMarkdown is how much of a text is read as Markdown, in bytes: there are
// texts for which that takes time with the square of their length. The rest is
// shown as it stands.
const maxMarkdown = 16 << 10

// Markdown shows prose of agents and people. The text has been made safe to
// look at (handlers.clean) and, for guests, redacted.
func Markdown(text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, Visible(markdownHTML(text))) // entities may stand for what is not to be seen
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
			rendered.Reset() // a buffer takes everything; were it otherwise: as text
			rendered.WriteString("<p>" + html.EscapeString(text) + "</p>")
		}
		out = policy().SanitizeReader(&rendered).String()
	}
	if rest != "" {
		out += "<pre>" + html.EscapeString(rest) + "</pre>"
	}
	return out
}

// plainParagraph is a text in which nothing means anything in Markdown, as most
// lines of a log are; "" where something may.
func plainParagraph(text string) string {
	if text == "" || strings.ContainsAny(text[:1], "-+= \f\r0123456789") || strings.ContainsAny(text, "\\`*_{}[]<>#|~&@\n\t") ||
		strings.Contains(text, "://") || strings.Contains(text, "www.") {
		return ""
	}
	return "<p>" + html.EscapeString(text) + "</p>"
}

// policy is all the markup that a text of an agent may have: no classes, no
// ids, no styles, no images, and links to the web alone, which tell nobody
// where they were followed from.
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

// markdown is made once: it is safe for use by many.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithParser(proseParser()), goldmark.WithRenderer(proseRenderer()), goldmark.WithExtensions(proseExtensions()...))
})

// lastHeading is the deepest heading there is in HTML; those of a text begin
// below the page's own.
const lastHeading, firstHeading = 6, 4

func headingName(level int) string {
	return fmt.Sprintf("h%d", min(level+firstHeading-1, lastHeading))
}
