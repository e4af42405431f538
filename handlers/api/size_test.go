package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

// beginWith begins a quest with these fields beside its request, and returns it.
func beginWith(s *server, fields string) object {
	s.t.Helper()
	return s.post("/quests", `{"request":"Mend the typo.","repo":"/repo"`+fields+`}`).want(http.StatusCreated)
}

// Without a size a quest is auto, and one with a plan of one's own is full.
func TestSize_isAutoUnlessItIsChosenOrThereIsAPlan(t *testing.T) {
	t.Parallel()
	plan := `,"plan":{"steps":[{"id":"one","title":"One"}]}`
	for fields, want := range map[string]string{"": "auto", `,"size":"auto"`: "auto", `,"size":"errand"`: "errand", `,"size":"quick"`: "quick",
		`,"size":"full"`: "full", plan: "full", plan + `,"size":"auto"`: "full", plan + `,"size":"full"`: "full"} {
		q := beginWith(newServer(t), fields)
		if q["size"] != want || q["sizedBy"] != nil || q["sizeReason"] != "" {
			t.Errorf("%s: %v by %v because %q, want %s", fields, q["size"], q["sizedBy"], q["sizeReason"], want)
		}
	}
}

// A choice that is not possible is refused at its field, and nothing begins or changes.
func TestSize_andSiegeThatAreNotPossibleAreRefusedByField(t *testing.T) {
	t.Parallel()
	s := begun(t)
	before := s.get("/quests").text
	quest := func(fields string) string { return `{"request":"Greet","repo":"/repo",` + fields + `}` }
	plan := `"plan":{"steps":[{"id":"one","title":"One"}]},`
	for _, c := range []struct{ method, path, body, field, says string }{
		{http.MethodPost, "/quests", quest(`"size":"huge"`), "size", "must be auto, errand, quick or full"},
		{http.MethodPost, "/quests", quest(`"size":""`), "size", "must be auto, errand, quick or full"},
		{http.MethodPost, "/quests", quest(plan + `"size":"errand"`), "size", "a plan of your own is full"},
		{http.MethodPost, "/quests", quest(plan + `"size":"quick"`), "size", "a plan of your own is full"},
		{http.MethodPost, "/quests", quest(`"siege":"none"`), "siege", "must be each, risky or end"},
		{http.MethodPost, "/quests", quest(`"siege":"all"`), "siege", "must be each, risky or end"},
		{http.MethodPost, "/drafts", `{"size":"huge"}`, "size", "must be auto, errand, quick or full"},
		{http.MethodPost, "/drafts", `{"siege":"none"}`, "siege", "must be each, risky or end"},
		{http.MethodPatch, "/quests/q01", `{"siege":"none"}`, "siege", "must be each, risky or end"},
		{http.MethodPost, "/quests/q01/size", `{}`, "size", "is needed"},
		{http.MethodPost, "/quests/q01/size", `{"size":"huge"}`, "size", "must be auto, errand, quick or full"},
	} {
		fields := s.send(c.method, c.path, c.body).fields(http.StatusUnprocessableEntity)
		if words, _ := fields[c.field].(string); !strings.Contains(words, c.says) {
			t.Errorf("%s %s %s: fields %v", c.method, c.path, c.body, fields)
		}
	}
	if now := s.get("/quests").text; now != before {
		t.Errorf("a refusal changed something: %s", now)
	}
}

// ChaosWhisperer's size and its reason are told, in the list too.
func TestSize_thatAnAgentSaysIsToldWithItsReason(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	beginWith(s, `,"approve":["requirements"]`)
	s.quests.grant()
	s.quests.play("q01", orchestration.SizeSet{Run: "q01-r1", Size: orchestration.SizeErrand, Reason: "one word is wrong"})
	s.quests.signal("q01", "q01-r1", orchestration.Signal{Kind: orchestration.Complete, Summary: "looked"})
	list := s.get("/quests").want(http.StatusOK)["quests"].([]any)[0].(object)
	q := s.get("/quests/q01").want(http.StatusOK)
	for _, o := range []object{list, q} {
		if o["size"] != "errand" || o["sizedBy"] != "q01-r1" || o["sizeReason"] != "one word is wrong" || o["siege"].(object)["effective"] != "none" {
			t.Errorf("%v by %v because %q, siege %v", o["size"], o["sizedBy"], o["sizeReason"], o["siege"])
		}
	}
	if why := q["why"].(string); !strings.Contains(why, "errand, because one word is wrong") {
		t.Errorf("why: %s", why)
	}
	full := s.post("/quests/q01/size", `{"size":"full"}`).want(http.StatusOK)
	if full["size"] != "full" || full["sizedBy"] != nil || full["phase"] != "requirements" {
		t.Errorf("made full: %v by %v in %v", full["size"], full["sizedBy"], full["phase"])
	}
}

