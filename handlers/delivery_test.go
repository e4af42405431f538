package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

func conflict(why string) error {
	return &orchestration.Error{Code: orchestration.CodeConflict, Message: why}
}

func TestACompleteQuestIsMergedFromItsPage(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Finished(s.engine, "Say hello", "main")
	board := parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest))
	if got := words(board, "#alerts"); !strings.Contains(got, "on the branch quest/"+p.Quest+" and not in main yet") {
		t.Errorf("the board says %q", got)
	}
	page := parsed(t, call(t, s.pages.Delivery, nil, "quest", p.Quest))
	if got := words(page, "#checkout-words"); got != "A merge changes the files in /repo, because main is checked out there." {
		t.Errorf("of the checkout: %q", got)
	}
	for _, want := range []string{"#deliver input[name=how][value=merge][checked]", "#deliver input[value=squash]", "#deliver input[value=fast-forward]",
		"a#download-patch[href='/quests/" + p.Quest + "/patch']", "form[action='/quests/" + p.Quest + "/delivery/push']"} {
		if page.Find(want).Length() != 1 {
			t.Errorf("no %s", want)
		}
	}
	if got := page.Find("#message").Text(); got != "Say hello" {
		t.Errorf("the message begins as %q", got)
	}
	w := call(t, s.pages.Deliver, url.Values{"how": {"squash"}, "message": {"Hello"}}, "quest", p.Quest)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/quests/"+p.Quest+"/delivery" {
		t.Fatalf("%d to %s", w.Code, w.Header().Get("Location"))
	}
	page = parsed(t, call(t, s.pages.Delivery, nil, "quest", p.Quest))
	if got := words(page, "#delivered"); !strings.Contains(got, "squashed into one commit Branch main Commit 8d1f0c3b5a7e") {
		t.Errorf("afterwards: %q", got)
	}
	if page.Find("#deliver").Length()+page.Find("form[action$='/push']").Length() != 0 {
		t.Error("what was delivered can be delivered again")
	}
	board = parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest))
	if got := words(board, "#alerts"); !strings.Contains(got, "Merged into main squashed into one commit: 8d1f0c3b5a.") {
		t.Errorf("the board says %q", got)
	}
}

func TestADeliveryThatIsRefusedKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Finished(s.engine, "Say hello", "main")
	s.trees.DeliverErr = conflict("the checkout has uncommitted changes: commit, stash or move \"<b>.txt\" in /repo first")
	w := call(t, s.pages.Deliver, url.Values{"how": {"fast-forward"}, "message": {"My <words>"}}, "quest", p.Quest)
	page := parsed(t, w)
	if w.Code != http.StatusConflict || page.Find("#how-fast-forward[checked]").Length() != 1 || page.Find("#message").Text() != "My <words>" {
		t.Errorf("%d; how or message was lost", w.Code)
	}
	if got := words(page, "#deliver [role=alert]"); got != `The checkout has uncommitted changes: commit, stash or move "<b>.txt" in /repo first.` {
		t.Errorf("the page says %q", got)
	}
	if w := call(t, s.pages.Deliver, url.Values{"how": {"rebase"}}, "quest", p.Quest); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("another way: %d", w.Code)
	}
	if s.quest(t, p).Delivered != nil {
		t.Error("a refusal was recorded")
	}
}

