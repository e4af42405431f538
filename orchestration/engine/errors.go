package engine

import "errors"

var (
	// ErrStale: another commit was faster; load again and try again.
	ErrStale = errors.New("the quest was changed meanwhile")
	// ErrNotFound: there is no such quest.
	ErrNotFound = errors.New("there is no such quest")
	// ErrStopped: the engine takes no more inputs.
	ErrStopped = errors.New("the server is shutting down")
)
