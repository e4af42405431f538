package engine

import (
	"errors"
	"syscall"

	"questboard/orchestration"
)

// Refusals that do not come from the rules. They are *orchestration.Error, so each edge
// maps them by their Code like any other refusal.
var (
	// ErrStale: another commit was faster. Load the quest and try again.
	ErrStale error = &orchestration.Error{Code: orchestration.CodeConflict, Message: "the quest was changed meanwhile"}
	// ErrNotFound: there is no such quest.
	ErrNotFound error = &orchestration.Error{Code: orchestration.CodeNotFound, Message: "there is no such quest"}
	// ErrStopped: the engine accepts no more inputs.
	ErrStopped error = &orchestration.Error{Code: orchestration.CodeUnavailable, Message: "the server is shutting down"}
	// ErrFull: the disk is full. Nothing was written, reading still works, and the same
	// commit may succeed once there is space.
	ErrFull error = &orchestration.Error{Code: orchestration.CodeUnavailable, Message: "the disk is full: make space, then try again"}
	// ErrReadOnly: the database cannot be written at all (a read-only mount,
	// lost rights). Nothing was written.
	ErrReadOnly error = &orchestration.Error{Code: orchestration.CodeUnavailable, Message: "the database cannot be written"}
	// ErrFailing: the disk answers writes with an input/output error. The write does
	// not count, but a crash right now may bring it back. If the sender repeats it
	// then, the answer fits what was stored.
	ErrFailing error = &orchestration.Error{Code: orchestration.CodeUnavailable,
		Message: "the disk reports an input/output error: copy the newest backup to another disk, then check the failing disk"}
	// ErrAway: the database is another program, and it does not answer. Whether it carried
	// out what it was sent last is not known; as for ErrFailing, a repetition is answered
	// as it fits.
	ErrAway error = &orchestration.Error{Code: orchestration.CodeUnavailable,
		Message: "the database does not answer: start it, or mend the network"}
	// ErrSuperseded: another server works with the database now. This one must end its agents, and
	// end.
	ErrSuperseded error = &orchestration.Error{Code: orchestration.CodeUnavailable,
		Message: "another questboard works with this database now: use that one"}
)

// ErrRemote: beside ErrFull or ErrReadOnly it says that not our own disk is meant, but that
// of the database.
var ErrRemote = errors.New("the database is another program")

// ErrDamaged: the state of this quest is unusable. Other quests continue. This is a
// fault of ours and not a refusal.
var ErrDamaged = errors.New("the quest is damaged")

// Unwritable reports whether the disk or the database refused a write. Until that is over,
// every other commit will fail, too.
func Unwritable(err error) bool {
	return errors.Is(err, ErrFull) || errors.Is(err, ErrReadOnly) || errors.Is(err, ErrFailing) || errors.Is(err, ErrAway) ||
		errors.Is(err, ErrSuperseded)
}

// DiskFault maps a system error from writing a file to ErrFull, ErrReadOnly or
// ErrFailing. It returns nil if the error is not the disk's.
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
