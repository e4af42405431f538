package engine

import (
	"slices"
	"time"

	"questboard/orchestration"
)

// Account holds belong to the server: what one run learns about an account applies to
// all quests.

// account derives from an applied input what it means for the agent's account.
func (r *batch) account(q *orchestration.Quest, t orchestration.Transition, input orchestration.InputKind) {
	switch f := input.(type) {
	case orchestration.SignalReceived:
		if run := q.Run(f.Run); run != nil && !t.Empty() && t.Refusal == nil {
			r.release(run.Agent) // the agent spoke, so its account works
		}
	case orchestration.ResumePressed:
		for _, agent := range append(q.Agents(), q.Fallbacks()...) {
			r.probe(agent)
		}
	}
	if t.Account != nil {
		r.hold(*t.Account)
	}
}

// hold adds a hold. There is at most one for each kind and agent: the newest.
func (r *batch) hold(h orchestration.AccountHold) {
	r.edit(func(s *Server) {
		holds := make([]orchestration.AccountHold, 0, len(s.Holds)+1)
		for _, old := range s.Holds {
			if old.Agent != h.Agent || old.Kind != h.Kind {
				holds = append(holds, old)
				continue
			}
			h.Since = old.Since // the account has not worked since then
			if h.Kind == orchestration.HoldOverload && old.Until.After(h.Until) {
				h.Until = old.Until // the run with more failures waits longer
			}
		}
		s.Holds = append(holds, h)
	})
}

// release ends every hold of an agent, because one of its runs got through.
func (r *batch) release(agent string) {
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

// probe lets one run of the agent find out whether its account works again. A resume of
// a quest asks for this.
func (r *batch) probe(agent string) {
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

// endOverdue ends the questions about permission that have waited too long.
func (r *batch) endOverdue() {
	for id := range r.e.active {
		q, err := r.quest(id)
		if err != nil || r.skips(id) || r.enough() || q.Asks.Timeout == 0 {
			continue
		}
		for _, question := range q.Questions.All() {
			if at := q.OverdueAt(question); !at.IsZero() && !r.at.Before(at) {
				r.unasked(id, orchestration.QuestionOverdue{Question: question.ID}, "question", question.ID)
			}
		}
	}
}

// tried reports whether the backoff of an overload has passed, and the account may be tried
// again. The hold keeps nobody any more. It stays until a run gets through, or none is refused
// for the longest backoff, because another refusal goes on with its beginning.
func tried(h orchestration.AccountHold, now time.Time, longest time.Duration) bool {
	return h.Kind == orchestration.HoldOverload && !h.Until.After(now) && now.Sub(h.Until) < longest
}

// expire drops the holds whose time has passed. The hold of an overload is a backoff:
// if it lasts longer than any backoff can, the clock was set back after it began. The
// end of a usage limit comes from the service as a time of day.
func (r *batch) expire() {
	longest := r.e.longestBackoff()
	passed := func(h orchestration.AccountHold) bool {
		if h.Kind == orchestration.HoldOverload {
			return !ahead(h.Until, r.at, longest) && !tried(h, r.at, longest)
		}
		return !h.Until.IsZero() && !h.Until.After(r.at)
	}
	if slices.ContainsFunc(r.settings().Holds, passed) {
		r.edit(func(s *Server) { s.Holds = slices.DeleteFunc(slices.Clone(s.Holds), passed) })
	}
	begins := func(h orchestration.AccountHold) bool { return tried(h, r.at, longest) && !h.Probe }
	if slices.ContainsFunc(r.settings().Holds, begins) { // boards no longer show it
		r.edit(func(s *Server) {
			s.Holds = slices.Clone(s.Holds)
			for i, h := range s.Holds {
				s.Holds[i].Probe = h.Probe || begins(h)
			}
		})
	}
}
