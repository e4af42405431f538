package orchestration_test

import (
	"testing"
	"time"

	"questboard/orchestration"
)

// jumps lists how far a clock is set, forward and back.
var jumps = []time.Duration{time.Hour, -time.Hour, 365 * 24 * time.Hour, -365 * 24 * time.Hour}

// A backoff ends after minutes, even if the clock is set back by a year.
func TestClock_aBackoffEndsAlthoughTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	for _, jump := range jumps {
		t.Run(jump.String(), func(t *testing.T) {
			t.Parallel()
			p := withSteps(t, step("a"))
			p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndInfrastructure)
			p.now = p.now.Add(jump)
			if why := p.q.StepWhy(p.q.Step("a"), p.now, nil).Words(); why == "" {
				t.Error("no reason is given")
			}
			p.grant()
			if r := p.at("a", orchestration.Codeweaver); !r.StartedAt.Equal(p.now) {
				t.Errorf("it began at %v, want now: %v", r.StartedAt, p.now)
			}
		})
	}
}

// If the clock is set back by less than the longest backoff, a run waits that much
// longer, because nobody can tell such a change from a normal backoff.
func TestClock_aBackoffIsNeverLongerThanTheLongest(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndInfrastructure)
	p.now = p.now.Add(-10 * time.Minute)
	pool := orchestration.Pool{Now: p.now, Slots: 1, Quests: []*orchestration.Quest{p.q}}
	if g := orchestration.Assign(pool); len(g) != 0 {
		t.Errorf("a slot was given during the backoff: %+v", g)
	}
	pool.Now = p.now.Add(11 * time.Minute)
	if g := orchestration.Assign(pool); len(g) != 1 {
		t.Error("no slot was given after it")
	}
}

// Quests take turns even if one had its last turn before the clock was set back.
// Otherwise that quest would wait for a year.
func TestClock_questsTakeTurnsAlthoughTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	early, late := withSteps(t, step("a"), step("b")), withSteps(t, step("a"), step("b"))
	late.q.ID = "z" + late.q.ID
	now := early.now.Add(-365 * 24 * time.Hour)
	turns := map[string]int{}
	quests := []*orchestration.Quest{early.q, late.q}
	quests[0].GrantedAt = now.Add(-time.Minute) // since the clock was set back
	for range 4 {
		grants := orchestration.Assign(orchestration.Pool{Now: now, Slots: 1, Quests: quests})
		if len(grants) != 1 {
			t.Fatalf("%d grants", len(grants))
		}
		turns[grants[0].Quest]++
		for _, q := range quests {
			if q.ID == grants[0].Quest {
				q.GrantedAt = now
			}
		}
		now = now.Add(time.Second)
	}
	if len(turns) != 2 || turns[late.q.ID] != 2 {
		t.Errorf("turns: %v, want two each", turns)
	}
}
