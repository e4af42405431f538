package engine

import (
	"errors"
	"fmt"
	"runtime/debug"

	"questboard/orchestration"
)

// damage is a panic that one quest caused. It must never stop the others.
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

// report marks a quest as damaged if its request panicked. Such a quest gets no more
// slots. The user can still look at it, export it or abandon it.
func (e *Engine) report(err error) {
	var d *damage
	if !errors.As(err, &d) || d.quest == "" {
		return
	}
	e.damaged[d.quest] = true
	e.cfg.Log.Error("a quest is damaged; it gets no slots until the server starts again",
		"quest", d.quest, "error", d.Error(), "stack", string(d.stack))
}

// assign asks the core who gets the free slots. If the core panics, assign finds the
// quest that causes it and leaves it out.
func (e *Engine) assign(pool orchestration.Pool) (grants []orchestration.Grant) {
	ask := func(p orchestration.Pool) error { grants = orchestration.Assign(p); return nil }
	if guard("", func() error { return ask(pool) }) == nil {
		return grants
	}
	valid := pool
	valid.Quests = nil
	for _, q := range pool.Quests {
		one := pool
		one.Quests = []*orchestration.Quest{q}
		if err := guard(q.ID, func() error { return ask(one) }); err != nil {
			e.report(err)
			continue
		}
		valid.Quests = append(valid.Quests, q)
	}
	if err := guard("", func() error { return ask(valid) }); err != nil {
		e.cfg.Log.Error("assign slots", "error", err)
		return nil
	}
	return grants
}

// loadable returns the quest, or a placeholder if its state is unusable.
func (e *Engine) loadable(q *orchestration.Quest) *orchestration.Quest {
	err := guard(q.ID, func() error { return orchestration.ValidateLoaded(q) })
	if err == nil {
		return q
	}
	return orchestration.Placeholder(q, q.Over(), err.Error())
}

// allLoadable is loadable for a list.
func (e *Engine) allLoadable(quests []*orchestration.Quest) []*orchestration.Quest {
	list := make([]*orchestration.Quest, len(quests))
	for i, q := range quests {
		list[i] = e.loadable(q)
	}
	return list
}
