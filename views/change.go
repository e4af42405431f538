package views

import "time"

// Change is the form that changes the requirements of a quest.
type Change struct {
	Frame   Frame
	ID      string
	Error   string
	Was     string // which changes the user knew of
	Hint    string // what will happen
	Text    Field
	Earlier []ChangeText
}

// ChangeText is a change that was made before.
type ChangeText struct {
	Text, By string
	At       time.Time
}

// FollowUp is the form that begins a quest on the result of another.
type FollowUp struct {
	Frame          Frame
	ID             string
	Error          string
	Was            string // which follow-ups the user knew of
	Base           string // where the new quest starts from; empty: in the repository itself
	Attached       bool   // files came with the request of the first
	Request, Title Field
	RunsOn         Field // labels of the host
	Labelled       bool  // the first quest asked for some
	Size           SizeChoice
}
