package handlers_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
)

// shown returns the page of a patch.
func shown(t *testing.T, patch, query string) (*goquery.Document, int) {
	t.Helper()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	s.diffs.Set(p.Quest, "form", patch)
	w := ask(t, s.pages.StepDiff, query, "quest", p.Quest, "step", "form")
	size := w.Body.Len()
	return parsed(t, w), size
}

// added returns a patch with one new file.
func added(name string, lines ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git %s %s\nnew file mode 100644\nindex 0000000..587be6b\n--- /dev/null\n+++ %s\n@@ -0,0 +1,%d @@\n",
		quotedAs("a/", name), quotedAs("b/", name), quotedAs("b/", name), len(lines))
	for _, line := range lines {
		b.WriteString("+" + line + "\n")
	}
	return b.String()
}

// quotedAs writes a name as git does: in quotes if it has unusual characters.
func quotedAs(prefix, name string) string {
	odd := false
	var b strings.Builder
	for _, c := range []byte(prefix + name) {
		switch {
		case c == '"' || c == '\\':
			odd = true
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c >= 0x7f:
			odd = true
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	if odd {
		return `"` + b.String() + `"`
	}
	return b.String()
}

// A file's name is shown as visible text on one line, whatever it is, and the form
// returns it byte for byte.
func TestHostileNamesAreTextAndComeBackWhole(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"<script>alert(1)</script>":         "<script>alert(1)</script>",
		"a\nb":                              "a␊b",
		"a\r\n\tb":                          "a␍␊␉b",
		"evil\u202egnp.exe":                 "evil⟨U+202E⟩gnp.exe",
		"bad\xff\xfeutf8":                   "bad\ufffd\ufffdutf8",
		`"quoted"`:                          `"quoted"`,
		`back\slash`:                        `back\slash`,
		"\x1b[31mred":                       "␛[31mred",
		" leading and trailing ":            " leading and trailing ",
		"javascript:alert(1)":               "javascript:alert(1)",
		strings.Repeat("x", 4000):           strings.Repeat("x", 150) + "…" + strings.Repeat("x", 150),
		strings.Repeat("d/", 1500) + "deep": strings.Repeat("d/", 75) + "…d" + strings.Repeat("/d", 72) + "/deep",
	} {
		page, _ := shown(t, added(name, "one"), "")
		if got := page.Find(".diff-file h2").Text(); got != want {
			t.Errorf("%.60q is shown as %q", name, got)
		}
		if page.Find(".diff-file tr.add").Length() != 1 {
			t.Errorf("%.60q is not laid out", name)
		}
		key, _ := page.Find(".diff-file").Attr("data-key")
		page, _ = shown(t, added(name, "one"), url.Values{"on": {key + ".n1"}}.Encode())
		back, err := strconv.Unquote(page.Find(".comment [name=comment-file]").AttrOr("value", ""))
		if err != nil || back != name {
			t.Errorf("%.60q comes back as %.60q: %v", name, back, err)
		}
		if n := page.Find("#main script, #main img, #main [onerror], #main [style]").Length(); n != 0 {
			t.Errorf("%.60q made %d elements", name, n)
		}
	}
}

// Content is text: markup, control characters and bidirectional overrides are visible,
// and long lines are cut with a remark.
func TestHostileContentIsText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 600_000)
	page, size := shown(t, added("x", "</td></table></form><script>alert(1)</script>", "a\x00b\x07c", "\u202eevil", "bad\xffutf8",
		long, "diff --git a/y b/y", "--- a/x", "+++ b/x", "@@ -1 +1 @@", `\ No newline at end of file`, "<img src=x onerror=alert(1)>"), "")
	rows := page.Find(".diff-file tr.add .code > span:not(.unseen)")
	for i, want := range []string{"</td></table></form><script>alert(1)</script>", "a␀b␇c", "⟨U+202E⟩evil", "bad\ufffdutf8",
		strings.Repeat("é", 1000), "diff --git a/y b/y", "--- a/x", "+++ b/x", "@@ -1 +1 @@", `\ No newline at end of file`, "<img src=x onerror=alert(1)>"} {
		if got := rows.Eq(i).Text(); got != want {
			t.Errorf("line %d is %.80q, not %.80q", i+1, got, want)
		}
	}
	if got := page.Find(".code b").Text(); got != "… 1198000 more bytes" {
		t.Errorf("the cut line says %q", got)
	}
	if n := page.Find("#main script, #main img, #main [onerror], #main [style]").Length(); n != 0 {
		t.Errorf("%d elements were made", n)
	}
	if page.Find(".diff-file").Length() != 1 || size > 100_000 {
		t.Errorf("%d files, %d bytes", page.Find(".diff-file").Length(), size)
	}
}

// A comment's text is text too, in the box and after it was sent.
func TestHostileCommentsAreText(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	const evil = "</textarea><script>alert(1)</script>\u202e"
	form := comments(`"internal/form.go"`, "n5", evil, evil, `""`, "f", evil, evil)
	page := parsed(t, call(t, s.pages.CommentStep, form, "quest", p.Quest, "step", "form"))
	if got := page.Find("textarea").First().Text(); got != evil {
		t.Errorf("the text became %q", got)
	}
	form = comments(`"internal/form.go"`, "n5", evil, evil)
	call(t, s.pages.CommentStep, form, "quest", p.Quest, "step", "form")
	panel := parsed(t, call(t, s.pages.Step, nil, "quest", p.Quest, "step", "form"))
	if got := panel.Find("#step-outside pre").Text(); !strings.Contains(got, "</textarea><script>alert(1)</script>⟨U+202E⟩") {
		t.Errorf("it is shown as %q", got)
	}
	if n := page.Find("#main script").Length() + panel.Find("#panel script").Length(); n != 0 {
		t.Errorf("%d scripts were made", n)
	}
}

// A patch that cannot be parsed is shown as plain text. The other files are shown by
// lines.
func TestAPatchThatCannotBeReadIsPlainText(t *testing.T) {
	t.Parallel()
	good := added("good", "fine")
	for name, patch := range map[string]string{
		"miscounted":      strings.Replace(added("bad", "one", "two"), "+1,2", "+1,7", 1),
		"broken range":    strings.Replace(added("bad", "one"), "+1,1", "+x", 1),
		"unknown sign":    strings.Replace(added("bad", "one"), "+one", "*one", 1),
		"broken quoting":  "diff --git \"a/bad b/bad\nnew file mode 100644\n",
		"no name":         "diff --git \nindex 1..2\n",
		"bad mode":        "diff --git a/bad b/bad\nnew file mode worse\n",
		"endless name":    added(strings.Repeat(" x", 500_000), "one"),
		"no patch at all": "<b>something else</b>\n",
		"a mail":          "From: x\nSubject: y\n\ndiff --git ", // cut within the head
	} {
		page, _ := shown(t, patch+"\n"+good, "")
		plain := page.Find(".diff-file").First()
		if !strings.Contains(textOf(plain.Find(".file-head")), "plain text") || plain.Find("pre").Length() != 1 || plain.Find("table").Length() != 0 {
			t.Errorf("%s: %q", name, textOf(plain))
		}
		if name == "a mail" {
			continue
		}
		if got := textOf(page.Find(".diff-file").Last().Find("tr.add")); got != "1 + added fine" {
			t.Errorf("%s: the good file is %q", name, got)
		}
	}
}
