package record

import (
	"time"

	"questboard/orchestration"
)

// MessageState says how far a message is.
type MessageState string

// The states.
const (
	MessageWaits  MessageState = "waits"
	MessageSent   MessageState = "sent"
	MessageFailed MessageState = "failed" // nothing is tried any more
)

// Message is what one channel sends at once: one notice, or several that came shortly
// after each other.
type Message struct {
	Seq     int64  // 1, 2, 3 …; 0: not stored yet
	ID      string // of the message; every try has the same
	Channel string
	Notices []orchestration.Notice
	Opened  time.Time
	// Closed: no further notice is added. A message is closed before its first try, because
	// a receiver that knows its id does not read it again.
	Closed bool
	Tries  int
	First  time.Time // the first try; zero: none yet
	Next   time.Time // not tried before; zero: any time
	State  MessageState
	Ended  time.Time // when it was sent, or given up; zero: it waits
	Fault  string    // of the latest try
}

// lateAfter is how many failed tries make a message late.
const lateAfter = 3

// Late reports whether later messages about the same quests may have been sent before.
func (m Message) Late() bool { return m.Tries >= lateAfter }

// Standing is how a channel does.
type Standing struct {
	Waiting, Failed int
	Retried         int       // how many of those that wait have been tried and have not arrived
	Sent            time.Time // the newest; zero: none
	FailedAt        time.Time // when the newest was given up; zero: none
	Fault           string    // of the newest message that waits or failed
}

// Broken reports whether the channel does not reach anybody now: something is tried again, or
// what it did last is to give a message up.
func (s Standing) Broken() bool { return s.Retried > 0 || s.FailedAt.After(s.Sent) }
