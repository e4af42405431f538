package engine

import "errors"

var (
	// ErrStale: another commit was faster; load again and try again.
	ErrStale = errors.New("the quest was changed meanwhile")
	// ErrNotFound: there is no such quest.
	ErrNotFound = errors.New("there is no such quest")
	// ErrStopped: the engine takes no more inputs.
	ErrStopped = errors.New("the server is shutting down")
	// ErrFull: the disk is full. Nothing was written, reads go on, and the same
	// commit may succeed once there is space.
	ErrFull = errors.New("the disk is full")
	// ErrReadOnly: the database cannot be written at all (a read-only mount,
	// lost rights). Nothing was written.
	ErrReadOnly = errors.New("the database cannot be written")
)
