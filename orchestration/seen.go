package orchestration

import "fmt"

// AsSeen is a decision about a step by somebody who looked at it first. It is refused if
// the step is in another state by now: the decision was made about something else.
type AsSeen struct {
	Step     string
	State    string // Step.State as they saw it; "": any
	Decision InputKind
}

func (AsSeen) inputKind() {}

// AsRead is a decision by somebody who compared the quest with what a form shows. It is
// refused if the quest has another version by now: compare again. The error has the field
// "version".
type AsRead struct {
	Version  int64
	Decision InputKind
}

func (AsRead) inputKind() {}

// mayAsRead: as for AsSeen, what the decision itself meets comes first.
func (q *Quest) mayAsRead(f AsRead) error {
	if err := q.may(f.Decision); err != nil || f.Version == q.Version {
		return err
	}
	err := conflict("the quest has changed at this moment: look again, then decide")
	err.Fields = map[string]string{"version": fmt.Sprintf("it is %d now", q.Version)}
	return err
}

// State names what the step is doing or waits for. It changes when the step goes on, is
// held or is released. Others may only compare it.
func (s *Step) State() string {
	return string(s.Stage) + "/" + string(s.Hold) + "/" + s.Run
}

// mayAsSeen: a refusal or a repeat of the decision itself comes first, because it says
// more.
func (q *Quest) mayAsSeen(f AsSeen) error {
	if err := q.may(f.Decision); err != nil {
		return err
	}
	s := q.Step(f.Step)
	switch {
	case s == nil:
		return notFound("there is no step %s", f.Step)
	case f.State != "" && f.State != s.State():
		err := conflict("%s has changed since you looked at it: look again, then decide", f.Step)
		err.Fields = map[string]string{"state": "it is " + s.State() + " now"}
		return err
	}
	return nil
}
