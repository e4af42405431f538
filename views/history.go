package views

// History is a page of what happened in a quest.
type History struct {
	Frame           Frame
	Head            QuestHead
	URL             string // of the page without a filter
	List            HistoryList
	Types, Actors   []Choice
	Step            string // chosen; empty: all
	Steps           []Choice
	Chosen          bool   // something is filtered
	Later           bool   // this is not the first page
	OlderURL        string // empty: there is nothing older
	NewestURL       string
	CSVURL, JSONURL string
	Seq             int64  // the newest entry that there is
	NewsURL         string // counts what is newer
}

// HistoryList is what happened, newest first: on a page of its own, or in the
// panel of a step.
type HistoryList struct {
	Days []HistoryDay
	// OneLine: all belongs to the step that the page is about.
	OneLine bool
}

// HistoryDay is one day of it.
type HistoryDay struct {
	Words string
	Rows  []HistoryRow
}

// HistoryRow is one entry.
type HistoryRow struct {
	ID          string
	Time, ISO   string
	Class, Icon string // as those of a State
	Actor       string
	Words, Type string
	Step        string
	StepURL     string // empty: the step is gone
	Run, RunURL string
	Fields      []Pair // all that is known of it
}

// HistoryNews is the link to entries that are newer than the page; without
// words there are none.
type HistoryNews struct {
	URL, Words, NewestURL string
}
