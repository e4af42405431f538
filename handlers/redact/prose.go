package redact

import (
	"bytes"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// proseBegins is the element in which views shows a text as Markdown.
var proseBegins = []byte(`<div class="md">`)

// prose redacts a text that was rendered from Markdown, up to the end of its element. It
// examines the words as people read them, because a mark, a link or a cell can split a
// name, or separate it from its value. If they reveal a secret, it writes the redacted
// words without any markup.
func (r *Redactor) prose(z *html.Tokenizer, out *bytes.Buffer) {
	var marked bytes.Buffer
	var read reader
	told := false // the address of a link contains a secret
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := bytes.Clone(z.Raw())
		token := z.Token()
		if kind == html.EndTagToken && token.Data == "div" {
			defer out.Write(raw)
			break
		}
		marked.Write(raw)
		read.add(token)
		for _, a := range token.Attr {
			told = told || a.Key == "href" && r.tells(a.Val)
		}
	}
	said := read.text.String()
	safe := r.Text(said)
	if safe == said && !told {
		out.Write(marked.Bytes())
		return
	}
	out.WriteString("<p>")
	out.WriteString(strings.ReplaceAll(html.EscapeString(strings.TrimSpace(safe)), "\n", "<br>"))
	out.WriteString("</p>")
}

// tells reports whether an address contains a secret, raw or decoded.
func (r *Redactor) tells(address string) bool {
	if r.Text(address) != address {
		return true
	}
	plain, err := url.PathUnescape(address)
	return err == nil && r.Text(plain) != plain
}

// reader collects the text that people read in elements.
type reader struct{ text strings.Builder }

func (r *reader) add(token html.Token) {
	switch token.Type {
	case html.TextToken:
		r.text.WriteString(token.Data)
	case html.StartTagToken, html.SelfClosingTagToken:
		switch token.Data {
		case "strong", "em", "del", "code", "a":
		case "td", "th":
			r.text.WriteString(" | ")
		default:
			r.text.WriteByte('\n')
		}
	case html.EndTagToken:
		if token.Data == "tr" {
			r.text.WriteString(" |")
		}
	default: // nobody reads the others
	}
}
