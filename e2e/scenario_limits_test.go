package e2e_test

import (
	"net/http"
	"strings"
	"testing"
)

// stubborn is a scenario in which each step fails in the same way until the user
// retries it.
const stubborn = `
- {role: codeweaver, step: crashes, visit: 4, do: [{tool: {name: signal-back, input: {signal: complete, summary: at last}}}]}
- {role: codeweaver, step: crashes, do: [{say: Now.}, {exit: 9}]}
- {role: codeweaver, step: hangs, visit: 3, do: [{tool: {name: signal-back, input: {signal: complete, summary: at last}}}]}
- {role: codeweaver, step: hangs, do: [{say: I hang.}, {hang: true}]}
- {role: codeweaver, step: slow, visit: 4, do: [{tool: {name: signal-back, input: {signal: complete, summary: at last}}}]}
- {role: codeweaver, step: slow, do: [{tool: {name: signal-back, input: {signal: partially-complete, progress: a bit, continuationPoint: the rest}}}]}
- {role: codeweaver, step: red, visit: 2, do: [{write: {path: green, content: ""}}, {tool: {name: signal-back, input: {signal: complete, summary: mended}}}]}
- {role: spiritmender, do: [{run: date +%N >>tried}, {tool: {name: signal-back, input: {signal: complete, summary: I tried}}}]}
`

// Each limit blocks the step and says why, and a retry continues from there.
func TestALimitBlocksAndARetryGoesOn(t *testing.T) {
	t.Parallel()
	s := startAPI(t, stubborn, "-slots", "4", "-stuck-after", "2s")
	quest := s.begin(apiRepo(t), `,"plan":{"steps":[{"id":"crashes","title":"C"},{"id":"hangs","title":"H"},{"id":"slow","title":"S"}]}`)
	s.send(http.MethodPatch, "/api/v1/quests/"+quest, `{"limits":{"crash":2,"partial":2}}`).want(http.StatusOK)
	q := s.until(quest, "all three are blocked", func(q object) bool {
		for _, step := range objects(q["steps"]) {
			if step["hold"] != "blocked" {
				return false
			}
		}
		return q["status"] == "waiting"
	})
	for step, want := range map[string]struct {
		kind, says, counter string
		count               float64
		runs                int
	}{
		"crashes": {"crash", "exit code 9", "crash", 3, 3},
		"hangs":   {"stuck", "no progress", "stuck", 2, 2},
		"slow":    {"partial", "continuations", "partial", 3, 3},
	} {
		at := named(q["steps"], step)
		block, counts := at["block"].(object), at["counts"].(object)
		if block["kind"] != want.kind || block["retry"] != "codeweaver" || !strings.Contains(at["why"].(string), want.says) {
			t.Errorf("%s is blocked by %s: %s", step, jsonText(block), at["why"])
		}
		if runs := ofStep(q, "codeweaver", step); counts[want.counter] != want.count || len(runs) != want.runs {
			t.Errorf("%s: counters %s after %d runs", step, jsonText(counts), len(runs))
		}
		s.post("/quests/"+quest+"/steps/"+step+"/retry", "").want(http.StatusOK)
	}
	q = s.untilStatus(quest, "complete")
	for _, step := range []string{"crashes", "hangs"} {
		runs := ofStep(q, "codeweaver", step)
		if last := runs[len(runs)-1]; last["start"] != "retry" || last["sessionId"] != runs[0]["sessionId"] {
			t.Errorf("%s was tried again as %s", step, jsonText(last))
		}
	}
}

// A check that fails three times in a row blocks the step. The reason names the runs
// that wait. A retry starts the role that the limit kept from starting.
func TestARedCheckBlocksAtItsLimit(t *testing.T) {
	t.Parallel()
	s := startAPI(t, stubborn, "-slots", "4")
	quest := s.begin(apiRepo(t), `,"ward":"test -e green || { echo 2 of 7 failed; exit 1; }","plan":{"steps":[{"id":"red","title":"R"}]}`)
	q := s.until(quest, "the step is blocked", func(q object) bool { return named(q["steps"], "red")["hold"] == "blocked" })
	red := named(q["steps"], "red")
	if block := red["block"].(object); block["kind"] != "ward" || block["retry"] != "spiritmender" || red["counts"].(object)["ward"] != 3.0 {
		t.Errorf("blocked by %s", jsonText(red))
	}
	if wards, menders := ofStep(q, "ward", "red"), ofStep(q, "spiritmender", "red"); len(wards) != 3 || len(menders) != 2 ||
		!strings.Contains(wards[0]["digest"].(string), "2 of 7 failed") {
		t.Errorf("%d checks and %d mendings", len(wards), len(menders))
	}
	s.post("/quests/"+quest+"/steps/red/skip", `{"reason":"never mind"}`).want(http.StatusOK)
	s.until(quest, "the review is blocked by the same check", func(q object) bool {
		return named(q["lines"], "review")["hold"] == "blocked"
	})
}
