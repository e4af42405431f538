package views

import "time"

// Today is the page that says what waits, and what ended since a time.
type Today struct {
	Frame  Frame
	Waits  []Need // oldest first
	Since  time.Time
	Spans  []Tab // the times to choose from
	Ended  []QuestHead
	More   bool     // more have ended than are listed
	Cost   string   // in words, of what ended and of what is at work
	Broken []string // channels that do not work, in words
}
