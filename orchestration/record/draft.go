package record

import (
	"strings"
	"time"

	"questboard/orchestration"
)

// Draft is a quest that somebody may begin one day. No rule looks at it: it is
// what was typed, as far as it got.
type Draft struct {
	ID        string // the quest's, too, once it begins: so it begins once
	Version   int64  // grows with every change
	CreatedAt time.Time
	ChangedAt time.Time
	Order     orchestration.NewQuest // without ID and At
	// What worktrees of the repository need, as it was typed.
	Setup, Links, Copies string
}

// Title is what the quest would be called.
func (d Draft) Title() string {
	if title := d.Order.ShownTitle(); title != "" {
		return title
	}
	if d.Order.Repo != "" {
		return "Something in " + strings.TrimSpace(d.Order.Repo)
	}
	return "Untitled"
}

// ErrDraftChanged refuses a change that was made from an older version.
func ErrDraftChanged() *orchestration.Error {
	return &orchestration.Error{Code: orchestration.CodeConflict, Message: "this draft was changed elsewhere meanwhile"}
}

// ErrNoDraft says that there is no such draft.
func ErrNoDraft() *orchestration.Error {
	return &orchestration.Error{Code: orchestration.CodeNotFound, Message: "there is no such draft; it may have been started or deleted"}
}
