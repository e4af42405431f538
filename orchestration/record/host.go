package record

import "time"

// Host is a machine that may work for this server.
type Host struct {
	Name    string    `json:"name"`
	KeyHash string    `json:"keyHash"`
	At      time.Time `json:"at"` // when its key was made
	// Drained: it gets nothing new, and its quests go to other hosts.
	Drained bool `json:"drained,omitempty"`
}
