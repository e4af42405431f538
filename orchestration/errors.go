package orchestration

import (
	"errors"
	"fmt"
)

// Code classifies an error for programs. The HTTP handlers and the MCP endpoint each map
// it to their own kind of error.
type Code string

const (
	// CodeInvalid: the input itself is wrong; Fields name the faults.
	CodeInvalid Code = "invalid"
	// CodeNotFound: there is no such quest, step, run or question.
	CodeNotFound Code = "not_found"
	// CodeConflict: the current state does not allow the input, perhaps because it
	// changed since the sender looked. Nothing changed.
	CodeConflict Code = "conflict"
	// CodeUnavailable: the server accepts no input now (it is shutting down).
	CodeUnavailable Code = "unavailable"
)

// Error is a refusal: nothing changed. Message tells the sender, a person or a model,
// what is allowed instead.
type Error struct {
	Code    Code
	Message string
	Fields  map[string]string // field -> what is wrong with it; may be nil
	Told    bool              // Message already contains everything in Fields
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// CodeOf returns the Code of a refusal in err's chain, or "" for any other error.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func invalid(format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Message: fmt.Sprintf(format, args...)}
}

func conflict(format string, args ...any) *Error {
	return &Error{Code: CodeConflict, Message: fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) *Error {
	return &Error{Code: CodeNotFound, Message: fmt.Sprintf(format, args...)}
}
