package handlers

import (
	"context"

	"questboard/orchestration"
)

// Diffs shows what agents changed; agents/workspace keeps it.
type Diffs interface {
	// Diff is what a line changed, or, with an empty line, what of the whole
	// quest has been merged: a patch of git's, at most 16 MiB of it; cut says
	// that there is more. Refusals are *orchestration.Error, in words for the
	// user: CodeNotFound where there is nothing yet, CodeUnavailable where the
	// repository cannot be read.
	Diff(ctx context.Context, q *orchestration.Quest, line string) (patch []byte, cut bool, err error)
}
