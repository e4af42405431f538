package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"questboard/orchestration"
)

// tend does what nobody has to ask for.
func (r *batch) tend() {
	r.endOverdue()
	r.moveOn()
	r.grant()
}

// tendOne is tend for one quest: the first that it finds.
func (r *batch) tendOne() {
	r.one = true
	r.tend()
}

// enough reports whether the batch may tend no other quest.
func (r *batch) enough() bool { return r.one && len(r.tended) > 0 }

// skips reports whether the batch must not tend a quest: it is damaged, or could not be
// stored a moment ago.
func (r *batch) skips(quest string) bool {
	return r.e.damaged[quest] || ahead(r.e.aside[quest], r.at, retryMost)
}

// unasked applies an input that nobody has asked for, and reports whether it was accepted.
func (r *batch) unasked(quest string, input orchestration.InputKind, what ...any) bool {
	if err := guard(quest, func() error { return r.apply(quest, serverActor, input) }); err != nil {
		r.e.report(err)
		r.e.cfg.Log.Error("apply what nobody asked for", append(what, "quest", quest, "input", fmt.Sprintf("%T", input), "error", err)...)
		return false
	}
	r.tended = append(r.tended, quest)
	return true
}

// grant gives the free slots to the runs that Assign names.
func (r *batch) grant() {
	if r.e.draining {
		return
	}
	for _, host := range r.hosts() {
		for _, g := range r.e.assign(r.pool(host)) {
			if r.enough() {
				return
			}
			r.give(g)
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
	if !r.unasked(g.Quest, input, "run", g.Run, "step", g.Step) {
		return
	}
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
		case r.skips(q.ID):
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
