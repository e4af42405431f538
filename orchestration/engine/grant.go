package engine

import (
	"maps"
	"slices"

	"github.com/google/uuid"

	"questboard/orchestration"
)

// grant gives the free slots to the runs that Assign names.
func (r *batch) grant() {
	if r.e.draining {
		return
	}
	for _, host := range r.hosts() {
		for _, g := range r.e.assign(r.pool(host)) {
			r.give(g)
		}
	}
}

// grantOne gives one free slot, to the first run that Assign names.
func (r *batch) grantOne() {
	for _, host := range r.hosts() {
		for _, g := range r.e.assign(r.pool(host)) {
			if r.give(g); len(r.granted) > 0 {
				return
			}
		}
	}
}

func (r *batch) give(g orchestration.Grant) {
	secret := newSecret()
	input := g.Input()
	input.SessionID, input.TokenHash, input.HostID, input.BootID = uuid.NewString(), hashOf(secret), r.e.cfg.HostID, r.e.cfg.BootID
	if q, err := r.quest(g.Quest); err == nil && q.Workplace.Host != "" {
		input.HostID, input.BootID = q.Workplace.Host, ""
	}
	input.Ask = r.settings().Asks()
	if q := r.quests[g.Quest]; g.Run != "" && q == nil {
		r.ward(r.e.cache.get(g.Quest), &input)
	} else if g.Run != "" {
		r.ward(q, &input)
	}
	had := len(r.transitions)
	err := guard(g.Quest, func() error { return r.apply(g.Quest, serverActor, input) })
	if err != nil {
		r.e.report(err)
		r.e.cfg.Log.Error("grant a slot", "quest", g.Quest, "run", g.Run, "step", g.Step, "error", err)
		return
	}
	r.granted = append(r.granted, g.Quest)
	r.takeTurn(g.Turns)
	for _, t := range r.transitions[had:] {
		for _, effect := range t.Effects {
			if start, ok := effect.(orchestration.StartRun); ok {
				r.secrets[start.Run] = secret
			}
		}
	}
}

// ward removes the session and the token from the grant of a check.
func (r *batch) ward(q *orchestration.Quest, input *orchestration.SlotGranted) {
	if q.Run(input.Run).Role == orchestration.Ward {
		input.SessionID, input.TokenHash = "", ""
	}
}

// hosts lists the hosts on which a quest works, this machine first.
func (r *batch) hosts() []string {
	hosts := map[string]bool{"": true}
	for _, q := range r.e.active {
		hosts[q.Workplace.Host] = true
	}
	for _, q := range r.quests { // one of them may be new
		hosts[q.Workplace.Host] = true
	}
	return slices.Sorted(maps.Keys(hosts))
}

// pool returns the input of Assign for one host. The quests of other hosts get nothing, but
// what they use of shared budgets and of accounts counts.
func (r *batch) pool(host string) orchestration.Pool {
	s := r.settings()
	slots, checks := r.e.slots(s), r.e.checks(s)
	if host != "" {
		slots, checks = r.e.cfg.Hosts.Slots(host)
	}
	p := orchestration.Pool{Now: r.at, Host: host, Slots: slots, Checks: checks, Holds: s.Holds, Turns: s.Turns,
		SharedBudgets: s.sharedBudgets(r.at),
		Quests:        make([]*orchestration.Quest, 0, len(r.e.active)+1)}
	add := func(q *orchestration.Quest) {
		switch {
		case q.Workplace.Host != host || host != "" && slots == 0:
			elsewhere := *q
			elsewhere.Paused = true
			p.Quests = append(p.Quests, &elsewhere)
		case r.e.damaged[q.ID]:
			agents, checks := r.e.dispatch.Live(q.ID) // its stored state does not say who is at work
			p.Slots -= agents
			p.Checks = max(1, p.Checks-checks) // the other quests go on, even if a check hangs there
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
