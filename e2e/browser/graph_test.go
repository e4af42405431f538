package browser_test

import (
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

func TestTheGraphIsAccessible(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.open(s.login)
	b.auditAll(s.url, []namedPage{{"graph-focus", "/quests/" + party.Quest + "/graph?focus=audit"}})
	b.open(s.url + "/quests/" + party.Quest + "/graph")
	b.until(`document.querySelector('h1').textContent === 'Add login to billing'`)
	b.until(`document.querySelectorAll('#graph .node').length === 12 && document.querySelectorAll('#graph-list tbody tr').length === 12`)
	b.until(`[...document.querySelectorAll('.node-link')].every((link) => link.getBoundingClientRect().width > 100)`)
}

// When a step changes, its place in the picture and in the list is patched. When the
// critical path changes, so does the picture, and the page loads itself again.
func TestTheGraphIsLive(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest + "/graph?focus=audit")
	b.live()
	b.until(`document.querySelector('#node-form.state-running') !== null`)
	eval[any](b, `void document.querySelector('#node-form .node-link').focus()`)
	party.Ask("form", "Which fields?")
	b.until(`document.querySelector('#node-form.state-ask .badge')?.textContent.includes('Needs your answer')`)
	b.until(`document.querySelector('#listed-form').textContent.includes('Needs your answer')`)
	if !eval[bool](b, `document.activeElement.closest('#node-form') !== null`) {
		t.Error("the patch took the focus")
	}
	shape := eval[string](b, `document.getElementById('graph-shape').dataset.shape`)
	if _, err := s.engine.Submit(t.Context(), party.Quest, "user", orchestration.SkipPressed{Step: "cookie", Reason: "not needed"}); err != nil {
		t.Fatal(err)
	}
	b.until(`document.getElementById('graph-shape').dataset.shape !== '` + shape + `'`)
	b.until(`document.querySelector('#node-cookie.critical') === null && document.querySelector('#node-form.critical') !== null`)
	if !eval[bool](b, `document.querySelectorAll('#graph .dim .node').length > 0`) {
		t.Error("the focus of the URL is lost")
	}
}
