package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"questboard/agents/agentstest"
)

var signalKinds = []string{"complete", "partially-complete", "needs-user-input", "needs-role-followup"}

// docs/state-machine.md#a-runs-life: an agent hears the answer to its signal, even if it
// reads late and has hardly any grace. QUESTBOARD_HEARD is how many signals of each kind
// are sent.
func TestAnAnsweredSignalIsHeard(t *testing.T) {
	t.Parallel()
	s := launch(t, nil, "-addr", "127.0.0.1:0", "-data", t.TempDir(), "-claude", lateCLI(t), "-slots", "12", "-grace", "1ms")
	const atOnce = 10 // of each kind, in one quest
	count, n := map[string]int{}, howMany(t, "QUESTBOARD_HEARD", 20)
	for left := n; left > 0; left -= atOnce {
		var steps []object
		for _, kind := range signalKinds {
			for i := range min(left, atOnce) {
				id := fmt.Sprintf("%s-%d", kind, i)
				steps = append(steps, object{"id": id, "title": id, "files": []string{id}})
			}
		}
		quest := s.begin(apiRepo(t), `,"workspace":"shared","plan":`+jsonText(object{"steps": steps}))
		q := s.until(quest, "every step is done or asks", func(q object) bool {
			return asksOrDone(q) == len(steps)
		})
		s.heard(q, count)
		s.post("/quests/"+quest+"/abandon", "").want(http.StatusOK)
	}
	for _, kind := range signalKinds {
		if count[kind] < n {
			t.Errorf("%d signals %s were heard, want at least %d", count[kind], kind, n)
		}
	}
	t.Log(count)
}

// asksOrDone counts the steps of the plan that ask or are done and have no process.
func asksOrDone(q object) int {
	open := map[any]bool{}
	for _, r := range objects(q["runs"]) {
		if r["state"] != "ended" {
			open[r["step"]] = true
		}
	}
	n := 0
	for _, step := range objects(q["steps"]) {
		if !open[step["id"]] && (step["hold"] == "question" || step["stage"] == "done") {
			n++
		}
	}
	return n
}

// The same with the real CLI: its session, too, holds the answer when it is resumed, so
// no agent takes its call for a failed one. QUESTBOARD_HEARD_CLI is how many signals of
// each kind are sent.
func TestRealCLIHearsTheAnswerToItsSignal(t *testing.T) {
	t.Parallel()
	cli := claudeCLI(t, cliVersion)
	n := howMany(t, "QUESTBOARD_HEARD_CLI", 1)
	var mu sync.Mutex
	resumed, deaf := 0, []string{}
	model := agentstest.NewModel(t, func(r agentstest.Request) agentstest.Reply {
		who, stored := whoAsks(r)
		kind := kindOf(who.step)
		switch {
		case stored:
			return agentstest.Say(say("Done."))
		case who.start == "answer" || who.start == "followup-done":
			mu.Lock()
			resumed++
			if text, failed := r.LastResult(); failed || !strings.HasPrefix(text, "Stored.") {
				deaf = append(deaf, fmt.Sprintf("%s, %s: %q", who.step, who.start, text))
			}
			mu.Unlock()
			kind = "needs-user-input"
		case who.role == "siegemaster" || who.role == "spiritmender":
			kind = "complete"
		case who.start == "continuation":
			kind = "needs-user-input"
		}
		return agentstest.Say(say("Signalling."), someSignal(kind, who.step))
	})
	s := launch(t, model.Env(t.TempDir()), "-addr", "127.0.0.1:0", "-data", t.TempDir(), "-claude", cli, "-slots", "4")
	count := map[string]int{}
	for i := range n {
		var steps []object
		for _, kind := range signalKinds {
			id := fmt.Sprintf("%s-%d", kind, i)
			steps = append(steps, object{"id": id, "title": id, "files": []string{id}})
		}
		quest := s.begin(repository(t), `,"workspace":"shared","plan":`+jsonText(object{"steps": steps}))
		q := s.eventually(quest, "the answered question asks again, and the others are done or ask", func(q object) bool {
			for _, ask := range objects(q["questions"]) {
				step := fmt.Sprintf("needs-user-input-%d", i)
				if ask["open"] == true && ask["step"] == step && len(runsOfStep(q, step)) == 1 {
					s.post("/questions/"+ask["id"].(string)+"/answer", `{"answer":"Blue."}`)
					return false
				}
			}
			return asksOrDone(q) == len(steps) && len(runsOfStep(q, fmt.Sprintf("needs-user-input-%d", i))) == 2
		})
		s.heard(q, count)
		s.post("/quests/"+quest+"/abandon", "").want(http.StatusOK)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(deaf) > 0 || resumed < 2*n {
		t.Errorf("%d sessions were resumed, want at least %d; without the answer: %q", resumed, 2*n, deaf)
	}
	for _, kind := range signalKinds {
		if count[kind] < n {
			t.Errorf("%d signals %s were heard, want at least %d", count[kind], kind, n)
		}
	}
	t.Log(count, "resumed", resumed)
}