func TestTheDeliveryPageSaysWhereAQuestStands(t *testing.T) {
	t.Parallel()
	s := newSite()
	shared := handlerstest.Busy(s.engine)
	young := handlerstest.OnBase(s.engine)
	gone, never, folder := handlerstest.OnBase(s.engine), handlerstest.OnBase(s.engine), handlerstest.Busy(s.engine)
	gone.BaseFails("TestOld")
	for _, quest := range []string{gone.Quest, never.Quest, folder.Quest} {
		if _, err := s.engine.Submit(t.Context(), quest, "user", orchestration.AbandonPressed{}); err != nil {
			t.Fatal(err)
		}
	}
	pinned := handlerstest.Finished(s.engine, "From a commit", strings.Repeat("ab", 20))
	release := handlerstest.Finished(s.engine, "For a release", "release")
	begun := handlerstest.OnBase(s.engine)
	begun.BaseFails("TestOld")
	idle := handlerstest.Unchanged(s.engine)
	torn := handlerstest.Finished(s.engine, "Torn", "main")
	s.engine.Damage(torn.Quest)
	for quest, want := range map[string]struct {
		says           string
		merges, pushes int
		patches        int
	}{
		shared.Quest:  {"The agents work in the repository itself: what they change is in /repo at once.", 0, 0, 0},
		folder.Quest:  {"what they changed before the end is in /repo, for you to review and to commit or undo.", 0, 0, 0},
		young.Quest:   {"No work on it has begun, so its branch quest/" + young.Quest + " does not exist yet.", 0, 0, 0},
		begun.Quest:   {"Its branch quest/" + begun.Quest + " holds what was merged so far.", 0, 0, 1},
		idle.Quest:    {"No file was changed, so there is nothing to merge.", 0, 0, 0},
		torn.Quest:    {"What was merged of it is on its branch quest/" + torn.Quest + ", if there is one.", 0, 0, 0},
		gone.Quest:    {"abandoned. What was merged before that stays on its branch quest/" + gone.Quest, 0, 0, 1},
		never.Quest:   {"abandoned before any work on it", 0, 0, 0},
		pinned.Quest:  {"started from a commit", 0, 1, 1},
		release.Quest: {"release is not checked out in /repo, so no file there is touched.", 1, 1, 1},
	} {
		page := parsed(t, call(t, s.pages.Delivery, nil, "quest", quest))
		if got := words(page, "main"); !strings.Contains(got, want.says) {
			t.Errorf("%s: %q does not say %q", quest, got, want.says)
		}
		if m, p, d := page.Find("#deliver").Length(), page.Find("form[action$='/push']").Length(), page.Find("#download-patch").Length(); m != want.merges || p != want.pushes || d != want.patches {
			t.Errorf("%s: %d, %d and %d ways out, want %+v", want.says, m, p, d, want)
		}
	}
	board := parsed(t, call(t, s.pages.Board, nil, "quest", gone.Quest))
	if got := words(board, "#alerts"); !strings.Contains(got, "The branch quest/"+gone.Quest+" is kept") {
		t.Errorf("the board of an abandoned quest: %q", got)
	}
	if parsed(t, call(t, s.pages.Board, nil, "quest", shared.Quest)).Find("#alerts a[href$='/delivery']").Length() != 0 {
		t.Error("a shared tree has a result to deliver")
	}
}

func TestAPushShowsItsPullRequestOrTheCommand(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Finished(s.engine, "Say hello", "main")
	push := func() (int, *goquery.Document) {
		w := call(t, s.pages.PushQuest, url.Values{}, "quest", p.Quest)
		return w.Code, parsed(t, w)
	}
	s.trees.Pushed = record.Pushed{Branch: "quest/" + p.Quest, Remote: "origin", PullRequest: "https://example.com/pull/7"}
	if code, page := push(); code != http.StatusOK || page.Find("#pushed a[href='https://example.com/pull/7']").Length() != 1 {
		t.Errorf("%d: no link to the pull request", code)
	}
	s.trees.Pushed = record.Pushed{Branch: "quest/" + p.Quest, Remote: "origin", Note: "gh is not installed", Command: "gh pr create --title='x'"}
	_, page := push()
	if command, _ := page.Find("#pushed button[data-copy]").Attr("data-copy"); command != "gh pr create --title='x'" || !strings.Contains(words(page, "#pushed"), "gh is not installed") {
		t.Errorf("the command is %q", command)
	}
	s.trees.Pushed.Command, s.trees.Pushed.PullRequest = "", "javascript:alert(1)"
	if _, page := push(); page.Find("#pushed a").Length() != 0 {
		t.Error("gh can put a script into a link")
	}
	s.trees.PushErr = conflict("the repository has no remote")
	if code, page := push(); code != http.StatusConflict || !strings.Contains(words(page, "[role=alert]"), "The repository has no remote.") {
		t.Errorf("%d without a word", code)
	}
}

func TestDiskIsMeasuredWhenItIsAskedFor(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Finished(s.engine, "Say hello", "main")
	page := parsed(t, call(t, s.pages.Delivery, nil, "quest", p.Quest))
	if href, _ := page.Find("#disk a").Attr("href"); href != "/quests/"+p.Quest+"/disk" {
		t.Errorf("the link leads to %q", href)
	}
	if got := words(parsed(t, call(t, s.pages.QuestDisk, nil, "quest", p.Quest)), "#disk"); got != "5.0 MiB" {
		t.Errorf("the quest takes %q", got)
	}
	handlerstest.Busy(s.engine)
	if got := words(parsed(t, call(t, s.pages.SettingsDisk, nil)), "#disk"); got != "10.0 MiB" {
		t.Errorf("all take %q", got)
	}
	if w := call(t, s.pages.QuestPatch, nil, "quest", p.Quest); w.Header().Get("Content-Disposition") != `attachment; filename="quest-`+p.Quest+`.patch"` {
		t.Errorf("the patch: %v", w.Header())
	}
}
