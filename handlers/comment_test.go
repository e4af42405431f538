package handlers_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// comments is a form with comments of four values each: file, place, quote and text.
func comments(values ...string) url.Values {
	form := url.Values{}
	for i := 0; i < len(values); i += 4 {
		for j, name := range []string{"comment-file", "comment-at", "comment-quote", "comment-text"} {
			form.Add(name, values[i+j])
		}
	}
	return form
}

// filled returns the form of a page as a browser would send it.
func filled(page *goquery.Document) url.Values {
	form := url.Values{}
	page.Find("#diff-form input, #diff-form textarea").Each(func(_ int, field *goquery.Selection) {
		if name, ok := field.Attr("name"); ok {
			value, _ := field.Attr("value")
			if goquery.NodeName(field) == "textarea" {
				value = field.Text()
			}
			form.Add(name, value)
		}
	})
	return form
}

// Without JavaScript a line's number is a link that opens a box. While a box is open, the
// numbers are buttons, so that what was typed is sent along.
func TestCommentsAreWrittenWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	params := []string{"quest", p.Quest, "step", "form"}
	page := parsed(t, call(t, s.pages.StepDiff, nil, params...))
	if got := words(page, "#comment-bar .muted"); got != "Comments go to Spiritmender, in this step's own worktree." {
		t.Errorf("the bar says %q", got)
	}
	href, _ := fileNamed(t, page, "internal/form.go").Find("tr.add a.ln").First().Attr("href")
	if page.Find("#diff-form .comment").Length() != 0 || page.Find("#comment-bar[hidden]").Length() != 1 {
		t.Error("there is a comment before one was begun")
	}

	page = parsed(t, ask(t, s.pages.StepDiff, strings.TrimPrefix(href, "?"), params...))
	box := page.Find("tr.comment-row")
	if got := textOf(box.Find("label")); got != "Comment on line 5 of internal/form.go" || page.Find("textarea[autofocus]").Length() != 1 {
		t.Fatalf("the box is for %q", got)
	}
	if quote, _ := box.Find("[name=comment-quote]").Attr("value"); quote != "// line 3 of the login form" {
		t.Errorf("it quotes %q", quote)
	}
	form := filled(page)
	form.Set("comment-text", "say login\r\nas the title does")
	form.Set("on", fileNamed(t, page, "docs/notes.txt").Find("tr.del button.ln").AttrOr("value", ""))

	w := call(t, s.pages.DraftStep, form, params...)
	page = parsed(t, w)
	if w.Code != http.StatusOK || page.Find(".comment-row").Length() != 2 || page.Find("a.ln").Length() != 0 {
		t.Fatalf("%d, %d boxes, %d links", w.Code, page.Find(".comment-row").Length(), page.Find("a.ln").Length())
	}
	if got := fileNamed(t, page, "internal/form.go").Find("textarea").Text(); got != "say login\nas the title does" {
		t.Errorf("the first comment became %q", got)
	}
	form = filled(page)
	form["comment-text"][0] = "keep this file" // in the page's order: docs comes first
	if got := form["comment-at"]; got[0] != "o1" || got[1] != "n5" {
		t.Fatalf("the comments are on %v", got)
	}
	w = call(t, s.pages.CommentStep, form, params...)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/quests/"+p.Quest+"/steps/form/diff?sent=2" {
		t.Fatalf("%d to %q", w.Code, w.Header().Get("Location"))
	}
	got := s.quest(t, p).Step("form").Comments
	want := "\"docs/notes.txt\", line 1 (removed): to be deleted\nkeep this file\n\n\"internal/form.go\", line 5: // line 3 of the login form\nsay login\nas the title does"
	if got != want {
		t.Errorf("the core has\n%s\nnot\n%s", got, want)
	}
}

