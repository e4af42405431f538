package engine

import (
	"cmp"
	"context"
	"slices"

	"questboard/orchestration"
)

// Hosts are the machines that carry out runs beside this one.
type Hosts interface {
	// Dispatcher carries out the runs of the quests that work on a host, even while that
	// host is not connected. It must not wait.
	Dispatcher(host string) Dispatcher
	// Offers lists what the hosts offer to a quest in a repository, by name. Quests is not
	// set.
	Offers(repo string) []orchestration.HostOffer
	// Slots returns how many agents and checks a host can run now; none while it is not
	// connected, or is to take nothing new.
	Slots(host string) (agents, checks int)
	// Away says why a host starts nothing now; "": it does.
	Away(host string) (why string)
	// Leave says why quests must leave a host; "": they stay.
	Leave(host string) (why string)
}

// noHosts are the hosts of a server that works alone.
type noHosts struct{}

func (noHosts) Dispatcher(string) Dispatcher            { return nil }
func (noHosts) Offers(string) []orchestration.HostOffer { return nil }
func (noHosts) Slots(string) (agents, checks int)       { return 0, 0 }
func (noHosts) Away(string) string                      { return "" }
func (noHosts) Leave(string) string                     { return "" }

// dispatchers carry out the runs of each quest on its host.
type dispatchers struct {
	Dispatcher // this machine: what concerns no quest concerns it alone
	e          *Engine
}

func (d dispatchers) of(q *orchestration.Quest) Dispatcher {
	if q == nil || q.Workplace.Host == "" {
		return d.Dispatcher
	}
	return d.e.cfg.Hosts.Dispatcher(q.Workplace.Host)
}

// at returns the dispatcher of a run's quest, or of a quest.
func (d dispatchers) at(id string) Dispatcher {
	if quest := orchestration.QuestOf(id); quest != "" {
		id = quest
	}
	return d.of(d.e.cache.get(id))
}

// Start implements Dispatcher.
func (d dispatchers) Start(job Job) { d.of(job.Quest).Start(job) }

// End implements Dispatcher.
func (d dispatchers) End(run string, grace orchestration.GraceKind) { d.at(run).End(run, grace) }

// Interrupt implements Dispatcher. The other hosts work on while this server is away for a
// moment, so with "" it interrupts only the runs of this machine.
func (d dispatchers) Interrupt(quest, why string) {
	if quest == "" {
		d.Dispatcher.Interrupt("", why)
		return
	}
	d.at(quest).Interrupt(quest, why)
}

// Merge implements Dispatcher.
func (d dispatchers) Merge(q *orchestration.Quest, step string) { d.of(q).Merge(q, step) }

// Release implements Dispatcher.
func (d dispatchers) Release(q *orchestration.Quest, step string) { d.of(q).Release(q, step) }

// Prepare implements Dispatcher.
func (d dispatchers) Prepare(q *orchestration.Quest, step string) { d.of(q).Prepare(q, step) }

// Tidy implements Dispatcher.
func (d dispatchers) Tidy(q *orchestration.Quest) { d.of(q).Tidy(q) }

// FinishOrphan implements Dispatcher.
func (d dispatchers) FinishOrphan(q *orchestration.Quest, run *orchestration.Run, why string) {
	d.of(q).FinishOrphan(q, run, why)
}

// Forget implements Dispatcher. This machine keeps the trees of a quest until it is deleted.
func (d dispatchers) Forget(quest string) {
	if q := d.e.cache.get(quest); q != nil && q.Workplace.Host != "" {
		d.of(q).Forget(quest)
	}
}

// Executes implements Dispatcher.
func (d dispatchers) Executes(run string) bool { return d.at(run).Executes(run) }

// AwaitStart implements Dispatcher.
func (d dispatchers) AwaitStart(ctx context.Context, run string) { d.at(run).AwaitStart(ctx, run) }

// Reached implements Dispatcher.
func (d dispatchers) Reached(run string) { d.at(run).Reached(run) }

// Live implements Dispatcher. With "" it counts the runs of this machine.
func (d dispatchers) Live(quest string) (agents, checks int) {
	if quest == "" {
		return d.Dispatcher.Live("")
	}
	return d.at(quest).Live(quest)
}

// LastLine implements Dispatcher.
func (d dispatchers) LastLine(run string) string { return d.at(run).LastLine(run) }

// LastText implements Dispatcher.
func (d dispatchers) LastText(run string) string { return d.at(run).LastText(run) }

// Compactions implements Dispatcher.
func (d dispatchers) Compactions(run string) int { return d.at(run).Compactions(run) }

// Told implements Dispatcher.
func (d dispatchers) Told(run string) orchestration.Told { return d.at(run).Told(run) }

// Place implements Dispatcher.
func (d dispatchers) Place(q *orchestration.Quest, step string) string { return d.of(q).Place(q, step) }

// Look implements Dispatcher.
func (d dispatchers) Look(ctx context.Context, q *orchestration.Quest, step string) string {
	return d.of(q).Look(ctx, q, step)
}

// Seek implements Dispatcher.
func (d dispatchers) Seek(ctx context.Context, q *orchestration.Quest, step string,
	evidence []orchestration.Evidence) []orchestration.Sought {
	return d.of(q).Seek(ctx, q, step, evidence)
}

// hostID names the machine on which a quest works, as it is stored with its runs.
func (e *Engine) hostID(q *orchestration.Quest) string { return cmp.Or(q.Workplace.Host, e.cfg.HostID) }

// Center returns what the hosts on other machines need of the engine.
func (e *Engine) Center() Center { return center{e} }

// Reconcile tells a host that has connected what is still to be done for its quests. It
// also looks whether quests can move.
func (e *Engine) Reconcile(host string) {
	e.inbox.post(&request{alone: func() error {
		for _, q := range e.active {
			if q.Workplace.Host == host && !e.damaged[q.ID] {
				e.pending(q)
			}
		}
		return nil
	}})
}

// offers lists what every host offers to a quest, this machine first.
func (r *batch) offers(repo string, shared bool) []orchestration.HostOffer {
	here := orchestration.HostOffer{Labels: r.e.cfg.Labels, Slots: r.e.slots(r.settings())}
	if r.e.cfg.Away {
		here.Slots = 0
	}
	list := []orchestration.HostOffer{here}
	if !shared {
		list = append(list, r.e.cfg.Hosts.Offers(repo)...)
	}
	for i := range list {
		for _, q := range r.e.active {
			if q.Workplace.Host == list[i].Name {
				list[i].Quests++
			}
		}
	}
	return list
}

// moveOn lets quests leave hosts that are gone or that are to take nothing new. A quest that
// no other host can take stays.
func (r *batch) moveOn() {
	var away []string
	for id, q := range r.e.active {
		if q.Workplace.Host != "" && !q.Over() && !r.skips(id) {
			away = append(away, id)
		}
	}
	slices.Sort(away)
	for _, id := range away {
		if r.enough() {
			return
		}
		q, err := r.quest(id)
		if err != nil {
			continue
		}
		why := r.e.cfg.Hosts.Leave(q.Workplace.Host)
		if why == "" || !q.MayMove() {
			continue
		}
		offers := slices.DeleteFunc(r.offers(q.Repo, false), func(o orchestration.HostOffer) bool { return o.Name == q.Workplace.Host })
		host, err := orchestration.ChooseHost(q.Workplace.Labels, offers)
		if err != nil {
			continue
		}
		if r.unasked(id, orchestration.HostChosen{Host: host, Why: why}) {
			r.moved[id] = q.Workplace.Host
		}
	}
}
