package views

// LogRow is one line of a run's output in the log: a row, or a text in full.
type LogRow struct {
	Number int    // from 1
	URL    string // of the line's own page, which shows all of it
	Kind   string // chooses the colour
	Head   string
	Pieces []Piece // the text on one line
	Prose  string  // the text as Markdown, where it is to be read in full
	Took   string
	Failed bool
	Nested bool // of a sub-agent
	More   bool // there is more of it than is shown here
}

// Piece is a part of a text of a terminal that has one look.
type Piece struct {
	Class, Text string
}

// LineDetail is all there is to a line: what a tool was asked, and what it
// answered.
type LineDetail struct {
	Parts []LinePart
}

// LinePart is one of its texts. The first that is set is shown.
type LinePart struct {
	Name   string // above it; may be empty
	Prose  string
	Diff   *DiffFile
	Todos  []Pair // Name is done, now or open
	Pieces []Piece
	Note   string // below it: that it was cut
}

// LogPage is a page of a run's output, for those without JavaScript.
type LogPage struct {
	Frame                       Frame
	Words                       string
	Step, StepURL, TextURL      string
	From, To, Total             int
	First, Previous, Next, Last string // empty: there is none
	Rows                        []LogRow
}

// RawPage is a step's output as it was written.
type RawPage struct {
	Frame Frame
	Step  Step
	Log   *Log // nil: no run has begun
}
