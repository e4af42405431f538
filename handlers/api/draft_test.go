package api_test

import (
	"net/http"
	"reflect"
	"testing"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

func TestADraftIsKeptChangedAndStarted(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	d := s.post("/drafts", `{"request":"Say hello","slots":2,"approve":["plan"]}`).want(http.StatusCreated)
	if d["id"] != "draft1" || d["version"] != 1.0 || d["repo"] != "" || d["agent"] != "simulated" {
		t.Errorf("made: %v", d)
	}
	if got := s.post("/drafts/draft1/start", "").fields(http.StatusUnprocessableEntity); got["repo"] == nil {
		t.Errorf("started without a repository: %v", got)
	}
	d = s.send(http.MethodPatch, "/drafts/draft1", `{"version":1,"repo":"/repo","title":"Hello"}`).want(http.StatusOK)
	if d["version"] != 2.0 || d["request"] != "Say hello" || d["title"] != "Hello" {
		t.Errorf("changed: %v", d)
	}
	late := s.send(http.MethodPatch, "/drafts/draft1", `{"version":1,"title":"Late"}`).want(http.StatusConflict)
	if now, _ := late["draft"].(object); now["title"] != "Hello" {
		t.Errorf("a conflict shows %v", late)
	}
	for body, field := range map[string]string{`{"title":"x"}`: "version", `{"version":2,"slots":65}`: "slots", `{"version":2,"agent":"none"}`: "agent",
		`{"version":2,"title":"a\nb"}`: "title", `{"version":2,"budgetUsd":-1}`: "budgetUsd"} {
		if got := s.send(http.MethodPatch, "/drafts/draft1", body).fields(http.StatusUnprocessableEntity); got[field] == nil {
			t.Errorf("%s: %v", body, got)
		}
	}
	if list := s.get("/drafts").want(http.StatusOK)["drafts"].([]any); len(list) != 1 {
		t.Errorf("%d drafts", len(list))
	}
	q := s.post("/drafts/draft1/start", "").want(http.StatusCreated)
	if q["id"] != "draft1" || q["title"] != "Hello" || q["slots"] != 2.0 {
		t.Errorf("the quest: %v", q)
	}
	s.post("/drafts/draft1/start", "").want(http.StatusNotFound)
	s.get("/drafts/draft1").want(http.StatusNotFound)
	s.post("/drafts", `{}`).want(http.StatusCreated)
	if a := s.send(http.MethodDelete, "/drafts/draft2", ""); a.status != http.StatusNoContent {
		t.Errorf("deleted: %d", a.status)
	}
	s.send(http.MethodDelete, "/drafts/draft2", "").want(http.StatusNotFound)
	s.send(http.MethodPatch, "/drafts/draft2", `{"version":1}`).want(http.StatusNotFound)
}

// A draft that says nothing of its budget gets that of new quests, as a quest does that begins at once.
func TestADraftHasTheBudgetOfNewQuestsUnlessItSaysMore(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.quests.settings.BudgetUSD = 7.5
	for body, want := range map[string]float64{`{"request":"x","repo":"/repo"}`: 7.5, `{"request":"x","repo":"/repo","budgetUsd":0}`: 0,
		`{"request":"x","repo":"/repo","budgetUsd":2}`: 2} {
		d := s.post("/drafts", body).want(http.StatusCreated)
		q := s.post("/drafts/"+d["id"].(string)+"/start", "").want(http.StatusCreated)
		if d["budgetUsd"] != want || q["budgetUsd"] != want {
			t.Errorf("%s: the draft has %v, its quest %v", body, d["budgetUsd"], q["budgetUsd"])
		}
	}
}

// When a draft is started, its set-up command, links and copies are stored for its
// repository.
func TestADraftThatIsStartedKeepsItsSetUpLinksAndCopies(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	save := func(links string) string {
		t.Helper()
		d, err := s.drafts.SaveDraft(t.Context(), record.Draft{Quest: orchestration.NewQuest{Request: "x", Repo: "/repo/", Agent: "simulated"},
			Setup: "npm ci", Links: links, Copies: ".env"})
		if err != nil {
			t.Fatal(err)
		}
		return "/drafts/" + d.ID + "/start"
	}
	if fields := s.post(save("../elsewhere"), "").fields(http.StatusUnprocessableEntity); fields["links"] == nil {
		t.Errorf("a link that leads out of the repository: %v", fields)
	}
	if got := s.quests.settings.Repos; got != nil {
		t.Errorf("a refused draft left %+v", got)
	}
	s.post(save("node_modules/\nweb/vendor\n"), "").want(http.StatusCreated)
	want := record.RepoSettings{Path: "/repo", Setup: "npm ci", Links: []string{"node_modules", "web/vendor"}, Copies: []string{".env"}}
	if got := s.quests.settings.Repo("/repo"); !reflect.DeepEqual(got, want) {
		t.Errorf("kept %+v; want %+v", got, want)
	}
}
