package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// StartError says that a program could not be started: it is missing, may not be
// executed, or its working directory does not exist. A retry does not help; the reason
// is for the user.
type StartError struct {
	Program string
	Reason  string // in words, without the program's name
	Err     error  // errors.Is works for fs.ErrNotExist, exec.ErrNotFound, syscall.Errno
}

func (e *StartError) Error() string { return "start " + e.Program + ": " + e.Reason }
func (e *StartError) Unwrap() error { return e.Err }

// errNotFound wraps both errors, so that callers need not import os/exec.
var errNotFound = fmt.Errorf("%w: %w", exec.ErrNotFound, fs.ErrNotExist)

// startFault is a StartError on its way through the status pipe.
type startFault struct {
	Reason  string `json:"reason"`
	Errno   int    `json:"errno,omitempty"`
	Missing bool   `json:"missing,omitempty"` // not found on PATH
}

func (f *startFault) asError(program string) error {
	e := &StartError{Program: program, Reason: f.Reason}
	switch {
	case f.Missing:
		e.Err = errNotFound
	case f.Errno != 0:
		e.Err = syscall.Errno(f.Errno)
	default:
		e.Err = errors.New(f.Reason)
	}
	return e
}

// faultOf explains why path, requested as name, did not start.
func faultOf(name, path string, err error) *startFault {
	if errors.Is(err, exec.ErrNotFound) {
		return &startFault{Reason: "not found on PATH", Missing: true}
	}
	f := &startFault{Reason: err.Error()}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		f.Errno, f.Reason = int(errno), errno.Error()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && exists(path):
		f.Reason = "the interpreter named in its first line does not exist"
	case errors.Is(err, fs.ErrNotExist):
		f.Reason = "no such file"
	case errors.Is(err, syscall.ENOEXEC):
		f.Reason = "not a program for this machine"
	}
	return f
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
