package views

import "time"

// Board is the page of a quest. Step is the open panel, or nil.
type Board struct {
	Frame   Frame
	Strip   Strip
	Alerts  Alerts
	Whole   Whole
	Columns []Column
	Over    bool // the quest is: columns without cards stay empty
	Legend  []Pair
	Filter  *BoardFilter // nil: there is no filter
	// FollowUps are the quests that follow this one.
	FollowUps []Link
	Step      *Step
}

// BoardFilter is the form that filters a board.
type BoardFilter struct {
	URL               string // of the board
	Text, State, Role string
	Closed            string // the columns that are closed, if the user chose them
	Roles             []Choice
	Shown, All        int
}

// Active reports whether the filter hides anything.
func (f BoardFilter) Active() bool { return f.Text+f.State+f.Role != "" }

// states are the states that cards can be filtered by, in the order of urgency.
var states = []Choice{{Value: "ask", Words: "Needs you"}, {Value: "bad", Words: "Failed or stopped"}, {Value: "running", Words: "Running"},
	{Value: "idle", Words: "Waiting or queued"}, {Value: "good", Words: "Done"}, {Value: "warn", Words: "Done, not checked"}}

// Strip is the row of phases above the board.
type Strip struct {
	Stops []Stop
}

// Stop is one phase. Class is passed, partly (passed with work left undone), now,
// attention or empty. Says is its state for those who do not see the icon; empty: Words say it.
type Stop struct {
	Words, URL, Class, Icon, Says string
}

// Alerts are what the user should look at first.
type Alerts struct {
	Items []Alert
}

// Alert is a sentence with an action for it.
type Alert struct {
	Class   string // ask, bad or calm
	Icon    string
	Text    string
	Waiting Clock
	Until   time.Time // when it ends by itself; zero: it does not
	Label   string    // label of the link
	URL     string
	Result  bool   // the link leads to the result
	Answer  string // the step whose question the link leads to; empty: it leads elsewhere
	Post    string // label of the button that posts to PostURL
	PostURL string
	Mark    string        // of the document that PostURL approves
	Blocked []BlockedStep // the steps that it is about
	// Folded are lines that are hidden until the user opens Summary.
	Summary string
	Folded  []string
	FoldID  string // the lines' element, where one page has two such alerts
}

// BlockedStep is a step that waits for the user's decision, and what may be decided.
type BlockedStep struct {
	Link
	ID, Quest string
	Why       string
	Tail      string // what a program wrote at its end
	Decisions Decisions
}

// Whole shows the quest-wide steps in progress.
type Whole struct {
	Cards []Card
	Title string // names the lane; empty: the cards say enough
	// Document and Log are what is being written, until it is approved, and the live output
	// beside it. nil: none.
	Document *Document
	Log      *Log
}

// Growing reports whether requirements or a plan are being written.
func (w Whole) Growing() bool { return w.Document != nil || w.Log != nil }

// ColumnText names a column of the board and explains it.
type ColumnText struct {
	ID, Title string
	Short     string // below the title
	Says      string // one sentence
	Lane      bool   // it stands below the board, and only while it has cards
}

// Column is a column of the board.
type Column struct {
	ColumnText
	Cards     []Card
	Count     string
	Closed    bool   // its title alone is shown
	ToggleURL string // opens or closes it
}

// Card is a step on the board.
type Card struct {
	Quest, ID, Title, URL string
	State                 State
	Since                 Clock
	Role                  string // with its slot, as in "Codeweaver · slot 2"
	RoleAbout             string // what the role does
	RoleID                string
	Why                   string
	Spending              string // what the agent at work has used so far
	Tail                  string // newest line of the running run's output
	Chips                 []Chip
	AnswerURL             string
	Decisions             Decisions
	Superseded            bool
	Hidden                bool   // by the filter
	Column                string // its id
	Before                string // id of the next card in the column; empty: none
}

// Spending is what the agent at work on a step has used so far.
type Spending struct{ ID, Words string }

// Chip is a small remark on a card.
type Chip struct {
	Words string
	Title string // the tooltip
	Warn  bool
}

// State is a badge: always an icon and words. Class is running, good, bad, ask
// or idle.
type State struct {
	Class, Icon, Words string
}

// Decisions are the controls of a step that may be used now. An empty field is one that
// may not.
type Decisions struct {
	Retry, RetryFresh   bool
	Skip, UndoSkip      bool
	TakeOver, MarkDone  bool
	State               string // orchestration.Step.State; forms send it back
	Yours               bool   // a person has taken the step over: Retry gives it back
	Resplit             bool
	Edit                bool
	Priority            string // the word of the step's own; empty: it cannot be changed
	StopRun, MessageRun string // ids of the runs
	Gate                string // URL of the open gate
	Feedback            string // URL of the gate of a blocked step, which takes feedback
	AnswerURL           string
	GoOnWith            string // the agent that can go on for the step's session
}

// priorities are the words of all priorities, the highest first.
var priorities = []string{"high", "normal", "low"}

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
