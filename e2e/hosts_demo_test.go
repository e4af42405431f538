package e2e_test

import (
	"path/filepath"
	"testing"
	"time"

	"questboard/agents/simulated"
	"questboard/e2e/e2etest"
	"questboard/orchestration/storetest"
)

// The demo's quest on one of two hosts, with PostgreSQL: the same roles and signals, and a branch
// whose check is green.
func TestTheDemoIsTheSameOnAHost(t *testing.T) {
	t.Parallel()
	repo, demo := filepath.Join(t.TempDir(), "notes-api"), simulated.DemoQuest("full")
	if err := simulated.DemoRepo(t.Context(), repo); err != nil {
		t.Fatal(err)
	}
	s := launch(t, []string{"QUESTBOARD_DB=" + storetest.Postgres(t)}, "-data", t.TempDir(), "-addr", "127.0.0.1:0", "-agent", "simulated", "-away")
	for _, name := range []string{"forge", "smith"} {
		s.startHost(t, name, repo, "full")
	}
	id := s.post("/quests", jsonText(object{"title": demo.Title, "request": demo.Request, "ward": demo.Ward, "repo": repo, "base": "main", "size": "auto", "approve": []string{}})).want(201)["id"].(string)
	var q object
	poll(t, e2etest.Room(2*time.Minute), func() bool {
		q = s.get("/quests/" + id).want(200)
		for _, question := range objects(q["questions"]) {
			if question["answer"] == nil {
				s.post("/questions/"+question["id"].(string)+"/answer", jsonText(object{"answer": demo.Answer})).want(200)
			}
		}
		return q["status"] == "complete"
	}, func() string { return "the end of the quest: " + jsonText(q["why"]) + "\n" + s.said.String() })
	if q["host"] == nil {
		t.Error("it worked on the server, which runs nothing")
	}
	d := &demoServer{s, t.TempDir()}
	d.everyRoleAndSignal(q)
	d.wardIsGreen(q)
}
