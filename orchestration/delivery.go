package orchestration

import "time"

// Delivery is how a quest's work reached its base branch.
type Delivery struct {
	How    string    `json:"how"`    // "fast-forward", "merge" or "squash"
	Branch string    `json:"branch"` // the base branch
	Commit string    `json:"commit"` // where that was then
	At     time.Time `json:"at"`
}
