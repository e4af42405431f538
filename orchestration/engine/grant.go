package engine

import (
	"github.com/google/uuid"

	"questboard/orchestration"
)

// grant gives the free slots to whom Assign names.
func (r *round) grant() {
	if r.e.draining {
		return
	}
	for _, g := range r.e.assign(r.pool()) {
		r.give(g)
	}
}

func (r *round) give(g orchestration.Grant) {
	secret := newSecret()
	fact := orchestration.SlotGranted{Run: g.Run, Step: g.Step, Slot: g.Slot, SessionID: uuid.NewString(),
		TokenHash: hashOf(secret), HostID: r.e.cfg.HostID, BootID: r.e.cfg.BootID}
	if q := r.quests[g.Quest]; g.Run != "" && q == nil {
		r.ward(r.e.shelf.get(g.Quest), &fact)
	} else if g.Run != "" {
		r.ward(q, &fact)
	}
	had := len(r.transitions)
	err := guard(g.Quest, func() error { return r.apply(g.Quest, serverActor, fact) })
	if err != nil {
		r.e.report(err)
		r.e.cfg.Log.Error("grant a slot", "quest", g.Quest, "run", g.Run, "step", g.Step, "error", err)
		return
	}
	r.granted[g.Quest] = true
	for _, t := range r.transitions[had:] {
		for _, effect := range t.Effects {
			if start, ok := effect.(orchestration.StartRun); ok {
				r.secrets[start.Run] = secret
			}
		}
	}
}

// ward has neither a session nor a token.
func (r *round) ward(q *orchestration.Quest, fact *orchestration.SlotGranted) {
	if q.Run(fact.Run).Role == orchestration.Ward {
		fact.SessionID, fact.TokenHash = "", ""
	}
}

// pool is what Assign may choose from.
func (r *round) pool() orchestration.Pool {
	s := r.settings()
	p := orchestration.Pool{Now: r.at, Slots: r.e.slots(s), Holds: s.Holds,
		Quests: make([]*orchestration.Quest, 0, len(r.e.active)+1)}
	add := func(q *orchestration.Quest) {
		switch {
		case r.e.damaged[q.ID]:
			p.Slots -= r.e.dispatch.Live(q.ID) // what is in it cannot be counted on
		case ahead(r.e.aside[q.ID], r.at, retryMost):
			paused := *q
			paused.Paused = true
			p.Quests = append(p.Quests, &paused)
		default:
			p.Quests = append(p.Quests, q)
		}
	}
	for id, q := range r.e.active {
		if r.quests[id] == nil {
			add(q)
		}
	}
	for _, q := range r.quests {
		add(q)
	}
	return p
}
