package agents

import "fmt"

// NotStarted is a Runner's answer when the program is missing or cannot start.
// No retry will help (state-machine.md: the quest waits with the reason).
type NotStarted struct {
	Why string // in words, with what to do, for the card
	Err error
}

// Error implements error.
func (e *NotStarted) Error() string {
	if e.Err == nil {
		return e.Why
	}
	return fmt.Sprintf("%s (%v)", e.Why, e.Err)
}

// Unwrap gives the cause.
func (e *NotStarted) Unwrap() error { return e.Err }
