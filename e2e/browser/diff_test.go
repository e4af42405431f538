package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// The pages of diffs are accessible.
func TestDiffPagesAreAccessible(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	reviewed := handlerstest.Review(s.engine, s.diffs)
	long := strings.Repeat("diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n", 301)
	s.diffs.Set(reviewed.Quest, "review", long)
	quest := "/quests/" + reviewed.Quest
	b := newTab(t)
	b.open(s.login)
	b.auditAll(s.url, []namedPage{{"diff-split", quest + "/diff?view=split"}, {"diff-unified", quest + "/diff?view=unified&sent=2&followup=store"},
		{"diff-commenting", quest + "/steps/form/diff?on=" + formKey + ".n5"}, {"diff-empty", quest + "/steps/hash/diff"},
		{"diff-pages", quest + "/steps/review/diff?page=2"}, {"step-outside", quest + "/steps/form"}})
}

// formKey names internal/form.go in the fixture's diff.
const formKey = "ec483364c7"

// A diff can be reviewed by keyboard alone: going from file to file, a comment on a
// line and one on a file. A reload loses nothing. After sending, the page says what
// happens next.
func TestADiffIsReviewedByKeyboard(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Review(s.engine, s.diffs)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest + "/steps/form")
	b.click("#step-tab-Diff")
	b.until(`location.pathname.endsWith('/steps/form/diff')`)
	b.live()
	name := `document.activeElement.closest('.diff-file')?.querySelector('h2').textContent`
	for _, want := range []string{"a name with spaces.txt", "docs/notes.txt", "internal/form.go"} {
		b.do(chromedp.KeyEvent("j"))
		b.until(name + ` === '` + want + `'`)
	}
	b.do(chromedp.KeyEvent("k"))
	b.until(name + ` === 'docs/notes.txt'`)
	b.do(chromedp.KeyEvent("v"))
	b.until(`document.activeElement.closest('.diff-file').querySelector('.file-body').hidden && document.getElementById('viewed-count').textContent === '1 of 10 viewed'`)
	b.do(chromedp.KeyEvent("j"))
	// Nothing that has the focus is behind the bars.
	b.until(`(() => { const top = document.activeElement.getBoundingClientRect().top; return top >= 50 && top < 200; })()`)

	// To a line of the file, and a comment on it.
	b.do(chromedp.Focus(`[data-key="` + formKey + `"] .add .ln`))
	b.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent("c"))
	b.until(`document.activeElement.name === 'comment-text' && document.activeElement.labels[0].textContent === 'Comment on line 5 of internal/form.go'`)
	eval[any](b, `void (document.activeElement.value = '')`) // DevTools types the key although the page has prevented it
	b.do(chromedp.SendKeys("textarea[name=comment-text]", "Why <b>login</b>?"))
	b.until(`document.getElementById('comment-count').textContent === '1 comment'`)
	b.accessible("a comment being written")

	b.do(chromedp.Navigate(s.url+"/quests/"+party.Quest+"/steps/form/diff"), chromedp.WaitReady("#diff-form"))
	b.until(`document.querySelector('textarea[name=comment-text]')?.value === 'Why <b>login</b>?' && !document.getElementById('comment-bar').hidden`)
	if !eval[bool](b, `[...document.querySelectorAll('.viewed input')].filter((tick) => tick.checked).length === 1`) {
		t.Error("the tick was forgotten")
	}
	b.do(chromedp.Focus(`[data-key="`+formKey+`"] h2 a`), chromedp.KeyEvent("c"))
	b.until(`document.activeElement.name === 'comment-text' && document.activeElement.labels[0].textContent === 'Comment on internal/form.go'`)
	eval[any](b, `void (document.activeElement.value = '')`)
	b.do(chromedp.KeyEvent("Split this file."))
	b.until(`document.getElementById('comment-count').textContent === '2 comments'`)
	b.shot("diff-two-comments")
	b.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2)))
	b.until(`document.querySelector('#diff-notice')?.textContent.includes('2 comments were sent.')`)
	b.until(`location.search === '' && Object.keys(localStorage).filter((name) => name !== 'key').length === 1 && document.getElementById('comment-bar').hidden`)
	b.accessible("comments were sent")
	b.shot("diff-sent")
	q, err := s.engine.Quest(t.Context(), party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	got := q.Step("form").Comments
	for _, want := range []string{`"internal/form.go", line 5: // line 3 of the login form`, "Why <b>login</b>?", `"internal/form.go"` + "\nSplit this file."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// More lines of a file come into the page: its address, the other files and what was typed
// stay.
func TestMoreLinesOfAFileComeIntoThePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Review(s.engine, s.diffs)
	hunk := func(begin, same int) string {
		return fmt.Sprintf("diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -%d,%d +%d,%d @@\n", begin, same+1, begin, same+1) +
			strings.Repeat(" same\n", same) + "-one\n+two\n"
	}
	s.diffs.Set(party.Quest, "form", hunk(40, 3)+"diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n")
	s.diffs.SetOf(party.Quest, "form", "a.go", hunk(15, 28))
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest + "/steps/form/diff")
	b.live()
	b.click(`[data-name*="a.go"] .add .ln`)
	b.until(`document.activeElement.name === 'comment-text'`)
	b.do(chromedp.SendKeys("textarea[name=comment-text]", "do not lose me"))
	b.click(`[data-name*="a.go"] .file-head a[href*="around=25"]`)
	b.until(`document.querySelectorAll('[data-name*="a.go"] td.code.same').length === 28`)
	b.until(`document.querySelector('[data-name*="a.go"] .add + .comment-row textarea')?.value === 'do not lose me'`)
	if !eval[bool](b, `location.search === '' && document.querySelectorAll('.diff-file').length === 2`) {
		t.Error("the page was left, or the other file is gone")
	}
}

