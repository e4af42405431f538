package views

import "time"

// SharePage is the page on which the owner creates, sees and revokes the links to a
// quest.
type SharePage struct {
	Frame   Frame
	QuestID string
	// Made is the new link, which is shown only once.
	Made      *MadeShare
	Rows      []ShareRow
	ExpiresIn string
	Wrong     string // the error of the chosen duration
	Spans     []Choice
	// LocalAddress is set if only this machine can open a link. Example is a command that
	// changes that.
	LocalAddress, Example, Tunnel string
}

// MadeShare is a new link.
type MadeShare struct {
	URL   string
	Until time.Time
}

// ShareRow is one link. Its address is not stored.
type ShareRow struct {
	ID, Name string // id of the element, and a name for people
	Includes string
	State    State
	Until    time.Time
	Viewed   Clock
	Created  Clock
	Open     bool
}

// Choice is one of several options in a form.
type Choice struct {
	Value, Words string
	Chosen       bool
}
