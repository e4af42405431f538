package web_test

import (
	"slices"

	"questboard/orchestration"
)

// counts counts the steps that were not replaced.
func (s *tale) counts() (done, skipped, total int) {
	for _, step := range s.quest().Steps.All() {
		switch {
		case s.replaced[step.ID]:
			continue
		case s.done[step.ID]:
			done++
		case s.skipped[step.ID]:
			skipped++
		}
		total++
	}
	return done, skipped, total
}

// whole reports whether the siege at the end is over, and nothing new has begun since.
func (s *tale) whole() bool { return s.sieged[orchestration.StepReview] }

// proves reports whether somebody has judged the observables of a step: its own siege, the
// siege at the end, or, before that one, a verdict of Lawbringer.
func (s *tale) proves(step string) bool {
	return s.sieged[step] || s.whole() || s.proven && (step == orchestration.StepReview || s.quest().SiegeMode() == orchestration.SiegeEnd)
}

// covered counts the observables in finished steps, and all of them.
func (s *tale) covered() (n, of int) {
	q := s.quest()
	for _, r := range q.Requirements {
		for _, o := range r.Observables {
			of++
			if s.complete && s.proven && slices.Contains(q.Step(orchestration.StepReview).Observables, o.ID) {
				n++
				continue
			}
			for _, step := range q.Steps.All() {
				if s.done[step.ID] && slices.Contains(step.Observables, o.ID) {
					n++
					break
				}
			}
		}
	}
	return n, of
}

// checked counts the finished steps that passed the check.
func (s *tale) checked() int {
	n := 0
	for id := range s.done {
		if s.passed[id] {
			n++
		}
	}
	return n
}

func (s *tale) green() bool {
	done, _, total := s.counts()
	covered, of := s.covered()
	return s.complete && !s.abandoned && done == total && s.checked() == done && covered == of && (s.errand || s.verdict && s.passed[orchestration.StepReview])
}
