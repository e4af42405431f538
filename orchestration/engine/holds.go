package engine

import (
	"slices"
	"time"

	"questboard/orchestration"
)

// Account holds belong to the server: what one quest's run learns of an
// account counts for all of them.

// account draws from an applied fact what it says about the agent's account.
func (r *round) account(q *orchestration.Quest, t orchestration.Transition, fact orchestration.Fact) {
	switch fact.(type) {
	case orchestration.SignalReceived:
		if !t.Empty() && t.Refusal == nil {
			r.release(q.Agent) // it spoke, so its account works
		}
	case orchestration.ResumePressed:
		r.probe(q.Agent)
	}
	if t.Account != nil {
		r.hold(*t.Account)
	}
}

// hold adds a hold; at most one a kind and agent, the newest.
func (r *round) hold(h orchestration.AccountHold) {
	r.edit(func(s *Server) {
		holds := make([]orchestration.AccountHold, 0, len(s.Holds)+1)
		for _, old := range s.Holds {
			if old.Agent != h.Agent || old.Kind != h.Kind {
				holds = append(holds, old)
			} else if h.Kind == orchestration.HoldOverload && old.Until.After(h.Until) {
				h.Until = old.Until // somebody who failed more often waits longer
			}
		}
		s.Holds = append(holds, h)
	})
}

// release ends every hold of an agent: one of its runs got through.
func (r *round) release(agent string) {
	if holdsOf(r.settings().Holds, agent) {
		r.edit(func(s *Server) {
			s.Holds = slices.DeleteFunc(slices.Clone(s.Holds), func(h orchestration.AccountHold) bool { return h.Agent == agent })
		})
	}
}

func holdsOf(holds []orchestration.AccountHold, agent string) bool {
	return slices.ContainsFunc(holds, func(h orchestration.AccountHold) bool { return h.Agent == agent })
}

func (e *Engine) longestBackoff() time.Duration {
	longest := max(e.backoff().Max, orchestration.DefaultBackoff.Max)
	for _, q := range e.active {
		longest = max(longest, q.Backoff.Max, q.Backoff.First)
	}
	return longest
}

// probe lets one run of the agent find out whether its account works again:
// "resume of a quest ends every wait that is no question, gate or block".
func (r *round) probe(agent string) {
	waits := func(h orchestration.AccountHold) bool { return h.Agent == agent && !h.Probe }
	if !slices.ContainsFunc(r.settings().Holds, waits) {
		return
	}
	r.edit(func(s *Server) {
		s.Holds = slices.Clone(s.Holds)
		for i := range s.Holds {
			s.Holds[i].Probe = s.Holds[i].Probe || s.Holds[i].Agent == agent
		}
	})
}

// expire drops the holds whose time has passed. That of an overload is a
// backoff: one that lasts longer than any was begun before the clock was set
// back. When a usage limit ends the service says, by the clock on the wall.
func (r *round) expire() {
	passed := func(h orchestration.AccountHold) bool {
		return !h.Until.IsZero() && !h.Until.After(r.at) || h.Kind == orchestration.HoldOverload && !ahead(h.Until, r.at, r.e.longestBackoff())
	}
	if slices.ContainsFunc(r.settings().Holds, passed) {
		r.edit(func(s *Server) { s.Holds = slices.DeleteFunc(slices.Clone(s.Holds), passed) })
	}
}
