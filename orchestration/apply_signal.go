package orchestration

import (
	"reflect"
	"slices"
	"strings"
)

// signal applies a call of signal-back.
func (e *edit) signal(f SignalReceived) error {
	r := e.q.Run(f.Run)
	if r == nil {
		return notFound("there is no run %s in this quest", f.Run)
	}
	// Check for a stale signal before looking at the payload.
	if r.Signal != nil {
		if reflect.DeepEqual(*r.Signal, f.Signal) {
			return nil // a retried call: the same answer, nothing changes
		}
		return conflict("this run has already signalled %s, and only the first signal counts; stop now", r.Signal.Kind)
	}
	if !r.Live() || r.Stopping != "" || e.q.Over() {
		return e.refuseLate(r, f.Signal)
	}
	if err := checkSignal(e.q, r, f); err != nil {
		return err
	}
	e.heard = f
	row := e.routeOf(r, f.Signal)
	e.accept(r, f.Signal, row.name)
	return row.do(e, e.q.Run(r.ID), f.Signal)
}

// refuseLate refuses the signal of a run that is over. The history records only the
// first such signal of a run.
func (e *edit) refuseLate(r *Run, s Signal) error {
	err := conflict("this run is over (%s); its signals count no more; stop now", e.q.overWhy(r))
	if r.Late {
		return err
	}
	e.run(r.ID).Late = true
	e.event(EventSignalRefused, r.Step, r.ID, "signal", string(s.Kind), "why", err.Message)
	e.refusal = err
	return nil
}

func (q *Quest) overWhy(r *Run) string {
	switch {
	case r.State == RunQueued:
		return "it has not started"
	case r.Outcome != "":
		return string(r.Outcome)
	case r.Stopping != "":
		return string(r.Stopping)
	default:
		return "the quest has ended"
	}
}

// accept stores the signal. Its route decides what follows.
func (e *edit) accept(r *Run, s Signal, rule string) {
	w := e.run(r.ID)
	if s.Resume != nil {
		resume := *s.Resume
		s.Resume = &resume // the caller keeps its own
	}
	s.Evidence = slices.Clone(s.Evidence)
	s.Findings = slices.Clone(s.Findings)
	w.Signal, w.State = &s, RunSignalled
	step := e.step(r.Step)
	c := &step.Counts
	c.Crash, c.Stuck, c.Nudge, c.Infra, c.Overloads = 0, 0, 0, 0, 0
	said := []string{"signal", string(s.Kind), "rule", rule}
	for _, f := range SignalFields {
		said = append(said, f.Name, f.In(&s))
	}
	e.actor = string(r.Role)
	e.event(EventSignalAccepted, r.Step, r.ID, said...)
	e.effect(EndRun{Run: r.ID, Grace: GraceAfter(s.Kind)})
}

// checkSignal refuses an invalid payload and tells the model what is allowed.
func checkSignal(q *Quest, r *Run, f SignalReceived) error {
	s := f.Signal
	if may := SignalsOf(r.Role); !slices.Contains(may, s.Kind) {
		return invalid("%s may not send %q; allowed: %s", r.Role, s.Kind, list(may))
	}
	if s.StepID != r.Step {
		return invalid("stepId is %q, but this run works for %q: send stepId %q", s.StepID, r.Step, r.Step)
	}
	if needed, missing := neededFields(&s); len(missing) > 0 {
		err := invalid("%s needs %s; missing or empty: %s", s.Kind, strings.Join(needed, ", "), strings.Join(missing, ", "))
		err.Told, err.Fields = true, map[string]string{}
		for _, f := range missing {
			err.Fields[f] = "missing or empty"
		}
		if s.Kind == Complete {
			err.Message = told(append([]string{err.Message}, q.evidenceFaults(r, f)...), "\n- ")
		}
		return err
	}
	if err := checkFindings(q, r, s.Findings); err != nil {
		return err
	}
	switch s.Kind {
	case NeedsUserInput:
		return checkWall(r, s)
	case NeedsRoleFollowup:
		return checkFollowup(q, r, f)
	case Complete:
		return checkEvidence(q, r, f)
	default:
		return nil
	}
}

// neededFields lists the fields that a signal must have, and those of them that are
// missing.
func neededFields(s *Signal) (needed, missing []string) {
	for _, f := range FieldsOf(s.Kind) {
		if f.Optional {
			continue
		}
		needed = append(needed, f.Name)
		if blank(f.In(s)) {
			missing = append(missing, f.Name)
		}
	}
	return needed, missing
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func list[T ~string](items []T) string {
	words := make([]string, len(items))
	for i, it := range items {
		words[i] = string(it)
	}
	return strings.Join(words, ", ")
}