// Unsent comments survive a lost connection, a refusal and a change of the diff. A tick
// disappears when its file changes.
func TestCommentsAndTicksFollowTheDiff(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Review(s.engine, s.diffs)
	url := s.url + "/quests/" + party.Quest + "/steps/form/diff?view=split"
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(url)
	b.live()
	b.click(`[data-key="` + formKey + `"] .viewed input`)
	b.until(`document.querySelector('[data-key="` + formKey + `"] .file-body').hidden`)
	b.click(`[data-key="` + formKey + `"] .fold`)
	b.click(`[data-key="` + formKey + `"] td.num:has(+ .add) .ln`)
	b.until(`document.activeElement.name === 'comment-text'`)
	b.do(chromedp.SendKeys("textarea[name=comment-text]", "do not lose me"))

	s.hub.Drop() // the page around the diff is loaded again
	b.until(`document.documentElement.dataset.live !== 'on'`)
	party.Exit(runOf(s, party, "form"), "crashed", exitWith("killed"))
	b.live()
	b.until(`document.querySelector('#step-head').textContent.includes('Queued') || document.querySelector('#step-head').textContent.includes('resumes')`)
	if got := eval[string](b, `document.querySelector('textarea[name=comment-text]').value`); got != "do not lose me" {
		t.Errorf("the text became %q", got)
	}

	// The file changes: its tick is gone, and the comment finds its line.
	s.diffs.Set(party.Quest, "form", strings.Replace(handlerstest.Patch, "+// line 3 of the login form", "+// line three", 1))
	b.open(url)
	b.until(`!document.querySelector('[data-key="` + formKey + `"] .viewed input').checked && document.querySelector('tr.comment-row textarea')?.value === 'do not lose me'`)
	// The file is gone from the diff: the comment stays, beside it.
	s.diffs.Set(party.Quest, "form", "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n")
	b.open(url)
	b.until(`document.querySelector('#comments-elsewhere:not([hidden]) textarea')?.value === 'do not lose me'`)
	if _, err := s.engine.Submit(t.Context(), party.Quest, "user", orchestration.AbandonPressed{}); err != nil {
		t.Fatal(err)
	}
	b.click("#comment-bar button")
	b.until(`document.querySelector('#diff-fault[role=alert]')?.textContent.includes('Nothing was sent.')`)
	b.until(`document.querySelector('textarea[name=comment-text]').value === 'do not lose me'`)
	b.accessible("a conflict")
}

// Without scripts, comments work with links and buttons.
func TestCommentsAreSentWithoutScripts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Review(s.engine, s.diffs)
	b := newTab(t)
	b.size(390, 900)
	none := network.SetBlockedURLsParams{URLPatterns: []*network.BlockPattern{{URLPattern: "*://*:*/static/*.js", Block: true}}}
	if _, err := chromedp.Call(b.ctx, network.SetBlockedURLs, none); err != nil {
		t.Fatal(err)
	}
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest + "/diff")
	b.click(`[data-key="` + formKey + `"] .add .ln`)
	b.until(`document.querySelector('.comment-row textarea')`)
	b.do(chromedp.SendKeys(".comment-row textarea", "first"))
	b.click(`[data-key="` + formKey + `"] .del .ln`)
	b.until(`document.querySelectorAll('.comment-row textarea').length === 2 && document.querySelector('#file-` + formKey + `').textContent.includes('removed line 5')`)
	eval[any](b, `document.querySelectorAll('.comment-row textarea').forEach((box) => { box.value ||= 'second'; })`)
	b.accessible("two comments without scripts")
	b.click("#comment-bar button")
	b.confirm(s.token())
	b.until(`document.getElementById('diff-notice')?.textContent.includes('They became a new step')`)
	q, err := s.engine.Quest(t.Context(), party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	added := q.Step("comments-1")
	if added == nil || !strings.Contains(added.Comments, "first") || !strings.Contains(added.Comments, "second") {
		t.Error("the follow-up has not both comments")
	}
}

// With single keys switched off, a letter does nothing in a diff.
func TestADiffHasNoSingleKeysWhereTheyAreOff(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Review(s.engine, s.diffs)
	b := newTab(t)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest + "/steps/form/diff")
	b.live()
	const inFile = `!!document.activeElement.closest('.diff-file')`
	eval[any](b, `void (document.documentElement.dataset.keys = 'off')`)
	press(b, "j")
	if eval[bool](b, inFile) {
		t.Error("j went to the next file")
	}
	eval[any](b, `void delete document.documentElement.dataset.keys`)
	press(b, "j")
	b.until(inFile)
}
