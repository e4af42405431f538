package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
	"questboard/orchestration/record"
)

// The pages about a quest's work in git are accessible, both empty and full.
func TestDeliveryPagesAreAccessible(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	done := handlerstest.Finished(s.engine, "Say hello", "main")
	delivered := handlerstest.Finished(s.engine, "Say hello again", "main")
	onBase := handlerstest.OnBase(s.engine)
	onBase.BaseFails("FAIL TestOld", "FAIL TestOlder")
	q, err := s.engine.Quest(t.Context(), delivered.Quest)
	if err == nil {
		_, err = s.trees.Deliver(t.Context(), q, "user", "squash", "")
	}
	if err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.open(s.login)
	s.trees.KeptWork = handlerstest.KeptSample(done.Quest)
	err = s.settings.ChangeSettings(t.Context(), func(now *record.Settings) {
		now.Editor = "vscode://file{path}"
		now.SetRepo(record.RepoSettings{Path: "/repo", Setup: "npm ci", Links: []string{"node_modules"}})
	})
	if err != nil {
		t.Fatal(err)
	}
	b.auditAll(s.url, []namedPage{{"settings-editor", "/settings"}, {"board-complete", "/quests/" + done.Quest}, {"step-worktree", "/quests/" + done.Quest + "/steps/store"}})
}

// The form shows facts about a repository while its path is typed, and keeps what else
// was typed.
func TestTheFormLooksAtTheRepositoryWhileItIsTyped(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := newTab(t)
	b.open(s.login)
	b.open(s.url + "/quests/new")
	b.live()
	b.click("#options > summary")
	b.do(chromedp.SendKeys("#request", "Say hello."), chromedp.SendKeys("#base", "release"), chromedp.SendKeys("#repo", "/odd"))
	b.until(`document.getElementById('repository-choices').textContent.includes('3 uncommitted files')`)
	if kept := eval[string](b, `[document.getElementById('request').value, document.getElementById('base').value, document.activeElement.id].join()`); kept != "Say hello.,release,repo" {
		t.Errorf("kept: %s", kept)
	}
	b.accessible("looked at")
	eval[any](b, `void (document.getElementById('repo').value = '')`)
	b.do(chromedp.SendKeys("#repo", "/empty"))
	b.until(`document.getElementById('workspace-worktree').disabled && document.getElementById('workspace-shared').checked`)
}

// A quest is merged from its page, and the page then says so. The disk space appears by
// itself, and a command can be copied.
func TestAQuestIsDeliveredInTheBrowser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	done := handlerstest.Finished(s.engine, "Say hello", "main")
	b := newTab(t)
	b.open(s.login)
	b.open(s.url + "/quests/" + done.Quest + "/steps/store/sessions")
	b.live()
	if !eval[bool](b, `!!document.querySelector('#step-place button[data-copy]')?.offsetParent`) {
		t.Error("no button copies although there is a clipboard")
	}
	b.open(s.url + "/quests/" + done.Quest)
	b.click(`#alerts a[href$="/delivery"]`)
	b.until(`document.getElementById('disk')?.textContent.includes('5.0 MiB')`)
	b.click("#how-squash")
	b.click("#deliver button")
	b.until(`document.getElementById('delivered')?.textContent.includes('8d1f0c3b5a7e')`)
	q, err := s.engine.Quest(t.Context(), done.Quest)
	if err != nil || q.Delivered == nil || q.Delivered.How != "squash" {
		t.Errorf("%+v, %v", q.Delivered, err)
	}
}
