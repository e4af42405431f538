package handlers_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
)

// pageMost is the largest size of a page, in bytes of HTML.
const pageMost = 1_650_000

func times(n int, step string) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("%s %d", step, i)
	}
	return lines
}

// A file with many changed lines is folded. A link shows only this file, without
// JavaScript.
func TestLargeFilesAreFoldedBehindALink(t *testing.T) {
	t.Parallel()
	patch := added("small", times(400, "x")...) + added("large", times(401, "y")...) + added("wide", times(300, strings.Repeat("z", 1900))...)
	page, _ := shown(t, patch, "")
	if got := page.Find("tr.add").Length(); got != 400 {
		t.Errorf("%d lines are shown", got)
	}
	for name, lines := range map[string]int{"large": 401, "wide": 300} {
		file := fileNamed(t, page, name)
		if got := textOf(file.Find(".folded")); !strings.HasPrefix(got, fmt.Sprintf("%d changed lines are folded. Show this file", lines)) {
			t.Errorf("%s says %q", name, got)
		}
		href := file.Find(".folded a").AttrOr("href", "")
		alone, _ := shown(t, patch, strings.SplitN(href, "?", 2)[1])
		if got := alone.Find("tr.add").Length(); alone.Find(".diff-file").Length() != 1 || got != lines {
			t.Errorf("%s alone has %d lines", name, got)
		}
		if all := alone.Find(".diff-pages a").First(); all.Text() != "All files" || strings.Contains(all.AttrOr("href", ""), "file=") {
			t.Errorf("%s: the way back is %q", name, all.Text())
		}
	}
	gone, _ := shown(t, patch, "file=0123456789")
	if got := words(gone, ".alert"); !strings.Contains(got, "no longer in the diff") {
		t.Errorf("a file that is gone: %q", got)
	}
}

// However many files and lines there are, a page stays small. Its links lead to all of
// them, each once, in both views.
func TestEveryFileAndLineIsOnAPageThatStaysSmall(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 700 {
		many.WriteString(added(fmt.Sprintf("dir%d/file%d", i%7, i), "one"))
	}
	var wide strings.Builder
	for i := range 40 {
		wide.WriteString(added(fmt.Sprintf("file%d", i), times(100, strings.Repeat("<&\u202e", 20))...))
	}
	tall := added("tall", times(8_000, `"<'>&`)...)
	for name, d := range map[string]struct {
		patch, query string
		files, lines int
	}{
		"many files": {many.String(), "", 700, 700}, "wide files": {wide.String(), "", 40, 4000}, "a tall file": {tall, "alone", 0, 8_000},
		"shards": {strings.Repeat("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", 700), "", 700, 0},
	} {
		for _, columns := range []string{"unified", "split"} {
			query := "view=" + columns
			if d.query == "alone" {
				page, _ := shown(t, d.patch, "")
				query += "&file=" + page.Find(".diff-file").AttrOr("data-key", "")
			}
			files, lines, pages := through(t, d.patch, query)
			if d.files > 0 && files != d.files || lines != d.lines || pages < 2 {
				t.Errorf("%s, %s: %d files and %d lines on %d pages", name, columns, files, lines, pages)
			}
		}
	}
}

var (
	keyOnPage = regexp.MustCompile(` data-key="([^"]*)"`)
	nextPage  = regexp.MustCompile(`href="[^"?]*\?([^"]*)" rel="next"`)
)

// through follows the links from page to page. It does not parse the HTML, because
// parsing so much is slow.
func through(t *testing.T, patch, query string) (files, lines, pages int) {
	t.Helper()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	s.diffs.Set(p.Quest, "form", patch)
	columns, _, _ := strings.Cut(query, "&")
	for seen := map[string]bool{}; ; {
		pages++
		page := ask(t, s.pages.StepDiff, query, "quest", p.Quest, "step", "form").Body.String()
		if len(page) > pageMost {
			t.Errorf("%s has %d bytes", query, len(page))
		}
		keys := keyOnPage.FindAllStringSubmatch(page, -1)
		if len(keys) > 300 {
			t.Errorf("%s has %d files", query, len(keys))
		}
		for _, key := range keys {
			files++
			if seen[key[1]] && !strings.Contains(query, "file=") {
				t.Errorf("%s is there twice", key[1])
			}
			seen[key[1]] = true
		}
		lines += strings.Count(page, `class="code add"`)
		next := nextPage.FindStringSubmatch(page)
		if next == nil {
			return files, lines, pages
		}
		query = columns + "&" + strings.TrimSuffix(html.UnescapeString(next[1]), "&")
	}
}

