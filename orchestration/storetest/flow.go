package storetest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// flow takes a real quest through Apply, with agents that answer at random, and
// compares memory with the store after every commit. So it finds what Apply forgets to
// name in Changed, and what a store loses.
type flow struct {
	t      *testing.T
	store  engine.Store
	random *rand.Rand
	now    time.Time
	quest  *orchestration.Quest
	events []orchestration.Event
	asked  map[orchestration.SignalKind]int
}

// followsApply tests the rule "the store returns what Apply made".
func followsApply(t *testing.T, s engine.Store) {
	asked := map[orchestration.SignalKind]int{}
	complete := 0
	for seed := range uint64(3) {
		f := &flow{t: t, store: s, random: rand.New(rand.NewPCG(seed, 1)), now: time.Unix(1_800_000_000, 0).UTC(), asked: asked}
		f.begin(fmt.Sprintf("quest%d", seed), seed%2 == 0)
		for range 300 {
			if f.quest.Over() && len(f.quest.OpenRuns()) == 0 {
				complete++
				break
			}
			f.move()
		}
		f.compareHistory()
	}
	for _, kind := range orchestration.SignalKinds {
		if asked[kind] == 0 {
			t.Errorf("no agent ever sent %s: the flows prove too little", kind)
		}
	}
	if complete == 0 {
		t.Error("no quest became complete: the flows prove too little")
	}
}

func (f *flow) begin(id string, gates bool) {
	tr, err := orchestration.Create(orchestration.NewQuest{
		ID: id, At: f.now, Request: "build it", Repo: "/repo", Ward: "make test", Agent: "simulated",
		Workspace: orchestration.WorkspaceShared, ApproveReqs: gates, ApprovePlan: gates,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	f.commit(tr)
}

// apply passes one input through Apply and the store. A refusal changes nothing.
func (f *flow) apply(input orchestration.InputKind) error {
	f.now = f.now.Add(time.Second)
	tr, err := orchestration.Apply(f.quest, orchestration.Input{At: f.now, Actor: "user", Kind: input})
	if err == nil {
		f.commit(tr)
	}
	return err
}

func (f *flow) commit(tr orchestration.Transition) {
	f.t.Helper()
	commit(f.t, f.store, tr)
	f.quest = tr.Quest
	f.events = append(f.events, tr.Events...)
	got, err := f.store.Quest(f.t.Context(), f.quest.ID)
	if err != nil {
		f.t.Fatal(err)
	}
	if d := Diff(f.quest, got); d != "" {
		f.t.Fatalf("after version %d (-applied +stored):\n%s", f.quest.Version, d)
	}
	if f.random.IntN(3) == 0 {
		f.quest = got // continue with what was stored, as after a restart
	}
}

func (f *flow) compareHistory() {
	f.t.Helper()
	got, err := f.store.Events(f.t.Context(), f.quest.ID, orchestration.EventFilter{N: len(f.events) + 1})
	if err != nil {
		f.t.Fatal(err)
	}
	if d := cmp.Diff(f.events, got); d != "" {
		f.t.Fatalf("history (-applied +stored):\n%s", d)
	}
}
