package browser_test

import (
	"testing"

	"questboard/handlers/handlerstest"
)

// What an agent was denied is allowed on the page of its step: a rule that cannot be stored
// comes back with its fault, a good one leaves the page, and the settings of the quest remove it.
func TestWhatWasDeniedIsAllowedOnAPage(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	party := handlerstest.Busy(site.engine) // the run of its step limit was denied a call
	b := newTab(t)
	b.size(1440, 900)
	b.open(site.login)
	b.open(site.url + "/quests/" + party.Quest + "/steps/limit")
	b.live()
	b.click("#denied-1 summary")
	b.auditLooks("allow")
	b.size(390, 844)
	b.fill("rule-1", "WebFetch(*)")
	b.send(`#denied-1 button[value=step]`, `document.querySelector('#denied-1[open] #rule-1-error')?.textContent.includes('WebFetch takes a domain')`)
	b.auditLooks("allow-refused")
	if kept := eval[string](b, `document.getElementById('rule-1').value`); kept != "WebFetch(*)" {
		t.Errorf("the rule is now %q", kept)
	}
	b.fill("rule-1", "WebFetch(domain:example.org)")
	b.send(`#denied-1 button[value=step]`, `document.getElementById('step-panel') && !document.getElementById('denied-1')`)
	q, err := site.engine.Quest(t.Context(), party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	if got := q.Allowed("limit"); len(got) != 1 || q.Step("limit").Hold != "" || q.Run(q.Step("limit").Run).Brief.Allowed != got[0] {
		t.Errorf("allowed: %q; the step is held: %q", got, q.Step("limit").Hold)
	}
	b.open(site.url + "/quests/" + party.Quest + "/settings")
	b.live()
	b.auditLooks("allowed")
	b.click("#allowed-0")
	b.send(`#quest-settings button[type=submit]`, `location.search.includes('saved') && !document.getElementById('allowed-0')`)
}
