package views

import "time"

// LogRow is one line of a run's output: in short, or in full.
type LogRow struct {
	Number int    // from 1
	URL    string // the line's own page, which shows all of it
	Kind   string // chooses the colour
	Head   string
	Pieces []Piece // the text on one line
	Prose  string  // the text as Markdown, if the line is shown in full
	Took   string
	Failed bool
	At     time.Time // when it was written; zero if the line does not say
	Nested bool      // from a sub-agent, a minion
	By     string    // its name; may be empty
	More   bool      // the line has more text than is shown here
}

// Piece is a part of a terminal's text with the same colours.
type Piece struct {
	Class, Text string
}

// LineDetail has everything about a line: the call of a tool, and its result.
type LineDetail struct {
	Parts []LinePart
}

// LinePart is one text of a LineDetail. Of its fields for content, the first that is set
// is shown.
type LinePart struct {
	Name   string // the heading; may be empty
	Prose  string
	Diff   *DiffFile
	Todos  []Pair // Name is done, now or open
	Pieces []Piece
	Note   string // below it, such as that it was cut
}

// LogPage is a page of a run's output, for browsers without JavaScript.
type LogPage struct {
	Frame                       Frame
	Words                       string
	TextURL                     string
	From, To, Total             int
	First, Previous, Next, Last string // empty: there is no such page
	Rows                        []LogRow
}

// RawPage is a step's output as it was written.
type RawPage struct {
	Frame Frame
	Step  Step
	Log   *Log // nil: no run has started
}
