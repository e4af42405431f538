package e2e_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/agents/agentstest"
)

// docs/hardening.md#agents-endpoint, T4.4: the connection between the real CLI and the
// server fails at the worst moment. Whatever the CLI and the model do then, each signal
// counts exactly once. With QUESTBOARD_CLI, which names a release, every signal meets
// every fault.
func TestRealCLISignalsOverAWayThatFails(t *testing.T) {
	t.Parallel()
	b := newBridge(t)
	kinds := []string{"needs-user-input", "partially-complete", "needs-user-input", "needs-user-input", "needs-user-input"}
	if os.Getenv("QUESTBOARD_CLI") != "" {
		kinds = []string{"complete", "partially-complete", "needs-user-input", "needs-role-followup"}
	}
	kindOf, steps := map[string]string{}, []object{}
	for i, fault := range bridgeFaults {
		for j, kind := range kinds {
			if len(kinds) == len(bridgeFaults) && i != j {
				continue
			}
			step := fmt.Sprintf("s%d-%d", i, j)
			b.faults[step], kindOf[step] = fault, kind
			steps = append(steps, object{"id": step, "title": fault + ", " + kind, "files": []string{step}})
		}
	}
	never := make(chan struct{})
	s := b.serve(agentstest.NewModel(t, func(r agentstest.Request) agentstest.Reply {
		who, stored := whoAsks(r)
		switch {
		case stored:
			return agentstest.Say(say("Done."))
		case who.role == "codeweaver" && who.start == "fresh":
			return agentstest.Say(say("Signalling."), someSignal(kindOf[who.step], who.step))
		case who.start == "continuation":
			return agentstest.Say(someSignal("needs-user-input", who.step))
		}
		return agentstest.Say(say("I wait.")).After(never) // what comes of it has begun
	}))
	quest := s.begin(b.repo, `,"workspace":"shared","slots":5,"plan":`+jsonText(object{"steps": steps}))
	q := s.eventually(quest, "every signal has come, and what follows from it", func(q object) bool {
		for _, r := range objects(q["runs"]) { // their slots are for others
			if r["state"] == "running" && (r["role"] == "siegemaster" || r["role"] == "spiritmender") {
				s.post("/runs/"+r["id"].(string)+"/stop", "").want(200)
			}
		}
		for step, kind := range kindOf {
			if runs := runsOfStep(q, step); len(runs) == 0 || runs[0]["signal"] == nil || !followed(q, step, kind) {
				return false
			}
		}
		return true
	})
	for step, kind := range kindOf {
		what := b.faults[step] + ", " + kind
		if !b.met(step) {
			t.Errorf("%s: the fault did not come about", what)
		}
		b.counted(q, runsOfStep(q, step)[0], kind, what)
	}
	s.post("/quests/"+quest+"/abandon", "").want(200)
}

// followed reports whether exactly what a Codeweaver's signal leads to has begun.
func followed(q object, step, kind string) bool {
	var next []string
	for _, r := range runsOfStep(q, step)[1:] {
		if r["role"] != "ward" {
			next = append(next, fmt.Sprint(r["role"], " ", r["start"]))
		}
	}
	asked := 0
	for _, ask := range objects(q["questions"]) {
		if ask["step"] == step {
			asked++
		}
	}
	got := fmt.Sprintf("%d%v", asked, next)
	return got == map[string]string{"complete": "0[siegemaster fresh]", "partially-complete": "1[codeweaver continuation]",
		"needs-user-input": "1[]", "needs-role-followup": "0[spiritmender followup]"}[kind]
}

// The server dies while one agent is between two calls and another waits for the answer
// to a signal that is already stored. The first continues in its session and signals
// once. The signal of the second counts, and nobody repeats it.
func TestRealCLISignalsToAServerThatDiesBetweenTwoCalls(t *testing.T) {
	t.Parallel()
	b := newBridge(t)
	b.faults["told"] = answerHeld
	read, never := make(chan struct{}, 8), make(chan struct{})
	model := agentstest.NewModel(t, func(r agentstest.Request) agentstest.Reply {
		who, stored := whoAsks(r)
		text, _ := r.LastResult()
		switch {
		case stored:
			return agentstest.Say(say("Done."))
		case who.step == "between" && who.start == "fresh" && strings.Contains(text, `"stepId"`): // get-quest has answered
			read <- struct{}{}
			return agentstest.Say(say("I think.")).After(never)
		case who.step == "between" && who.start == "fresh":
			return agentstest.Say(say("FIRST I READ."), agentstest.Use("mcp__quest__get-quest", map[string]string{}))
		case who.start == "interrupted" && !strings.Contains(r.Text(), "FIRST I READ."):
			return agentstest.Say(say("This is another conversation."))
		}
		return agentstest.Say(someSignal("needs-user-input", who.step))
	})
	s := b.serve(model)
	quest := s.begin(b.repo, `,"workspace":"shared","plan":{"steps":[{"id":"between","title":"A","files":["a"]},{"id":"told","title":"B","files":["b"]}]}`)
	poll(t, time.Minute, func() bool { return len(read) > 0 && len(b.held) > 0 }, func() string { return "an agent between two calls, and one whose answer is held" })
	s.eventually(quest, "the signal is stored", func(q object) bool { return runsOfStep(q, "told")[0]["signal"] != nil })
	s.signal(syscall.SIGKILL)
	_ = s.cmd.Wait()
	close(b.release)

	s = b.serve(model)
	q := s.eventually(quest, "both ask", func(q object) bool { return len(objects(q["questions"])) == 2 })
	between, told := runsOfStep(q, "between"), runsOfStep(q, "told")
	if len(told) != 1 || told[0]["outcome"] != "signalled" {
		t.Errorf("the run whose signal was stored: %s", jsonText(told))
	}
	if len(between) != 2 || between[0]["outcome"] != "interrupted" || between[0]["signal"] != nil ||
		between[1]["resumedFrom"] != between[0]["id"] || between[1]["sessionId"] != between[0]["sessionId"] {
		t.Fatalf("the runs of the agent between two calls: %s", jsonText(between))
	}
	b.counted(q, told[0], "needs-user-input", "answered to nobody")
	b.counted(q, between[1], "needs-user-input", "taken up")
}
