package agents

// NotStarted is the error of a Runner whose program is missing or cannot start. A retry
// does not help, so the quest waits and says why
// (docs/state-machine.md#waits-and-holds).
type NotStarted struct {
	Why string // in words, with what to do, for the card
	Err error  // the cause
}

// Error implements error. It is what the user reads.
func (e *NotStarted) Error() string { return e.Why }

// Unwrap returns the cause.
func (e *NotStarted) Unwrap() error { return e.Err }
