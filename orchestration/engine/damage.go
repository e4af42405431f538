package engine

import (
	"errors"
	"fmt"
	"runtime/debug"

	"questboard/orchestration"
)

// damage is a panic that one quest caused. It never stops the others.
type damage struct {
	quest string
	cause any
	stack []byte
}

func (d *damage) Error() string {
	return fmt.Sprintf("quest %s: %v: %v", d.quest, ErrDamaged, d.cause)
}

func (d *damage) Unwrap() error { return ErrDamaged }

// guard runs f and turns a panic into damage of the quest.
func guard(quest string, f func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &damage{quest, cause, debug.Stack()}
		}
	}()
	return f()
}

// report notes which orders found their quest damaged. Such a quest gets no
// slots any more; the user can still look at it, export it or abandon it.
func (e *Engine) report(err error) {
	var d *damage
	if !errors.As(err, &d) || d.quest == "" {
		return
	}
	e.damaged[d.quest] = true
	e.cfg.Log.Error("a quest is damaged; it gets no slots until the server starts again",
		"quest", d.quest, "error", d.Error(), "stack", string(d.stack))
}

// assign asks who gets the free slots. A quest at which the question fails is
// found and left out.
func (e *Engine) assign(pool orchestration.Pool) (grants []orchestration.Grant) {
	ask := func(p orchestration.Pool) error { grants = orchestration.Assign(p); return nil }
	if guard("", func() error { return ask(pool) }) == nil {
		return grants
	}
	sound := pool
	sound.Quests = nil
	for _, q := range pool.Quests {
		one := pool
		one.Quests = []*orchestration.Quest{q}
		if err := guard(q.ID, func() error { return ask(one) }); err != nil {
			e.report(err)
			continue
		}
		sound.Quests = append(sound.Quests, q)
	}
	if err := guard("", func() error { return ask(sound) }); err != nil {
		e.cfg.Log.Error("assign slots", "error", err)
		return nil
	}
	return grants
}

// sound returns the quest, or what stands in for it where it cannot be worked
// with.
func (e *Engine) sound(q *orchestration.Quest) *orchestration.Quest {
	err := guard(q.ID, func() error { return orchestration.Sound(q) })
	if err == nil {
		return q
	}
	return orchestration.StandIn(q, q.Over(), err.Error())
}

// soundOnes is sound for a list.
func (e *Engine) soundOnes(quests []*orchestration.Quest) []*orchestration.Quest {
	list := make([]*orchestration.Quest, len(quests))
	for i, q := range quests {
		list[i] = e.sound(q)
	}
	return list
}
