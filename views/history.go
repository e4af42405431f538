package views

// History is a page of the history of a quest.
type History struct {
	Frame           Frame
	URL             string // without a filter
	List            HistoryList
	Types, Actors   []Choice
	Step            string // the filter; empty: all
	Steps           []Choice
	Chosen          bool   // the filter hides something
	Later           bool   // this is not the newest page
	OlderURL        string // empty: there are no older entries
	NewestURL       string
	CSVURL, JSONURL string
	TechnicalURL    string // shows or hides the technical events; empty: a filter decides
	Technical       bool   // they are shown
	Seq             int64  // number of the newest entry
	NewsURL         string // counts newer entries
}

// HistoryList is a list of events, newest first: on the page of the history, or in the
// panel of a step.
type HistoryList struct {
	Days []HistoryDay
	// OneLine says that all events belong to the step of the page.
	OneLine bool
}

// HistoryDay has the events of one day.
type HistoryDay struct {
	Words string
	Rows  []HistoryRow
}

// HistoryRow is one event, or one run with its events.
type HistoryRow struct {
	ID          string
	Time, ISO   string
	Class, Icon string // as in State
	Actor       string
	Words, Type string
	Step        string
	StepURL     string // empty: the step does not exist any more
	Run, RunURL string
	Fields      []Pair // all data of the event

	Head           *HistoryRun  // of a run; nil: one event
	Events         []HistoryRow // of the run, oldest first
	Earlier, Later bool         // the run has events that are on the page of older or newer ones
}

// HistoryRun says what came of a run, or that it is at work.
type HistoryRun struct {
	ID, About   string // About: what its role does
	State       State
	Words, Says string // Says: the run's own words
	Clock       Clock  // of a live run
	Live        bool
}

// HistoryNews is the link to events that are newer than the page. Words is empty if there
// are none.
type HistoryNews struct {
	URL, Words, NewestURL string
	Runs                  []HistoryRun // those that were at work when the page was loaded
}
