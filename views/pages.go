package views

// Quests is a page of the list of quests.
type Quests struct {
	Frame              Frame
	Filters            []Tab
	State, Search      string // the filter; empty: all
	Filtered           bool
	ListID             string
	Rows               []QuestHead
	Drafts             []DraftRow
	DeletedDraft       string // a deleted draft that can be restored
	NewerURL, OlderURL string // empty: there are none
}

// DraftRow is a quest that has not begun.
type DraftRow struct {
	ID, Title, Repo, Text string
	Changed               Clock
}

// Inbox lists what waits for the user, oldest first.
type Inbox struct {
	Frame  Frame
	Items  []Need // those that match the search
	Total  int    // of all, as on every page
	Search string // the search; empty: all
	// Narrowed says that a filter is on. Then the list is not updated live.
	Narrowed bool
}

// Need is one thing that waits for the user, with an action for it.
type Need struct {
	ID, Kind        string // Kind as in the API
	Icon, Title     string
	Quest, QuestURL string
	Quests          []Link // the quests that an account's hold stops, instead of Quest
	Step, Role      string
	Text            string
	Prose           bool // Text is Markdown
	Waiting         Clock
	Label, URL      string // of the link
	Post, PostURL   string // of the button
}

// QuestionPage is the page of one question.
type QuestionPage struct {
	Frame    Frame
	Title    string
	Question Question
}

// Gate is the page on which a document is approved.
type Gate struct {
	Frame         Frame
	Title         string
	QuestID, Name string // requirements or plan
	Open          bool
	SendBack      bool   // the document can be sent back with feedback
	Off           bool   // no approval is needed
	Words         string // the state of the gate
	Asked         *Asked // nil: not known
	Document      Document
	Mark          string // identifies this version of the document
	Whole         string // a sentence about the plan as a whole
	GraphURL      string // empty: there is no graph yet
	Changes       *GateChanges
	Conflict      string // why the decision was refused
	Feedback      Field
	Errand        *GateErrand // nil: the gate is about the document
	Size          *GateSize   // nil: a person chose the size, or it cannot grow
}

// GateErrand is what the user decides when an agent said that the quest is an errand.
type GateErrand struct {
	Size Size
	Said string // by ChaosWhisperer; empty: nothing
}

// GateSize lets the user make the quest full, because an agent said another size.
type GateSize struct {
	Why  string // the size and the agent's reason
	Then string // what follows
	Was  string // identifies the state that is shown
}

// GateChanges are the changes of a document since it was sent back.
type GateChanges struct {
	Feedback string
	Changes  []DocumentChange
}

// DocumentChange is a requirement or step that was added, removed or changed.
type DocumentChange struct {
	Kind, ID, Title string
	Parts           []ChangedPart
}

// ChangedPart is a changed text of a requirement or step.
type ChangedPart struct {
	Name  string
	Words []DiffWord
}

// DiffWord is a piece of text. Op is ins, del or empty.
type DiffWord struct{ Text, Op string }

// Login asks for the owner's token.
type Login struct {
	Frame Frame
	Error string
	Next  string
	Used  bool // the login link was used before
}

// Confirm is a form that was sent without the key of its session.
type Confirm struct {
	Frame  Frame
	Say    string
	Wrong  bool // Say is about a wrong token
	To     string
	Fields []Pair // all fields as they were sent
	Shown  []Pair // the fields that a person typed or chose
}

// Message is a page with one message: an error, or a new state.
type Message struct {
	Frame         Frame
	Heading, Text string
	Fields        []Pair
	Typed         []Pair // what the form contained, so that it is not lost
	Again         string // where the form can be sent again, with all of Sent
	Sent          []Pair
	Links         []Link
	RequestID     string
}

// OutputLine is one line of a run's output in full.
type OutputLine struct {
	Frame                Frame
	Run                  string
	Number, Total        int
	Head, Raw            string
	Detail               LineDetail
	PreviousURL, NextURL string
}
