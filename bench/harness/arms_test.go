package harness_test

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// arm is a way to carry out both features.
type arm struct {
	name  string
	plain func(*plain) error // without Questboard
	size  string             // of a quest
	ward  string             // the check of the quest; "": that of the repository
	kills int                // how many runs there are between two kills of the server, at most
	every bool               // it is played with every seed
}

const (
	aloneArm, checkedArm                      = "one agent alone", "one agent with its check"
	togetherArm, naiveArm                     = "two in one checkout", "two worktrees, merged unchecked"
	errandArm, errandKilledArm, fullKilledArm = "errand", "errand, server killed", "full, server killed"
)

func arms() []arm {
	return []arm{
		{name: aloneArm, plain: alone, every: true},
		{name: checkedArm, plain: checked, every: true},
		{name: togetherArm, plain: together},
		{name: naiveArm, plain: naive},
		{name: errandArm, size: "errand", every: true},
		{name: "quick", size: "quick"},
		{name: "full", size: "full"},
		{name: "auto", size: "auto"},
		{name: errandKilledArm, size: "errand", kills: 1},
		{name: fullKilledArm, size: "full", kills: 5},
	}
}

// repeats reports whether the same seed gives the same outcome. Where steps are built beside each other, the seed
// does not say which is merged first.
func (a arm) repeats() bool { return a.plain != nil || a.size == "errand" && a.kills == 0 }

// strikes draws the moments at which the server is killed.
func (a arm) strikes(p *pair, seed uint64) (list []strike) {
	if a.kills == 0 {
		return nil
	}
	at := 0
	for n := range 2 {
		at += 1 + int(draw(seed, p.name, "kill", a.name, n)*float64(a.kills))
		list = append(list, strike{at, time.Duration(draw(seed, p.name, "moment", a.name, n) * float64(300*time.Millisecond))})
	}
	return list
}

// slots is how many agents of a quest work at once.
const slots = 3

// seat is where a worker plays: for quests it has a server of its own.
type seat struct {
	*world
	arm   arm
	board *board
	notes string
}

func (w *world) seat(a arm) (*seat, error) {
	s := &seat{world: w, arm: a}
	if a.plain != nil {
		return s, nil
	}
	dir, err := w.room()
	if err != nil {
		return nil, err
	}
	s.notes = filepath.Join(dir, "notes")
	s.board, err = newBoard(dir, s.notes, slots)
	return s, err
}

func (s *seat) close() error {
	if s.board == nil {
		return nil
	}
	return s.board.stop()
}

func (s *seat) play(ctx context.Context, p *pair, seed uint64) (result, error) {
	pl := play{s.arm.name, p.name, seed}
	var r result
	var err error
	if s.arm.plain != nil {
		r, err = s.plainly(p, pl, s.arm.plain)
	} else {
		r, err = s.onBoard(ctx, p, pl)
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w", jsonText(pl), err)
	}
	return r, nil
}
