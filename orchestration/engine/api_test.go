package engine_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

func TestATokenNamesItsRunAlsoWhenItHasEnded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(1)
		p := r.runs.only()
		token := p.spec.Token
		check := func(when string) {
			t.Helper()
			quest, run, err := r.RunOf(t.Context(), token)
			if err != nil || quest.ID != q.ID || run.ID != p.spec.RunID {
				t.Errorf("%s: %v", when, err)
			}
		}
		check("while it runs")
		r.complete(p)
		check("when it has ended")
		run := r.now(q.ID).Run(p.spec.RunID)
		if run.TokenHash == "" || strings.Contains(token, run.TokenHash) {
			t.Errorf("the stored %q must be a hash of the token's secret", run.TokenHash)
		}
		ward := r.runs.only()
		for name, wrong := range map[string]string{
			"empty": "", "no secret": q.ID + "-r1.", "another secret": q.ID + "-r1.x", "no run": ".x", "half": token[:len(token)-1],
			"the hash": q.ID + "-r1." + run.TokenHash, "another quest": "zzzzzzzz-r1.x", "ward": ward.spec.RunID + ".",
			"another run with it": q.ID + "-r2." + strings.SplitN(token, ".", 2)[1], "no such run": q.ID + "-r99.x",
		} {
			if _, _, err := r.RunOf(t.Context(), wrong); orchestration.CodeOf(err) != orchestration.CodeNotFound {
				t.Errorf("%s: %v, want not found", name, err)
			}
		}
	})
}

func TestWardGetsNeitherTokenNorSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(1)
		r.complete(r.runs.only())
		ward := r.runs.only()
		if s := ward.spec; s.Token != "" || s.SessionID != "" || s.Command != "true" || s.Prompt != "" {
			t.Errorf("ward's spec %+v, want its command and nothing of an agent", s)
		}
		if run := r.now(q.ID).Run(ward.spec.RunID); run.TokenHash != "" || run.HostID != "host" || run.BootID != "boot-1" {
			t.Errorf("hash %q host %q boot %q", run.TokenHash, run.HostID, run.BootID)
		}
	})
}

func TestCreateFillsInWhatTheCallerLeftOpen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		if err := r.ChangeSettings(t.Context(), func(s *record.Settings) { s.Limits = orchestration.Limits{Crash: 7, Ward: 2} }); err != nil {
			t.Fatal(err)
		}
		q := r.quest(1, func(n *orchestration.NewQuest) { n.Limits.Ward = 5 })
		if !regexp.MustCompile(`^[a-z][a-z0-9]{7}$`).MatchString(q.ID) {
			t.Errorf("id %q", q.ID)
		}
		if q.CreatedAt.IsZero() || q.Backoff != orchestration.DefaultBackoff {
			t.Errorf("created %v, backoff %+v", q.CreatedAt, q.Backoff)
		}
		if q.Limits.Crash != 7 || q.Limits.Ward != 5 {
			t.Errorf("limits %+v, want the server's crash 7 and the quest's own ward 5", q.Limits)
		}
		_, err := r.Create(t.Context(), orchestration.NewQuest{ID: q.ID, Request: "again", Repo: "/repo", Agent: "simulated", Workspace: orchestration.WorkspaceShared})
		if orchestration.CodeOf(err) != orchestration.CodeConflict {
			t.Errorf("a second quest %s: %v, want a conflict", q.ID, err)
		}
		_, err = r.Create(t.Context(), orchestration.NewQuest{})
		if orchestration.CodeOf(err) != orchestration.CodeInvalid {
			t.Errorf("an empty quest: %v, want its faults", err)
		}
	})
}

