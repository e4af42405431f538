package orchestration

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// DefaultFallbackAfter is how many minutes an account must be held before others go on, if
// nobody says another number. A shorter hold costs less than a change of the program.
const DefaultFallbackAfter = 15

// FallbackAfterMost is the most for Program.FallbackAfter, in minutes: a week.
const FallbackAfterMost = 7 * 24 * 60

// fallbackMost is how long a list of fallbacks may be.
const fallbackMost = 10

// checkFallback adds what is wrong with the fields fallback and fallbackAfter.
func (p Program) checkFallback(faults map[string]string) {
	if len(p.Fallback) > fallbackMost {
		faults["fallback"] = fmt.Sprintf("at most %d agents", fallbackMost)
	}
	for i, name := range p.Fallback {
		switch {
		case !agentName.MatchString(name):
			faults["fallback"] = "names of agents, such as codex"
		case name == p.Agent:
			faults["fallback"] = name + " cannot work in its own place"
		case slices.Contains(p.Fallback[:i], name):
			faults["fallback"] = name + " is named twice: the list would go in a circle"
		}
	}
	if p.FallbackAfter < 0 || p.FallbackAfter > FallbackAfterMost {
		faults["fallbackAfter"] = fmt.Sprintf("minutes from 1 to %d, or 0 for %d", FallbackAfterMost, DefaultFallbackAfter)
	}
}

// lasts reports whether the hold keeps its account for longer than d: from its beginning to
// the time at which the account is tried again.
func (h AccountHold) lasts(d time.Duration) bool { return h.Until.IsZero() || h.Until.Sub(h.Since) > d }

// over reports whether the hold's time has passed.
func (h AccountHold) over(now time.Time) bool { return !h.Until.IsZero() && !h.Until.After(now) }

// LiveHolds returns the holds whose time has not passed.
func LiveHolds(holds []AccountHold, now time.Time) []AccountHold {
	return slices.DeleteFunc(slices.Clone(holds), func(h AccountHold) bool { return h.over(now) })
}

// fallbacks returns the programs that may begin a launch in place of its own, in order. A
// session that exists is resumed by its own program alone.
func (q *Quest) fallbacks(l Launch) []string {
	if l.ResumedFrom != "" {
		return nil
	}
	return q.othersThan(q.agentFor(l), l.Role)
}

// othersThan returns a role's fallbacks without one program.
func (q *Quest) othersThan(agent string, role Role) []string {
	return slices.DeleteFunc(slices.Clone(q.Programs[role].Fallback), func(name string) bool { return name == agent })
}

