package handlers

import "time"

// Trials run a check command in a repository to see what it does. No quest
// knows of them; there is one at a time.
type Trials interface {
	// Begin runs the command for a quest, and ends by itself at its limit. A
	// refusal is an *orchestration.Error.
	Begin(quest, dir, command string, limit time.Duration) error
	// End stops it, if it still goes on.
	End(quest string)
	// Last is the newest one of a quest.
	Last(quest string) (Trial, bool)
}

// Trial is one run of a command.
type Trial struct {
	Run          string // of its output
	Command, Dir string
	Began        time.Time
	Going        bool
	Passed       bool
	Why          string // what came of it
	Took         time.Duration
}