// The page and the panel say what happens to the comments, but only after some were sent.
func TestThePageSaysWhatBecomesOfComments(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	follow := func(w *httptest.ResponseRecorder, handler string, params ...string) string {
		t.Helper()
		_, query, _ := strings.Cut(w.Header().Get("Location"), "?")
		if handler == "quest" {
			return words(parsed(t, ask(t, s.pages.QuestDiff, query, params...)), "#diff-notice[data-sent]")
		}
		return words(parsed(t, ask(t, s.pages.StepDiff, query, params...)), "#diff-notice[data-sent]")
	}
	one := comments(`"internal/form.go"`, "n5", "", "say why")
	got := follow(call(t, s.pages.CommentStep, one, "quest", p.Quest, "step", "form"), "step", "quest", p.Quest, "step", "form")
	const wait = "They wait until Siegemaster has finished and the check has run; then Spiritmender gets them."
	if !strings.Contains(got, "1 comment was sent. "+wait) {
		t.Errorf("a step at work: %q", got)
	}
	panel := parsed(t, call(t, s.pages.Step, nil, "quest", p.Quest, "step", "form"))
	if got := words(panel, "#step-outside details:first-child"); !strings.Contains(got, wait) || !strings.Contains(got, "say why") {
		t.Errorf("the panel says %q", got)
	}

	got = follow(call(t, s.pages.CommentStep, one, "quest", p.Quest, "step", "store"), "step", "quest", p.Quest, "step", "store")
	if !strings.Contains(got, "They became a new step: Comments on Keep sessions in the store") {
		t.Errorf("a merged step: %q", got)
	}
	another := comments(`"internal/form.go"`, "n5", "", "say where") // the same one would be known
	w := call(t, s.pages.CommentQuest, another, "quest", p.Quest)
	if got = follow(w, "quest", "quest", p.Quest); !strings.Contains(got, "Comments on the whole quest") {
		t.Errorf("the whole quest: %q", got)
	}
	merged := parsed(t, call(t, s.pages.StepDiff, nil, "quest", p.Quest, "step", "store"))
	if got := words(merged, "#comment-bar .muted"); got != "This work is merged, so comments become a new step." {
		t.Errorf("the bar of a merged step says %q", got)
	}
	page := parsed(t, ask(t, s.pages.QuestDiff, strings.Split(w.Header().Get("Location"), "?")[1], "quest", p.Quest))
	if href, _ := page.Find("#diff-notice a").Attr("href"); href != "/quests/"+p.Quest+"/steps/comments-2" {
		t.Errorf("the notice leads to %q", href)
	}
	for _, query := range []string{"", "sent=0", "sent=x", "sent=-1"} {
		if page := parsed(t, ask(t, s.pages.StepDiff, query, "quest", p.Quest, "step", "form")); page.Find("#diff-notice").Length() != 0 {
			t.Errorf("%q is a notice", query)
		}
	}
}

// A refused comment comes back with its text, at its line.
func TestARefusedCommentKeepsItsText(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	params := []string{"quest", p.Quest, "step", "form"}
	for name, form := range map[string]url.Values{"nothing": {}, "blank": comments(`"run.sh"`, "f", "", " \r\n")} {
		w := call(t, s.pages.CommentStep, form, params...)
		if page := parsed(t, w); w.Code != http.StatusUnprocessableEntity || page.Find("[role=alert]").Length() != 1 {
			t.Errorf("%s: %d %q", name, w.Code, words(page, "[role=alert]"))
		}
	}
	// The core refuses one of three comments, one of which is blank. The message is at
	// the right one.
	form := comments(`"run.sh"`, "f", "", "", `""`, "f", "", "of no file", `"internal/form.go"`, "n5", "q", "kept <text>")
	w := call(t, s.pages.CommentStep, form, params...)
	page := parsed(t, w)
	if w.Code != http.StatusUnprocessableEntity {
		t.Fatalf("status %d", w.Code)
	}
	if got := words(page, "#comments-elsewhere .comment"); !strings.Contains(got, "of no file") || !strings.Contains(got, "File: name the file.") {
		t.Errorf("the wrong one says %q", got)
	}
	if got := fileNamed(t, page, "internal/form.go").Find("textarea").Text(); got != "kept <text>" {
		t.Errorf("the good one became %q", got)
	}
	if page.Find("[aria-invalid=true]").Length() != 1 {
		t.Error("not one is wrong")
	}
	if got := s.quest(t, p).Step("form").Comments; got != "" {
		t.Errorf("was sent: %q", got)
	}
}

// If the quest takes no comments now, the page says so and keeps the text, even if there
// is no diff any more.
func TestAConflictKeepsTheText(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	shared := handlerstest.Busy(s.engine)
	form := comments(`"internal/form.go"`, "n5", "", "do not lose me")
	for _, d := range []struct{ quest, step, says string }{
		{p.Quest, "hash", "has not started"}, {p.Quest, "notes", "is skipped"}, {shared.Quest, "form", "work in the repository itself"},
	} {
		w := call(t, s.pages.CommentStep, form, "quest", d.quest, "step", d.step)
		page := parsed(t, w)
		if got := words(page, "#diff-fault[role=alert]"); w.Code != http.StatusConflict || !strings.Contains(got, d.says) || !strings.HasSuffix(got, "Nothing was sent.") {
			t.Errorf("%s: %d %q", d.step, w.Code, got)
		}
		if got := page.Find("#comments-elsewhere textarea").Text(); got != "do not lose me" {
			t.Errorf("%s: the text became %q", d.step, got)
		}
	}
	s.engine.Break(nil)
	if _, err := s.engine.Submit(t.Context(), p.Quest, "user", orchestration.AbandonPressed{}); err != nil {
		t.Fatal(err)
	}
	w := call(t, s.pages.CommentStep, form, "quest", p.Quest, "step", "form")
	page := parsed(t, w)
	if got := fileNamed(t, page, "internal/form.go").Find("textarea").Text(); w.Code != http.StatusConflict || got != "do not lose me" {
		t.Errorf("abandoned: %d %q", w.Code, got)
	}
	if page.Find("a.ln, button.ln").Length() != 0 || !strings.Contains(words(page, "#diff-closed"), "abandoned") {
		t.Error("an abandoned quest takes comments")
	}
}