func TestAConflictComesWithTheFreshQuest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(1)
		now, err := r.Submit(t.Context(), q.ID, "user", orchestration.RetryPressed{Step: "step-1"})
		if orchestration.CodeOf(err) != orchestration.CodeConflict || now == nil || now.Version < q.Version {
			t.Errorf("retry of what is not blocked: %v with %v, want a conflict and the quest", err, now)
		}
		if _, err := r.Submit(t.Context(), "nobody12", "user", orchestration.PausePressed{}); orchestration.CodeOf(err) != orchestration.CodeNotFound {
			t.Errorf("a quest that is not there: %v", err)
		}
	})
}

func TestOnlyAQuestThatIsOverCanBeDeleted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(1)
		if err := r.Delete(t.Context(), q.ID); orchestration.CodeOf(err) != orchestration.CodeConflict {
			t.Errorf("delete a quest that goes on: %v, want a conflict", err)
		}
		if err := r.submit(q.ID, orchestration.AbandonPressed{}); err != nil {
			t.Fatal(err)
		}
		r.living(t, 0)
		if err := r.Delete(t.Context(), q.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Quest(t.Context(), q.ID); orchestration.CodeOf(err) != orchestration.CodeNotFound {
			t.Errorf("a deleted quest: %v, want not found", err)
		}
		if err := r.Delete(t.Context(), q.ID); orchestration.CodeOf(err) != orchestration.CodeNotFound {
			t.Errorf("delete twice: %v, want not found", err)
		}
	})
}

// A disk may report an error of a deletion that took place.
func TestADeletionThatFailedHalfWayCanBeRepeated(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(1)
		if err := r.submit(q.ID, orchestration.AbandonPressed{}); err != nil {
			t.Fatal(err)
		}
		r.living(t, 0)
		if err := r.store.Delete(t.Context(), orchestration.DeletionOf(q)); err != nil {
			t.Fatal(err)
		}
		if err := r.Delete(t.Context(), q.ID); err != nil {
			t.Errorf("the repeat: %v", err)
		}
		if _, err := r.Quest(t.Context(), q.ID); orchestration.CodeOf(err) != orchestration.CodeNotFound {
			t.Errorf("a deleted quest: %v, want not found", err)
		}
	})
}

func TestQuestsAreNewestFirstWithThoseThatAreOver(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		var want []string
		for range 3 {
			q := r.quest(1)
			want = append([]string{q.ID}, want...)
			pass(minute)
		}
		if err := r.submit(want[1], orchestration.AbandonPressed{}); err != nil {
			t.Fatal(err)
		}
		r.stop()
		r.start() // the abandoned one is not in memory now
		defer r.stop()
		list, err := r.Quests(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, q := range list {
			got = append(got, q.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("quests %v, want %v", got, want)
		}
		events, err := r.Events(t.Context(), want[1], orchestration.EventFilter{N: 1})
		if err != nil || len(events) != 1 || events[0].Type != orchestration.EventQuestCreated {
			t.Errorf("history %v (%v), want its first entry", events, err)
		}
	})
}

func TestQuestsThatAreOverLeaveMemoryAndAreStillThere(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		var ids []string
		for range 40 {
			q := r.quest(1)
			ids = append(ids, q.ID)
			if err := r.submit(q.ID, orchestration.AbandonPressed{}); err != nil {
				t.Fatal(err)
			}
			pass(minute) // its run leaves
		}
		if active := r.Active(); len(active) != 0 {
			t.Errorf("%d quests go on", len(active))
		}
		over, err := r.Ended(t.Context(), orchestration.EndedFilter{N: 100})
		if err != nil || len(over) != 40 {
			t.Fatalf("%d quests are over (%v)", len(over), err)
		}
		for _, id := range ids {
			if q, err := r.Quest(t.Context(), id); err != nil || !q.Abandoned {
				t.Errorf("quest %s: %v", id, err)
			}
		}
		q, err := r.Submit(t.Context(), ids[0], "user", orchestration.PausePressed{})
		if orchestration.CodeOf(err) != orchestration.CodeConflict || q == nil || q.ID != ids[0] {
			t.Errorf("a refusal of what is over: %v with %v", err, q)
		}
	})
}