// The siege is told as it was chosen, and as it counts.
func TestSiege_isToldAsChosenAndAsItCounts(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	siege := func(q object) [2]any {
		s := q["siege"].(object)
		return [2]any{s["chosen"], s["effective"]}
	}
	for fields, want := range map[string][2]any{`,"size":"quick"`: {nil, "end"}, `,"size":"full"`: {nil, "each"}, `,"size":"errand","siege":"risky"`: {"risky", "none"},
		`,"size":"quick","siege":"risky"`: {"risky", "risky"}, `,"siege":""`: {nil, "each"}} {
		if got := siege(beginWith(s, fields)); got != want {
			t.Errorf("%s: %v, want %v", fields, got, want)
		}
	}
}

// A complete errand can be reviewed until it is delivered, and a full quest cannot.
func TestReview_ofACompleteErrandBeginsItsReview(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	beginWith(s, `,"size":"errand","workspace":"worktree"`)
	s.post("/quests/q01/review", "").want(http.StatusConflict) // it is at work
	s.quests.finish("q01")
	q := s.get("/quests/q01").want(http.StatusOK)
	outcome := q["outcome"].(object)
	if q["status"] != "complete" || outcome["errand"] != true || outcome["reviewed"] != false || outcome["unchanged"] != false || !slices.Contains(q["controls"].([]any), any("review")) {
		t.Fatalf("complete: %v %v %v", q["status"], outcome, q["controls"])
	}
	if q := s.post("/quests/q01/review", "").want(http.StatusOK); q["phase"] != "review" {
		t.Errorf("phase %v", q["phase"])
	}
	s.post("/quests", twoSteps).want(http.StatusCreated)
	s.quests.finish("q02")
	s.post("/quests/q02/review", "").want(http.StatusConflict)
}

// GET /sizes says what a size means, and what quests of it took once three are known.
func TestSizes_sayWhatQuestsTook(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	sizes := func() map[any]object {
		bySize := map[any]object{}
		for _, o := range s.get("/sizes").want(http.StatusOK)["sizes"].([]any) {
			bySize[o.(object)["size"]] = o.(object)
		}
		return bySize
	}
	for n, id := range []string{"q01", "q02", "q03"} {
		if e := sizes()["errand"]; e["quests"] != float64(n) || e["medianSeconds"] != nil || e["medianCostUsd"] != nil || e["p90CostUsd"] != nil {
			t.Errorf("after %d errands: %v", n, e)
		}
		if id == "q03" {
			s.quests.usd = 1.5
		}
		beginWith(s, `,"size":"errand"`)
		s.quests.finish(id)
	}
	all := sizes()
	if e := all["errand"]; e["quests"] != 3.0 || e["medianSeconds"] == nil || e["medianCostUsd"] != 0.25 || !strings.Contains(e["meaning"].(string), "one agent") {
		t.Errorf("three errands: %v", e)
	}
	if e := all["errand"]; e["p90CostUsd"] != 1.5 {
		t.Errorf("the dearest of three errands cost %v, want 1.5", e["p90CostUsd"])
	}
	if len(all) != len(orchestration.Sizes) || all["full"]["quests"] != 0.0 {
		t.Errorf("%v", all)
	}
}

// A draft keeps the choice, and null means that none was made, or that it was taken back.
func TestSize_ofADraft_isThatOfItsQuest(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	d := s.post("/drafts", `{"request":"Greet","repo":"/repo"}`).want(http.StatusCreated)
	if d["size"] != nil || d["siege"] != nil {
		t.Errorf("a new draft: %v, %v", d["size"], d["siege"])
	}
	id := d["id"].(string)
	d = s.send(http.MethodPatch, "/drafts/"+id, `{"version":1,"size":"quick","siege":"each"}`).want(http.StatusOK)
	if d["size"] != "quick" || d["siege"] != "each" {
		t.Errorf("changed: %v, %v", d["size"], d["siege"])
	}
	other := s.post("/drafts", `{"request":"Greet","repo":"/repo","size":"quick","siege":"each"}`).want(http.StatusCreated)
	other = s.send(http.MethodPatch, "/drafts/"+other["id"].(string), `{"version":1,"size":"","siege":""}`).want(http.StatusOK)
	if other["size"] != nil || other["siege"] != nil {
		t.Errorf("taken back: %v, %v", other["size"], other["siege"])
	}
	if q := s.post("/drafts/"+id+"/start", "").want(http.StatusCreated); q["size"] != "quick" || q["siege"].(object)["effective"] != "each" {
		t.Errorf("its quest: %v, %v", q["size"], q["siege"])
	}
}

// A follow-up has the size that is chosen for it, not that of the quest before.
func TestSize_ofAFollowUp_isChosenAgain(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	beginWith(s, `,"size":"errand"`)
	s.quests.finish("q01")
	if q := s.post("/quests/q01/follow-up", `{"request":"more"}`).want(http.StatusCreated); q["size"] != "auto" {
		t.Errorf("without a choice: %v", q["size"])
	}
	if q := s.post("/quests/q01/follow-up", `{"request":"more","size":"quick"}`).want(http.StatusCreated); q["size"] != "quick" {
		t.Errorf("quick was chosen: %v", q["size"])
	}
	if fields := s.post("/quests/q01/follow-up", `{"request":"more","size":"huge"}`).fields(http.StatusUnprocessableEntity); fields["size"] == nil {
		t.Errorf("fields %v", fields)
	}
}
