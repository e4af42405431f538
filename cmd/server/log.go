package main

import (
	"io"
	"log/slog"
)

// newLog is the server's log: text on standard error, for the first line of
// standard output belongs to the login URL.
func newLog(out io.Writer, dev bool) *slog.Logger {
	level := slog.LevelInfo
	if dev {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level}))
}
