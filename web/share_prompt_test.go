package web_test

import (
	"net/http"
	"strings"
	"testing"

	"questboard/orchestration/service"
)

// What agents are told has the request as it was written, texts of the repository and
// paths of the machine: no page of a share has any of it, or a link to it, whatever the
// share includes.
func TestGuestsNeverReadWhatAnAgentWasTold(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	const poison = "told-to-the-agent-alone"
	q, err := d.engine.Quest(t.Context(), d.party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range q.Runs.All() {
		d.output.Tell(r.ID, service.KeptPrompt{System: poison, Message: poison, BuiltIn: poison + " too"})
	}
	run := d.runOf(t, "form")
	prompt := "/quests/" + q.ID + "/steps/form/prompt?run=" + run
	if body := bodyOf(t, d.get(prompt)); !strings.Contains(body, poison) {
		t.Errorf("the owner reads no prompt: %s", body)
	}
	link := d.link(t, "output=true&cost=true&answer=true")
	for at, page := range d.everything(t, link) {
		if strings.Contains(page, poison) || strings.Contains(page, "/prompt") || strings.Contains(page, "step-prompt") {
			t.Errorf("%s tells of the prompt", at)
		}
	}
	for _, path := range []string{link + "/steps/form/prompt", link + "/runs/" + run + "/prompt", link + "/api/v1/runs/" + run + "/prompt",
		prompt, "/api/v1/runs/" + run + "/prompt"} {
		if w := d.request(http.MethodGet, path, "", nil); w.Code == http.StatusOK || strings.Contains(bodyOf(t, w), poison) {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
