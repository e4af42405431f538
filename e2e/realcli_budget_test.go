package e2e_test

import (
	"strings"
	"testing"

	"questboard/agents/agentstest"
	"questboard/orchestration"
)

// docs/state-machine.md#budgets: the real CLI stops a run after the message that crosses
// its cap. The cap is of one process: a resumed session gets a new one.
func TestRealCLIStopsAtItsCapAndIsResumed(t *testing.T) {
	t.Parallel()
	for name, version := range map[string]string{"newest": cliVersion, "oldest": oldestCLI} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, version, orchestration.Codeweaver, func(req agentstest.Request) agentstest.Reply {
				if strings.Contains(req.Text(), "AND NO LIMIT") {
					return done(req)
				}
				return agentstest.Say(say("I look again."), run("true"))
			})
			r.spec.Cap = orchestration.Amount{USD: 0.001}
			first := r.play()
			messages := len(r.model.Requests())
			if first.End != orchestration.EndCapped || first.Exit.Code != 1 || first.Exit.SessionCost < 0.001 {
				t.Fatalf("ended %+v\n%s", first, r.output())
			}
			price := first.Exit.SessionCost / float64(messages)
			if before := first.Exit.SessionCost - price; before >= 0.001 {
				t.Errorf("%d messages cost %v: it went on after the one that crossed the cap", messages, first.Exit.SessionCost)
			}
			if read := first.Exit.Tokens.Input; read < 100*int64(messages) {
				t.Errorf("%d tokens of %d messages are counted", read, messages)
			}

			r.spec.Resume, r.spec.RunID = true, "q1-r2"
			if second := r.play(); second.End != orchestration.EndCapped || len(r.model.Requests()) != 2*messages {
				t.Errorf("resumed: %+v after %d messages in all, want %d", second, len(r.model.Requests()), 2*messages)
			}
			r.spec.RunID, r.spec.Cap, r.spec.Prompt = "q1-r3", orchestration.Amount{}, "AND NO LIMIT"
			if third := r.play(); third.End != orchestration.EndClean || len(r.quests.signals()) != 1 {
				t.Errorf("without a cap: %+v\n%s", third, r.output())
			}
		})
	}
}

// A whole quest: its runs reach their caps, it pauses, and when the budget is raised the
// same session goes on.
func TestRealCLIAQuestPausesAtItsBudgetAndGoesOnWhenItIsRaised(t *testing.T) {
	t.Parallel()
	model := agentstest.NewModel(t, func(r agentstest.Request) agentstest.Reply {
		switch {
		case !strings.Contains(r.Text(), "role=codeweaver"):
			return agentstest.Say(say("Done."))
		case r.Turn() < 8:
			return agentstest.Say(say("I look again."), run("true"))
		default:
			return agentstest.Say(signal("complete", "alone", "summary", "written"))
		}
	})
	s := startReal(t, claudeCLI(t, cliVersion), model)
	const budget = 0.0025
	id := s.post("/quests", jsonText(object{"request": "- Be polite", "repo": shop(t), "workspace": "shared", "slots": 2, "budgetUsd": budget,
		"plan": object{"steps": []object{{"id": "alone", "title": "Greet"}}}})).want(201)["id"].(string)
	q := s.eventually(id, "the budget is spent", func(q object) bool { return q["wait"] != nil })
	price := q["cost"].(float64) / float64(len(model.Requests()))
	if kind := q["wait"].(object)["kind"]; kind != "budget" || q["cost"].(float64) > budget+price {
		t.Fatalf("it waits for %v and has cost %v; a message costs %v", kind, q["cost"], price)
	}
	var sessions []string
	capped := 0
	for _, r := range objects(q["runs"]) {
		if r["outcome"] == "capped" {
			capped++
			sessions = append(sessions, r["sessionId"].(string))
		}
	}
	if capped < 2 {
		t.Fatalf("%d runs reached their caps, want several: %s", capped, jsonText(q["runs"]))
	}
	t.Logf("%d messages, $%.4f of $%.4f, %d runs reached their caps", len(model.Requests()), q["cost"], budget, capped)
	s.send("PATCH", "/api/v1/quests/"+id, `{"budgetUsd":1}`).want(200)
	q = s.eventually(id, "the step's agent has signalled", func(q object) bool {
		for _, r := range objects(q["runs"]) {
			if r["role"] == "codeweaver" && r["signal"] != nil {
				sessions = append(sessions, r["sessionId"].(string))
				return true
			}
		}
		return false
	})
	for _, session := range sessions {
		if session != sessions[0] {
			t.Errorf("it worked in the sessions %v, want one", sessions)
			break
		}
	}
	if counts := named(q["steps"], "alone")["counts"].(object); counts["crash"] != 0.0 || counts["stuck"] != 0.0 {
		t.Errorf("counts %v", counts)
	}
	s.post("/quests/"+id+"/abandon", "").want(200)
}
