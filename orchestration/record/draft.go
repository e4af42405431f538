package record

import (
	"strings"
	"time"

	"questboard/orchestration"
)

// Draft is a quest that has not begun: what was typed so far. No rule reads it.
type Draft struct {
	ID        string // becomes the quest's id, so a draft can begin only once
	Version   int64  // grows with every change
	CreatedAt time.Time
	ChangedAt time.Time
	// Without ID and At. Stored drafts have it under its first name.
	Quest orchestration.NewQuest `json:"Order"`
	// What worktrees of the repository need, as typed.
	Setup, Links, Copies string
	// FileShown is what the form showed of the repository's own file when the draft was
	// saved (service.ShownFile).
	FileShown string `json:",omitempty"`
}

// Title is the title that the quest would get.
func (d Draft) Title() string {
	if title := d.Quest.ShownTitle(); title != "" {
		return title
	}
	if d.Quest.Repo != "" {
		return "Something in " + strings.TrimSpace(d.Quest.Repo)
	}
	return "Untitled"
}

// ErrDraftChanged refuses a change that is based on an older version.
func ErrDraftChanged() *orchestration.Error {
	return &orchestration.Error{Code: orchestration.CodeConflict, Message: "this draft was changed elsewhere"}
}

// ErrNoDraft says that there is no such draft.
func ErrNoDraft() *orchestration.Error {
	return &orchestration.Error{Code: orchestration.CodeNotFound, Message: "there is no such draft; it may have been started or deleted"}
}
