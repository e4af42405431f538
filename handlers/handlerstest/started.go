package handlerstest

import (
	"time"

	"questboard/handlers"
	"questboard/orchestration/record"
)

// Started returns the flags of a server that was started without any.
func Started() handlers.Started {
	return handlers.Started{Slots: 3, Checks: 1, Given: map[string]string{"stuck-after": "QUESTBOARD_STUCK_AFTER"}, Timeouts: record.Timeouts{
		Start: 30 * time.Second, Stuck: 10 * time.Minute, Run: 4 * time.Hour,
		Grace: 10 * time.Second, Backoff: time.Minute, Ward: 30 * time.Minute}}
}