// A file that is too large for a table is not parsed. Its beginning is shown as text.
func TestAHugeFileIsShownAsText(t *testing.T) {
	t.Parallel()
	patch := added("huge", make([]string, 400_000)...)
	page, _ := shown(t, patch, "")
	href := page.Find(".folded a").AttrOr("href", "?")
	if got := words(page, ".folded"); !strings.Contains(got, "400000 changed lines are too many to be laid out") {
		t.Errorf("folded: %q", got)
	}
	page, size := shown(t, patch, strings.SplitN(href, "?", 2)[1])
	if got := words(page, ".file-head"); !strings.Contains(got, "this is their beginning, as plain text") || page.Find("pre").Length() != 1 || size > 200_000 {
		t.Errorf("alone: %q, %d bytes", got, size)
	}
}

// A missing page says so. An invalid page number is refused.
func TestPagesThatAreNotThere(t *testing.T) {
	t.Parallel()
	page, _ := shown(t, added("x", "y"), "page=7")
	if got := words(page, ".alert"); !strings.Contains(got, "no page 7: the diff now has 1 page") {
		t.Errorf("it says %q", got)
	}
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	for _, query := range []string{"page=0", "page=-1", "page=x", "page=1e3"} {
		r := httptest.NewRequest(http.MethodGet, "/?"+query, nil)
		if got := status(t, s.pages.StepDiff, r, "quest", p.Quest, "step", "form"); got != http.StatusBadRequest {
			t.Errorf("%s: %d", query, got)
		}
	}
}

// The tick "viewed" belongs to one change: another change has another hash.
func TestAChangedFileHasAnotherHash(t *testing.T) {
	t.Parallel()
	at := func(patch string) (key, hash string) {
		page, _ := shown(t, patch, "")
		file := page.Find(".diff-file").First()
		return file.AttrOr("data-key", ""), file.AttrOr("data-hash", "")
	}
	key, hash := at(added("x", "one") + added("y", "same"))
	if again, same := at(added("x", "one") + added("y", "other")); again != key || same != hash {
		t.Error("another file's change counts")
	}
	if again, changed := at(added("x", "two")); again != key || changed == hash {
		t.Error("its own change does not count")
	}
	page, _ := shown(t, "diff --git a/x b/x\ndeleted file mode 100644\ndiff --git a/x b/x\nnew file mode 120000\n", "")
	if first, last := page.Find(".diff-file").First(), page.Find(".diff-file").Last(); first.AttrOr("id", "") == last.AttrOr("id", "") {
		t.Error("two parts share an id")
	}
}

// A file can be shown with more unchanged lines around its changes, up to all of them. Its
// tick "viewed" stays.
func TestAFileIsShownWithMoreUnchangedLines(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	hunk := func(begin, same int) string {
		head := "diff --git a/old name b/new name\nsimilarity index 90%\nrename from old name\nrename to new name\n--- a/old name\n+++ b/new name\n"
		return head + fmt.Sprintf("@@ -%d,%d +%d,%d @@\n", begin, same+1, begin, same+1) + strings.Repeat(" same\n", same) + "-one\n+two\n"
	}
	s.diffs.Set(p.Quest, "form", hunk(40, 3)+added("fresh", "x"))
	s.diffs.SetOf(p.Quest, "form", "new name", hunk(15, 28))
	page := parsed(t, ask(t, s.pages.StepDiff, "", "quest", p.Quest, "step", "form"))
	file := fileNamed(t, page, "new name")
	more := file.Find(".file-head > a.small:not(.ln)")
	if got := textOf(more); got != "More lines of new name Whole file of new name" {
		t.Errorf("the links are %q", got)
	}
	if n := fileNamed(t, page, "fresh").Find(".file-head > a.small:not(.ln)").Length(); n != 0 {
		t.Errorf("%d links of a new file", n)
	}
	query, _, _ := strings.Cut(strings.SplitN(more.First().AttrOr("href", "?"), "?", 2)[1], "#")
	alone := parsed(t, ask(t, s.pages.StepDiff, query, "quest", p.Quest, "step", "form"))
	wide := fileNamed(t, alone, "new name")
	if n := wide.Find("td.code.same").Length(); n != 28 {
		t.Errorf("%d unchanged lines", n)
	}
	if wide.AttrOr("data-hash", "") != file.AttrOr("data-hash", "-") {
		t.Error("the tick does not stay")
	}
	if kept := alone.Find(`#diff-form input[name=around]`).AttrOr("value", ""); kept != "25" {
		t.Errorf("a comment leads back to %q lines", kept)
	}
	s.diffs.Set(p.Quest, "form", added("other", "x")+hunk(40, 3))
	s.diffs.SetOf(p.Quest, "form", "new name", "")
	if got := words(parsed(t, ask(t, s.pages.StepDiff, query, "quest", p.Quest, "step", "form")), ".alert"); !strings.Contains(got, "cannot be read") {
		t.Errorf("nothing is read: %q", got)
	}
	for _, around := range []string{"0", "-1", "x", "50001"} {
		r := httptest.NewRequest(http.MethodGet, "/?around="+around, nil)
		if got := status(t, s.pages.StepDiff, r, "quest", p.Quest, "step", "form"); got != http.StatusBadRequest {
			t.Errorf("around=%s: %d", around, got)
		}
	}
}
