package views

import "time"

// SharePage is where the owner makes, sees and ends the links to a quest.
type SharePage struct {
	Frame           Frame
	Quest, QuestURL string
	QuestID         string
	// Made is the link that was just made; it is shown this once.
	Made      *MadeShare
	Rows      []ShareRow
	ExpiresIn string
	Wrong     string // with the choice of the span
	Spans     []Choice
	// LocalAddress is set where nobody else can follow a link: only this
	// machine reaches it. Example is a command that changes that.
	LocalAddress, Example, Tunnel string
}

// MadeShare is a new link.
type MadeShare struct {
	URL   string
	Until time.Time
}

// ShareRow is one link, without what it was: that is not kept.
type ShareRow struct {
	ID, Name string // of the element; for people
	Includes string
	State    State
	Until    time.Time
	Viewed   Clock
	Created  Clock
	Open     bool
}

// Choice is one of several that a form offers.
type Choice struct {
	Value, Words string
	Chosen       bool
}