func TestANotificationNamesTheStepsThatChanged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(2)
		before := r.bell.count()
		p := r.runs.of("step-2")
		p.observer.SessionOpened("another")
		r.living(t, 2)
		r.bell.mu.Lock()
		rings := slices.Clone(r.bell.rings[before:])
		r.bell.mu.Unlock()
		if want := fmt.Sprint(q.ID, []string{"step-2"}); len(rings) != 1 || rings[0] != want {
			t.Errorf("rings %v, want one: %s", rings, want)
		}
		p.progress(0, "reads a file")
		if line := r.LastLine(p.spec.RunID); line != "reads a file" {
			t.Errorf("the card's line is %q", line)
		}
	})
}

// Compactions are those of a run at work, and a new one is a change of its card.
func TestCompactionsOfARunAtWorkAreToldToItsCard(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.quest(1)
		p := r.runs.only()
		if n := r.Compactions(p.spec.RunID); n != 0 {
			t.Errorf("%d compactions at the start", n)
		}
		before := r.bell.cards.Load()
		p.observer.Progress(agents.Progress{At: time.Now(), Compactions: 1})
		p.observer.Progress(agents.Progress{At: time.Now(), Compactions: 1})
		pass(time.Second)
		if n, rings := r.Compactions(p.spec.RunID), r.bell.cards.Load()-before; n != 1 || rings != 1 {
			t.Errorf("%d compactions, told %d times; want each 1", n, rings)
		}
		p.exit(orchestration.EndContext)
		synctest.Wait()
		if n := r.Compactions(p.spec.RunID); n != 0 {
			t.Errorf("%d compactions of a run that is over", n)
		}
	})
}

// docs/state-machine.md#what-agents-at-work-use: however often runs tell something, pages are
// told at most twice in a second, of all of them together.
func TestWhatRunsUseIsToldAtMostTwiceInASecond(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(2)
		one, two := r.runs.of("step-1"), r.runs.of("step-2")
		began := time.Now()
		for i := range int64(1000) {
			one.observer.Told(orchestration.Told{Model: "opus", Tokens: orchestration.Tokens{Input: i}})
			two.observer.Told(orchestration.Told{Tokens: orchestration.Tokens{Input: 2 * i}})
			time.Sleep(3 * time.Millisecond)
		}
		pass(time.Second)
		r.bell.mu.Lock()
		rings := slices.Clone(r.bell.spending)
		r.bell.mu.Unlock()
		most := int(2*time.Since(began)/time.Second) + 1
		if want := fmt.Sprint(map[string][]string{q.ID: {"step-1", "step-2"}}); len(rings) == 0 || len(rings) > most || rings[0] != want {
			t.Errorf("%d notices, want at most %d; the first %v, want %s", len(rings), most, rings[:1], want)
		}
		now, err := r.Spending(t.Context(), q, q.Run(one.spec.RunID))
		if err != nil || now.Tokens.Input != 999 || now.Price != orchestration.PriceUnknown {
			t.Errorf("it has used %+v (%v)", now, err)
		}
		two.leave(agents.Ended{End: orchestration.EndClean, Exit: orchestration.Exit{Model: "opus", SessionCost: 0.5, Tokens: orchestration.Tokens{Input: 500}}})
		synctest.Wait()
		if now, err = r.Spending(t.Context(), q, q.Run(one.spec.RunID)); err != nil || now.Price != orchestration.PriceAbout || math.Abs(now.USD-0.999) > 1e-9 {
			t.Errorf("with an ended run of its model: %+v (%v)", now, err)
		}
		if now, err = r.Spending(t.Context(), q, q.Run(two.spec.RunID)); err != nil || now.Tokens.All() != 0 {
			t.Errorf("a run that is over is still told: %+v (%v)", now, err)
		}
	})
}

func TestAConfigNamesAllItsFaults(t *testing.T) {
	t.Parallel()
	_, err := engine.New(engine.Config{Slots: 65})
	for _, want := range []string{"store", "runners", "workspace", "prompt", "slots"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
}
