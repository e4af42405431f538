package engine

import (
	"errors"
	"syscall"

	"questboard/orchestration"
)

// Refusals that do not come from the rules. They are *orchestration.Error, so
// that an edge maps them by their Code as it maps any other.
var (
	// ErrStale: another commit was faster; load again and try again.
	ErrStale error = &orchestration.Error{Code: orchestration.CodeConflict, Message: "the quest was changed meanwhile"}
	// ErrNotFound: there is no such quest.
	ErrNotFound error = &orchestration.Error{Code: orchestration.CodeNotFound, Message: "there is no such quest"}
	// ErrStopped: the engine takes no more inputs.
	ErrStopped error = &orchestration.Error{Code: orchestration.CodeUnavailable, Message: "the server is shutting down"}
	// ErrFull: the disk is full. Nothing was written, reads go on, and the same
	// commit may succeed once there is space.
	ErrFull error = &orchestration.Error{Code: orchestration.CodeUnavailable, Message: "the disk is full: make space, then try again"}
	// ErrReadOnly: the database cannot be written at all (a read-only mount,
	// lost rights). Nothing was written.
	ErrReadOnly error = &orchestration.Error{Code: orchestration.CodeUnavailable, Message: "the database cannot be written"}
	// ErrFailing: the disk answers what is written with an input/output error.
	// Nothing of it counts, but a crash right then may bring it back: whoever
	// says it again gets the answer that belongs to it.
	ErrFailing error = &orchestration.Error{Code: orchestration.CodeUnavailable,
		Message: "the disk answers with an input/output error: copy the newest backup to another disk, then check this one"}
)

// ErrDamaged: the quest's state cannot be worked with. Others go on. It is a
// fault of ours and no refusal.
var ErrDamaged = errors.New("the quest is damaged")

// Unwritable reports whether the disk refused what was to be written: no other
// commit will have more luck, until that is over.
func Unwritable(err error) bool {
	return errors.Is(err, ErrFull) || errors.Is(err, ErrReadOnly) || errors.Is(err, ErrFailing)
}

// DiskFault gives what the system says of a file that is written the class that
// is acted on: ErrFull, ErrReadOnly, ErrFailing, or nil where it is no refusal
// of the disk.
func DiskFault(err error) error {
	var cause syscall.Errno
	errors.As(err, &cause)
	switch cause {
	case syscall.ENOSPC, syscall.EDQUOT:
		return ErrFull
	case syscall.EROFS, syscall.EACCES, syscall.EPERM:
		return ErrReadOnly
	case syscall.EIO:
		return ErrFailing
	default:
		return nil
	}
}
