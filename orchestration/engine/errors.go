package engine

import "questboard/orchestration"

// Refusals that do not come from the rules. They are *orchestration.Error, so
// that an edge maps them by their Code as it maps any other.
var (
	// ErrStale: another commit was faster; load again and try again.
	ErrStale error = &orchestration.Error{Code: orchestration.CodeConflict, Message: "the quest was changed meanwhile"}
	// ErrNotFound: there is no such quest.
	ErrNotFound error = &orchestration.Error{Code: orchestration.CodeNotFound, Message: "there is no such quest"}
	// ErrStopped: the engine takes no more inputs.
	ErrStopped error = &orchestration.Error{Code: orchestration.CodeUnavailable, Message: "the server is shutting down"}
)
