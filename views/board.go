package views

import "time"

// Board is the page of one quest. Step is the open panel, or nil.
type Board struct {
	Frame   Frame
	Head    QuestHead
	Strip   Strip
	Alerts  Alerts
	Whole   Whole
	Columns []Column
	Filter  *BoardFilter // nil: not offered
	Step    *Step
}

// BoardFilter is the form that narrows a board.
type BoardFilter struct {
	URL               string // of the board
	List              bool   // shown as a list
	Text, State, Role string
	Roles             []Choice
	Shown, All        int
}

// Active reports whether anything is asked for.
func (f BoardFilter) Active() bool { return f.Text+f.State+f.Role != "" }

// Bare is the board without a filter.
func (f BoardFilter) Bare() string {
	if f.List {
		return f.URL + "?view=list"
	}
	return f.URL
}

// AllCards is the id of the only column of a board that is shown as a list.
const AllCards = "all"

// states are what cards can be filtered by, in the order of urgency.
var states = []Choice{{Value: "ask", Words: "Needs you"}, {Value: "bad", Words: "Failed or stopped"}, {Value: "running", Words: "Running"}, {Value: "idle", Words: "Waiting or queued"}, {Value: "good", Words: "Done"}, {Value: "warn", Words: "Done, not checked"}}

// QuestHead names a quest, its figures and its controls.
type QuestHead struct {
	ID, Title, URL    string
	State             State
	Why               string
	Progress          Progress
	Busy, Slots       int
	Cost              string
	Pause, PauseNow   bool // the controls that are legal now
	Resume, Abandon   bool
	Delete            bool
	ResumeWords       string
	Age               Clock
	Repo, Ward, Agent string
	Asked, AskedURL   string // the request in short, and where it stands whole
	Branch, Base      string // of worktrees; empty in a shared tree
	NeedsYou          int    // how many things of it wait for the user
	Phase             string // in the list alone, as is the next one
	Over              bool
	ReadOnly          bool // nothing can be done about it here
}

// Progress counts the steps of a quest.
type Progress struct{ Done, Skipped, Total int }

// Strip is the row of phases above the board.
type Strip struct {
	Stops []Stop
}

// Stop is one phase. Class is passed, partly (passed, and not all of it is
// done), now, attention or empty.
type Stop struct {
	Words, URL, Class, Icon string
}

// Alerts are what the user should look at first.
type Alerts struct {
	Items []Alert
}

// Alert is one sentence with what can be done about it.
type Alert struct {
	Class   string // ask, bad or calm
	Icon    string
	Text    string
	Waiting Clock
	Until   time.Time // when it goes on by itself; zero: it does not
	Label   string    // of the link
	URL     string
	Answer  bool   // the link leads to a question
	Post    string // label of the button that posts to PostURL
	PostURL string
	// Folded are steps that Summary hides.
	Summary string
	Folded  []string
}

// Whole shows the steps that belong to the whole quest and are at work.
type Whole struct {
	Cards []Card
	// Log is the live output shown while there are no steps yet; nil: none.
	Log *Log
}

// columnAbout explains each column of the board where a user first meets it.
var columnAbout = map[string]string{
	"waiting": "Cannot start yet",
	"ready":   "Can start in a free slot",
	"build":   "Codeweaver writes the code",
	"ward":    "Ward · your project's check",
	"mend":    "Spiritmender fixes what failed",
	"siege":   "Siegemaster tries to break it",
	"review":  "Merge queue",
	"done":    "No work left",
}

// Column is a phase of steps.
type Column struct {
	ID, Title string
	Cards     []Card
	Count     string
	Rail      bool   // shown narrow although it has cards
	ToggleURL string // opens or closes it; empty: it cannot
}

// Card is one step on the board.
type Card struct {
	Quest, ID, Title, URL string
	State                 State
	Since                 Clock
	Role                  string // and slot, as "Codeweaver · slot 2"
	RoleAbout             string // what the role does
	RoleID                string
	Why                   string
	Tail                  string // newest line of the live run
	Chips                 []Chip
	AnswerURL             string
	Decisions             Decisions
	Superseded            bool
	Hidden                bool   // by the filter
	Column, Phase         string // id and title of its column
	Before                string // id of the step that it stands before; empty: the last
}

// Chip is a small remark on a card.
type Chip struct {
	Words string
	Title string // more, for a pointer that rests on it
	Warn  bool
}

// State is a badge: always an icon and words. Class is running, good, bad, ask
// or idle.
type State struct {
	Class, Icon, Words string
}

// Decisions are the controls that are legal for a step right now. Empty
// fields are not.
type Decisions struct {
	Retry, RetryFresh   bool
	Skip, UndoSkip      bool
	TakeOver, MarkDone  bool
	Yours               bool // a person has taken the step over: Retry gives it back
	Resplit             bool
	Edit                bool
	StopRun, MessageRun string // ids of runs
	Gate                string // URL of the open gate
	Feedback            string // URL of the gate of a blocked step: it takes feedback
	AnswerURL           string
}

// retryWords are those of a retry: a step that a person has taken over is given back.
func retryWords(d Decisions) string {
	if d.Yours {
		return "Give back to the agents"
	}
	return "Retry"
}

func retryFreshWords(d Decisions) string {
	if d.Yours {
		return "Give back to a new session"
	}
	return "Retry in a new session"
}

// Any reports whether there is anything to decide.
func (d Decisions) Any() bool { return d != Decisions{} }