// A form that no page could have made is refused before any comment is sent.
func TestAForgedCommentFormIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	many := url.Values{}
	for range 201 {
		for name, values := range comments(`"a"`, "n1", "", "x") {
			many[name] = append(many[name], values...)
		}
	}
	for _, form := range []url.Values{
		{"comment-text": {"alone"}}, comments("unquoted", "n1", "", "x"), comments(`"a"`, "n0", "", "x"), comments(`"a"`, "n-1", "", "x"),
		comments(`"a"`, "x7", "", "x"), comments(`"a"`, "", "", "x"), comments(`"a"`, "n1; rm", "", "x"), comments(`"a"`, "n99999999999999999999", "", "x"), many,
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if got := status(t, s.pages.CommentStep, r, "quest", p.Quest, "step", "form"); got != http.StatusBadRequest && got != http.StatusRequestEntityTooLarge {
			t.Errorf("%.80s: %d", fmt.Sprint(form), got)
		}
	}
	if got := s.quest(t, p).Step("form").Comments; got != "" {
		t.Errorf("was sent: %q", got)
	}
}

// A complete quest takes comments and continues. A delivered quest says that it is too
// late.
func TestACompleteQuestIsOpenedAgainByComments(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	p.Finish()
	page := parsed(t, call(t, s.pages.QuestDiff, nil, "quest", p.Quest))
	if got := words(page, "#comment-bar .muted"); got != "Comments become a new step, and the quest opens again." {
		t.Errorf("the bar says %q", got)
	}
	delivered := handlerstest.Review(s.engine, s.diffs)
	delivered.Finish()
	if _, err := s.engine.Submit(t.Context(), delivered.Quest, "user", orchestration.QuestDelivered{How: "merge", Branch: "main", Commit: "c0ffee4"}); err != nil {
		t.Fatal(err)
	}
	one := comments(`"internal/form.go"`, "n5", "", "one thing more")
	if w := call(t, s.pages.CommentQuest, one, "quest", p.Quest); w.Code != http.StatusSeeOther || s.quest(t, p).Over() {
		t.Errorf("%d, and the quest is over: %v", w.Code, s.quest(t, p).Over())
	}
	page = parsed(t, call(t, s.pages.QuestDiff, nil, "quest", delivered.Quest))
	if got := words(page, "#diff-closed"); !strings.Contains(got, "Merged.") || page.Find("a.ln").Length() != 0 {
		t.Errorf("a delivered quest says %q", got)
	}
	w := call(t, s.pages.CommentQuest, one, "quest", delivered.Quest)
	if page := parsed(t, w); w.Code != http.StatusConflict || !strings.Contains(words(page, "#diff-fault"), "start a follow-up quest") {
		t.Errorf("%d %q", w.Code, words(page, "#diff-fault"))
	}
}

// eager starts a step as soon as a comment has added it.
type eager struct {
	*handlerstest.Engine
	party *handlerstest.Party
}

func (e eager) Submit(ctx context.Context, quest, actor string, input orchestration.InputKind) (*orchestration.Quest, error) {
	if _, err := e.Engine.Submit(ctx, quest, actor, input); err != nil {
		return nil, err
	}
	e.party.Start("comments-1")
	return e.Engine.Quest(ctx, quest)
}

// The notice links to the follow-up even if that has started already.
func TestAFollowUpThatHasBegunIsNamed(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	s.pages.Quests = eager{s.engine, p}
	w := call(t, s.pages.CommentStep, comments(`"internal/store.go"`, "n1", "", "why?"), "quest", p.Quest, "step", "store")
	if got := w.Header().Get("Location"); got != "/quests/"+p.Quest+"/steps/store/diff?followup=comments-1&sent=1" {
		t.Errorf("leads to %q", got)
	}
}
