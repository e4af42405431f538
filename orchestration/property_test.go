package orchestration_test

import (
	"flag"
	"fmt"
	"sort"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"questboard/orchestration"
)

// quests is the number of random quests: 1,000 in a normal run (see race_test.go),
// 20,000 with `make soak`. With 20,000, every row must be met a hundred times; with
// fewer quests, proportionally less.
var quests = flag.Int("quests", normalQuests, "random quests in the property test")

// coverage counts what the random quests met.
type coverage struct {
	sync.Mutex
	seen             map[string]int
	quests, complete int
}

func (c *coverage) add(keys ...string) {
	c.Lock()
	defer c.Unlock()
	for _, k := range keys {
		c.seen[k]++
	}
}

// TestRandomQuests plays random quests with up to 60 inputs, each chosen to fit the
// state. After every input it checks the invariants, and the routing with the model in
// model_test.go. Then a helpful user must be able to bring each quest to its end.
func TestRandomQuests(t *testing.T) {
	t.Parallel()
	if shrink := flag.Lookup("rapid.shrinktime").Value; shrink.String() == "30s" { // rapid's own default is too patient
		if err := shrink.Set("5s"); err != nil {
			t.Fatal(err)
		}
	}
	if err := flag.Set("rapid.checks", fmt.Sprint(*quests)); err != nil {
		t.Fatal(err)
	}
	cov := &coverage{seen: map[string]int{}}
	rapid.Check(t, func(rt *rapid.T) {
		w := newWalk(rt, cov)
		for range rapid.IntRange(48, 60).Draw(rt, "inputs") {
			if w.q.Over() && !w.changeAtTheEnd() && !w.commentsAtTheEnd() && !w.reviewAtTheEnd() {
				break
			}
			w.step()
		}
		cov.Lock()
		cov.quests++
		if w.completed {
			cov.complete++
		}
		cov.Unlock()
		w.finish()
		if w.one("a comment after the end", 4) && w.commentsAtTheEnd() {
			w.finish()
		}
		if w.one("a review after the end", 2) && w.reviewAtTheEnd() {
			w.finish()
		}
	})
	cov.report(t)
}

// wanted lists what the walks must meet: every row of the routing table, every ending,
// every limit, every control of the user.
func wanted() []string {
	var keys []string
	for _, row := range orchestration.RouteNames() {
		keys = append(keys, "route: "+row)
	}
	for _, end := range []orchestration.End{
		orchestration.EndClean, orchestration.EndInfrastructure, orchestration.EndContext, orchestration.EndOverloaded,
		orchestration.EndUsageLimit, orchestration.EndLogin, orchestration.EndUnknownSession, orchestration.EndStuck,
		orchestration.EndCrashed, orchestration.EndNotStarted, orchestration.EndInterrupted, orchestration.EndCapped,
		orchestration.EndWardPassed, orchestration.EndWardFailed, orchestration.EndWardBroke, orchestration.EndSetupFailed,
	} {
		keys = append(keys, "end: "+string(end))
	}
	for _, kind := range orchestration.NeedKinds {
		if kind != orchestration.NeedRepair { // a damaged quest accepts no input
			keys = append(keys, "need: "+string(kind))
		}
	}
	for _, kind := range []orchestration.BlockKind{
		orchestration.BlockCrash, orchestration.BlockStuck, orchestration.BlockPartial, orchestration.BlockWard,
		orchestration.BlockWardBroke, orchestration.BlockFollowups, orchestration.BlockRepeat, orchestration.BlockInfra,
		orchestration.BlockStopped, orchestration.BlockSetup, orchestration.BlockUnsaved,
	} {
		keys = append(keys, "block: "+string(kind))
	}
	for _, control := range orchestration.AllControls {
		if control != orchestration.ControlDelete && control != orchestration.ControlFollowUp { // neither is an input
			keys = append(keys, "offered: "+string(control))
		}
	}
	keys = append(keys, wantedProofs()...)
	keys = append(keys, wantedSieges()...)
	return append(keys, "wait: runs", "wait: budget", "wait: start", "refused: depth", "asks: at a wall", "permission: asked", "permission: passes", "permission: denied before", "permission: another call of the same run", "permission: nobody answered", "refused: title", "title: the person's stays", "title: the agent's", "control: title", "refused: no wall", "refused: a wall",
		"refused: job not done", "left: job done", "refused: late",
		"control: answer", "control: gate", "control: send back", "control: edit at the gate", "sent back: as it is", "control: pause", "control: resume", "control: retry", "control: retry with instructions", "control: skip", "control: undo a skip", "control: take over", "control: give back", "control: done", "control: mark done", "no tree for a person",
		"decided: answer", "decided: message", "decided: comments", "decided: skip", "decided: retry", "decided: split", "decided: change",
		"control: resplit", "merge: merged", "merge: updated", "merge: conflict", "merge: broke", "merge: ready", "merge: allowed", "merge: refused", "merge: touched", "full role", "block: merge", "control: stop", "control: stop in the queue", "control: message", "control: edit", "control: check",
		"control: priority", "control: priority of a step", "priority: what has started goes first", "priority: the turn of a lower one", "a check keeps a slot from another quest",
		"control: comment", "control: comment on what is merged", "control: reopen", "control: accept", "baseline: green", "baseline: red",
		"old faults", "markers", "re-split: all replace", "re-split: some replace", "refused: mark",
		"change: in the phase plan", "change: in the phase steps", "change: in the phase review", "change: in the phase complete", "change: while steps work",
		"changed: lost", "changed: new", "changed: lost and begun", "planned again: left out", "planned again: as it is",
		"planned again: without what was waived", "planned again: beside a new step",
		"covered: by the review", "covered: not at all", "refused: not covered", "refused: in two places", "refused: not asked for",
		"review: nothing changed", "review: Lawbringer's own edit", "review: round 1", "review: round 2", "review: round 3",
		"review: handed over in the last round", "review: own edit in the last round", "review: only complete", "refused: only complete",
		"review: findings", "refused: findings of no look", "review: begins at 0",
		"size: errand", "size: quick", "size: full", "size: errand at a gate", "size: errand at the gate of the plan", "size: a person's stays", "refused: no size", "refused: a smaller size",
		"fork: pathseeker", "fork: codeweaver", "fork: spiritmender", "fork: charged", "fork: failed",
		"control: size", "control: review", "control: go on with another program", "fallback: begins", "fallback: resumes its own", "errand: red before the base is known")
}

func (c *coverage) report(t *testing.T) {
	t.Helper()
	if t.Failed() || c.quests < 500 { // so few quests meet the rare rows only by luck
		return
	}
	var thin []string
	for _, k := range wanted() { // the rarest come in 3 of 200 quests, and by chance in fewer
		if need := min(100, c.quests/250); c.seen[k] < need {
			thin = append(thin, fmt.Sprintf("%s: %d of %d", k, c.seen[k], need))
		}
	}
	if len(thin) > 0 {
		sort.Strings(thin)
		t.Errorf("the walks met too little:\n%s", strings.Join(thin, "\n"))
	}
	// About 28 % are completed; a change or a comment opens many of them again. With fewer than a thousand quests the share says little.
	if share := float64(c.complete) / float64(c.quests); c.quests >= 1000 && share < 0.2 {
		t.Errorf("%.0f %% of the quests complete by themselves, want 20 %%", 100*share)
	}
	t.Logf("%d quests, %d complete within their inputs", c.quests, c.complete)
}
