package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// said is a line of output in which an agent says a text.
func said(text string) string {
	line, err := json.Marshal(map[string]any{"type": "assistant",
		"message": map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}})
	if err != nil {
		panic(err)
	}
	return string(line)
}

// runOf returns the newest run of a step of the party's quest.
func (d *door) runOf(t testing.TB, step string) string {
	t.Helper()
	q, err := d.engine.Quest(t.Context(), d.party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	return q.Step(step).Run
}

// everything returns all that guests can read through a link: each page, and the lines of
// output.
func (d *door) everything(t *testing.T, link string) map[string]string {
	t.Helper()
	pages, queue := map[string]string{}, []string{link}
	for len(queue) > 0 {
		at, _, _ := strings.Cut(queue[0], "#")
		queue = queue[1:]
		if pages[at] != "" || !strings.HasPrefix(at, link) {
			continue
		}
		w := d.request(http.MethodGet, at, "", nil)
		pages[at] = bodyOf(t, w)
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d", at, w.Code)
		}
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			continue
		}
		page, err := goquery.NewDocumentFromReader(strings.NewReader(pages[at]))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"href", "hx-get", "src"} { // src: the address of a log
			page.Find("[" + name + "]").Each(func(_ int, e *goquery.Selection) {
				if to, _ := e.Attr(name); !again(at, to) {
					queue = append(queue, to)
				}
			})
		}
	}
	return pages
}

// docs/hardening.md#web, T1.8, for shares: a page of a share shows no secret, wherever in
// the quest the secret is.
func TestSharesLeakNoSecrets(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	const mark = "CaNaRy123"
	shapes := []string{"API_KEY=" + mark, "Authorization: Bearer " + mark, "postgres://u:" + mark + "@db/x", "ghp_" + mark, "sk-ant-" + mark,
		`{"password": "` + mark + `"}`, "AKIA" + strings.ToUpper(mark), canary, "/home/hero/" + "x", "--token " + mark,
		"-----BEGIN EC PRIVATE KEY-----\n" + mark + "\n-----END EC PRIVATE KEY-----"}
	all := strings.Join(shapes, "\n")
	cut := func(at int) string { // longer texts are cut there, after five characters of the secret
		return strings.Repeat("x", at-11) + " ghp_" + mark + strings.Repeat("y", 60)
	}
	run := d.party.Start("routes")
	for _, shape := range shapes {
		d.output.Write(run, said("so "+shape), shape, "\x1b[31m"+shape[:4]+"\x1b[0m"+shape[4:])
	}
	d.output.Write(run, said(strings.Repeat("word ", 119)+"ghp_"+mark+mark))
	d.output.Write(run, "-----BEGIN OPENSSH PRIVATE KEY-----", mark, mark+"short", "-----END OPENSSH PRIVATE KEY-----", "after the key")
	d.output.Write(run, fmt.Sprintf(`{"type":"a future type","value":%q}`, mark))
	d.engine.Say(d.runOf(t, "adapter"), cut(160))
	d.party.Signal("routes", orchestration.Signal{Kind: orchestration.NeedsUserInput, Question: cut(200), Context: all})
	d.party.Ask("form", all)
	if own := d.get("/runs/" + run + "/output").Body.String(); !strings.Contains(own, mark) { // guests must not get the rows that are remembered for the owner
		t.Fatalf("the owner reads %s", own)
	}
	pages := d.everything(t, d.link(t, "output=true&cost=true"))
	read := ""
	for at, text := range pages {
		read += text
		for _, banned := range []string{mark, strings.ToUpper(mark), "CaNaR", canary, "/home/hero"} {
			if i := strings.Index(text, banned); i >= 0 {
				t.Errorf("%s tells %q: …%s…", at, banned, text[max(0, i-80):min(len(text), i+40)])
			}
		}
	}
	if len(pages) < 20 || strings.Count(read, "[redacted]") < 40 || !strings.Contains(read, "after the key") {
		t.Errorf("only %d pages were read, %d secrets left out", len(pages), strings.Count(read, "[redacted]"))
	}
}

var hostileTexts = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'"><svg/onload=alert(1)>`, `</textarea><script>alert(1)</script>`,
	`<a href="javascript:alert(1)">x</a>`, `<iframe srcdoc="<script>alert(1)</script>">`, `&lt;script&gt;alert(1)&lt;/script&gt;`,
	`<b>token=secretvalue</b><img src=x onerror=alert(1)>`, `<!-- --><script>alert(1)</script>`, `</title><script>alert(1)</script>`,
	`<form action=/quests/x/pause method=post><button>`, `<meta http-equiv=refresh content=0;url=//evil.example>`,
	"\x1b]8;;http://evil.example\x07click\x1b]8;;\x07", "\u202eevil\u202c", "a\x00b<i>", `{{constructor.constructor('alert(1)')()}}`,
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`, `password="><img src=x onerror=alert(1)>`,
}

// docs/hardening.md#web, T1.5, for shares: what agents write is text, even if a part of
// it was removed.
func TestSharesShowHostileTextsAsText(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	for i, text := range hostileTexts {
		party := handlerstest.Begin(d.engine, text)
		run := party.Start("requirements")
		d.output.Write(run, said(text), text)
		party.Ask("requirements", text)
		d.party = party
		for at, page := range d.everything(t, d.link(t, "output=true&answer=true")) {
			if strings.ContainsAny(page, "\x1b\x00\u202e") {
				t.Errorf("%d: %s holds signs that deceive", i, at)
			}
			if !strings.HasPrefix(strings.TrimSpace(page), "<!") {
				continue // JSON and plain text are not pages
			}
			parsed, err := goquery.NewDocumentFromReader(strings.NewReader(page))
			if err != nil {
				t.Fatal(err)
			}
			bad := parsed.Find("script:not([src^='/static/']), img:not([src^='/static/']), svg, iframe, [onerror], [onload], [srcdoc], meta[http-equiv], a[href^='javascript'], main b:empty")
			forms := parsed.Find("form").Length()
			if bad.Length() > 0 || forms > 1 || forms == 1 && !strings.Contains(at, "/questions/") {
				html, _ := goquery.OuterHtml(bad.First())
				t.Errorf("%d: %s: %d forms, %s", i, at, forms, html)
			}
		}
	}
}
