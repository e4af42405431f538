package views_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"questboard/views"
)

func markdown(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := views.Markdown(text).Render(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestMarkdownIsReadable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain words, no more":                "<p>plain words, no more</p>",
		"one\ntwo":                            "<p>one<br>\ntwo</p>",
		"# Title\n\n**bold** `code`":          "<h4>Title</h4>\n<p><strong>bold</strong> <code>code</code></p>",
		"###### deep":                         "<h6>deep</h6>",
		"- [x] done\n- [ ] open":              "<ul>\n<li>☑ done</li>\n<li>☐ open</li>\n</ul>",
		"3. three":                            "<ol start=\"3\">\n<li>three</li>\n</ol>",
		"~~gone~~":                            "<p><del>gone</del></p>",
		"```go\nfunc f() {}\n```":             "<pre><code>func f() {}\n</code></pre>",
		"|a|b|\n|:-|-:|\n|1|2|":               "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>",
		"see https://a.example/x":             `<p>see <a href="https://a.example/x" rel="nofollow noreferrer noopener" target="_blank">https://a.example/x</a></p>`,
		"![a cat](https://a.example/cat.png)": `<p><a href="https://a.example/cat.png" rel="nofollow noreferrer noopener" target="_blank">Image: a cat</a></p>`,
		"[the file](internal/form.go)":        "<p>the file</p>",
		"a <b>tag</b> & more":                 "<p>a &lt;b&gt;tag&lt;/b&gt; &amp; more</p>",
		"":                                    "",
	} {
		if got := strings.TrimSpace(markdown(t, text)); got != want {
			t.Errorf("%q\n  is %s\nwant %s", text, got, want)
		}
	}
}

// hostileMarkdown are texts that try to be more than text.
var hostileMarkdown = []string{
	"<script>alert(1)</script>", "hello <script src=//evil.example></script>", "<img src=x onerror=alert(1)>",
	"<div>\n\n*a*\n\n</div>", "<style>*{display:none}</style>", "<p class=\"chip\" id=\"main\" style=\"color:red\">x</p>",
	"[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](java\nscript:alert(1))", "[x](&#106;avascript:alert(1))",
	"[x](data:text/html;base64,PHNjcmlwdD4=)", "[x](vbscript:x)", "<javascript:alert(1)>", "[x](//evil.example)", "[x](/quests/q1/abandon)",
	"![x](javascript:alert(1))", "![x](https://evil.example/p.png \"t\" onload=alert(1))", "![\"><script>](https://evil.example/\"onerror=alert(1))",
	"# Title {#main .chip onclick=alert(1)}", "```\"><script>alert(1)</script>\nx\n```", "[a]: javascript:alert(1)\n\n[a]", "<a href=\"x\" name=\"forms\">y</a>",
	"[^1]\n\n[^1]: note", "<iframe srcdoc=x>", "<svg/onload=alert(1)>", "<!-- --><meta http-equiv=refresh>", "<form action=/quests><input name=x>", "&lt;script&gt;alert(1)&lt;/script&gt;",
	"[x](https://u:p@evil.example/)", "http://evil.example/<script>", "`<img src=x>`", "    <script>x</script>", "<base href=//evil.example>",
}

// Whatever an agent's text contains, the page gets only elements and attributes of the
// list, and nothing that a browser loads by itself.
func TestMarkdownOfAnAgentIsHarmless(t *testing.T) {
	t.Parallel()
	elements := strings.Fields("p br hr h4 h5 h6 strong em del code pre blockquote ul ol li table thead tbody tr th td a")
	allowed := map[string]bool{}
	for _, name := range elements {
		allowed[name] = true
	}
	link := regexp.MustCompile(`^(https?://|mailto:)`)
	for _, text := range hostileMarkdown {
		for _, text := range []string{text, "- " + text, "> " + text, "| " + text + " |\n|-|\n| " + text + " |", "**" + text + "**"} {
			got := markdown(t, text)
			page, err := goquery.NewDocumentFromReader(strings.NewReader(got))
			if err != nil {
				t.Fatal(err)
			}
			page.Find("body *").Each(func(_ int, e *goquery.Selection) {
				node := e.Get(0)
				if !allowed[node.Data] {
					t.Errorf("%q makes <%s>: %s", text, node.Data, got)
				}
				for _, a := range node.Attr {
					if !harmless(node, a, link) {
						t.Errorf("%q makes %s=%q: %s", text, a.Key, a.Val, got)
					}
				}
			})
		}
	}
}

func harmless(node *html.Node, a html.Attribute, link *regexp.Regexp) bool {
	switch {
	case node.Data == "ol":
		return a.Key == "start"
	case node.Data != "a":
		return false
	case a.Key == "href":
		return link.MatchString(a.Val)
	default:
		return a.Key == "rel" && strings.Contains(a.Val, "noopener") && strings.Contains(a.Val, "nofollow") || a.Key == "target" && a.Val == "_blank"
	}
}

// An entity may stand for a character that Visible would replace.
func TestMarkdownHidesNothing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"&#x202e;gnp.exe":         "<p>⟨U+202E⟩gnp.exe</p>",
		"ad&shy;min &rlm;&#8203;": "<p>ad⟨U+00AD⟩min ⟨U+200F⟩⟨U+200B⟩</p>",
		"&#27;[31m &#x9b;":        "<p>␛[31m ⟨U+009B⟩</p>",
		"`&#x202e;`":              "<p><code>&amp;#x202e;</code></p>",
		"[a&#x202e;b](https://a.example/x&#x202e;y)": `<p><a href="https://a.example/x%E2%80%AEy" rel="nofollow noreferrer noopener" target="_blank">a⟨U+202E⟩b</a></p>`,
	} {
		if got := strings.TrimSpace(markdown(t, text)); got != want {
			t.Errorf("%s\n  is %q\nwant %q", text, got, want)
		}
	}
}

func TestMarkdownIsBounded(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"quotes": strings.Repeat(">", 1<<20), "brackets": strings.Repeat("[", 1<<20), "links": strings.Repeat("[a](", 1<<18), "stars": strings.Repeat("*a **a ", 1<<17),
		"lists": strings.Repeat("- ", 1<<19), "ticks": strings.Repeat("`a``b", 1<<18), "pipes": strings.Repeat("|a", 1<<19) + "\n" + strings.Repeat("|-", 1<<19), "words": strings.Repeat("é", 1<<19),
		"pictures": strings.Repeat("![", 1<<19), "lines": strings.Repeat("a\n", 1<<19), "brackets closed": strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000),
	} {
		began := time.Now()
		got := markdown(t, text)
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		t.Logf("%s: %d bytes in %v", name, len(got), time.Since(began).Round(time.Millisecond))
		if len(got) > 6<<20 {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
	if got := markdown(t, strings.Repeat("*a* ", 1<<18)+"<end>"); !strings.HasSuffix(got, "*a* &lt;end&gt;</pre>") {
		t.Error("the rest of a long text is not shown as it stands")
	}
}