// Fallbacks returns the programs that may go on for others in the quest, sorted.
func (q *Quest) Fallbacks() []string {
	var names []string
	for role := range q.Programs {
		names = append(names, q.othersThan(q.AgentOf(role), role)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// heldLong reports whether the account of an agent is held for so long that others may go on
// for the role.
func (q *Quest) heldLong(agent string, role Role, now time.Time, holds []AccountHold) bool {
	after := time.Duration(cmp.Or(q.Programs[role].FallbackAfter, DefaultFallbackAfter)) * time.Minute
	return slices.ContainsFunc(holds, func(h AccountHold) bool {
		return h.of(agent) && !h.over(now) && h.ofAccount() && h.lasts(after)
	})
}

// startsWith returns the program that starts a launch now: its own or, if the account of that
// one is held for long, the first fallback whose account is free; "": it waits. held says
// whose account keeps it from a slot.
func (q *Quest) startsWith(l Launch, now time.Time, holds []AccountHold, held func(agent string) bool) string {
	own := q.agentFor(l)
	if !held(own) {
		return own
	}
	if q.heldLong(own, l.Role, now, holds) {
		for _, other := range q.fallbacks(l) {
			if !held(other) {
				return other
			}
		}
	}
	return ""
}

// startsAmong is startsWith while no account is tried again.
func (q *Quest) startsAmong(l Launch, now time.Time, holds []AccountHold) string {
	live := LiveHolds(holds, now)
	return q.startsWith(l, now, live, func(agent string) bool { return holding(live, agent) })
}

// notBefore returns until when a run backs off before a program starts it. A program that
// goes on for another one need not wait for what the other one had to.
func (q *Quest) notBefore(r *Run, agent string) time.Time {
	if r.NotBefore.IsZero() || agent == "" || agent == q.agentFor(r.Launch) {
		return r.NotBefore
	}
	for n := r.N - 1; n >= 0; n-- {
		if before := q.Runs.At(n); before.Step == r.Step && before.Agent != "" {
			if before.Agent != agent {
				return time.Time{}
			}
			break
		}
	}
	return r.NotBefore
}

// begins records which program carries a run out, and in whose place.
func (e *edit) begins(r *Run, agent string) {
	own := e.q.agentFor(r.Launch)
	switch before := e.q.Run(r.ResumedFrom); {
	case before != nil:
		r.InPlaceOf = before.InPlaceOf
	case agent != "" && agent != own || r.With != "":
		r.InPlaceOf = e.q.AgentOf(r.Role)
	}
	r.Agent = cmp.Or(agent, own)
	if r.InPlaceOf == r.Agent {
		r.InPlaceOf = ""
	}
}

// FallbackPressed has another agent go on, with a hand-off, for a session that waits to be
// resumed: the first of the role's fallbacks.
type FallbackPressed struct {
	Step string
}

func (FallbackPressed) inputKind() {}

// FallbackFor returns the program with which a step can go on whose run waits to resume a
// session of another one; "": there is none.
func (q *Quest) FallbackFor(step string) string {
	s := q.Step(step)
	if s == nil {
		return ""
	}
	r := q.Run(s.Run)
	if r == nil || r.State != RunQueued || !r.Role.Agent() || r.ResumedFrom == "" {
		return ""
	}
	if others := q.othersThan(q.agentFor(r.Launch), r.Role); len(others) > 0 {
		return others[0]
	}
	return ""
}

func (q *Quest) mayFallBack(f FallbackPressed) error {
	s := q.Step(f.Step)
	if s == nil {
		return notFound("there is no step %s", f.Step)
	}
	if r := q.Run(s.Run); r != nil && r.State == RunQueued && r.With != "" && r.ResumedFrom == "" {
		return errRepeat
	}
	if q.FallbackFor(f.Step) == "" {
		return conflict("no session of %s waits to be resumed whose role has another agent to go on with", f.Step)
	}
	return nil
}

// fallBack has another program begin a session in place of the one that waits to be resumed.
// Who waits for the run goes on waiting for it.
func (e *edit) fallBack(f FallbackPressed) {
	with := e.q.FallbackFor(f.Step)
	r := e.run(e.q.Step(f.Step).Run)
	e.event(EventRunFallback, r.Step, r.ID, "agent", with, "inPlaceOf", e.q.agentFor(r.Launch))
	r.Brief = e.q.asked(r.Launch)
	r.Start, r.ResumedFrom, r.With = StartHandoff, "", with
	r.SessionID, r.NotBefore = "", time.Time{}
}

// fallbackNeeds adds the steps whose sessions wait for a held account while another program
// could go on. All holds count.
func (q *Quest) fallbackNeeds(list []Need, holds []AccountHold) []Need {
	if len(holds) == 0 || len(q.Programs) == 0 || q.Over() || q.Paused || q.Wait != nil {
		return list
	}
	for _, r := range q.queuedAgents() {
		own := q.agentFor(r.Launch)
		if q.FallbackFor(r.Step) == "" || q.Step(r.Step).Run != r.ID || !q.heldLong(own, r.Role, time.Time{}, holds) {
			continue
		}
		if free := slices.ContainsFunc(q.othersThan(own, r.Role), func(other string) bool { return !holding(holds, other) }); free {
			i := slices.IndexFunc(holds, func(h AccountHold) bool { return h.of(own) && h.ofAccount() })
			list = append(list, Need{Kind: NeedFallback, Quest: q.ID, Step: r.Step, Agent: q.FallbackFor(r.Step), Reason: holds[i].Reason,
				Since: r.QueuedAt})
		}
	}
	return list
}

// holding reports whether one of the holds is the agent's.
func holding(holds []AccountHold, agent string) bool {
	return slices.ContainsFunc(holds, func(h AccountHold) bool { return h.of(agent) })
}
