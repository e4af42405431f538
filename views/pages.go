package views

// Quests is a page of the list of quests.
type Quests struct {
	Frame              Frame
	Filters            []Tab
	State, Search      string // chosen; empty: all
	Filtered           bool
	ListID             string
	Rows               []QuestHead
	Drafts             []DraftRow
	DeletedDraft       string // can be brought back
	NewerURL, OlderURL string // empty: there are none
}

// DraftRow is a quest that has not begun.
type DraftRow struct {
	ID, Title, Repo, Text string
	Changed               Clock
}

// Inbox is what waits for the user, oldest first.
type Inbox struct {
	Frame  Frame
	Items  []Need // those that were searched for
	Total  int    // all, searched for or not: the number on every page
	Search string // chosen; empty: all
	// Narrowed: these are some of them, which do not change by themselves.
	Narrowed bool
}

// Need is one thing that waits for the user, with what can be done about it.
type Need struct {
	ID, Kind        string // Kind as in the API
	Icon, Title     string
	Quest, QuestURL string
	Quests          []Link // those that an account holds, in place of Quest
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
	Question Question
}

// Gate is the page on which a document is approved.
type Gate struct {
	Frame           Frame
	Quest, QuestURL string
	QuestID, Name   string // requirements or plan
	Open            bool
	SendBack        bool   // feedback is taken
	Off             bool   // no approval is asked for
	Words           string // where the gate stands
	Asked           *Asked // nil: not known
	Document        Document
	Mark            string // names this version of the document
	Whole           string // how the steps of a plan hang together
	GraphURL        string // empty: there is none yet
	Changes         *GateChanges
	Conflict        string // why nothing was decided
	Feedback        Field
}

// GateChanges are what became of a document since it was sent back.
type GateChanges struct {
	Feedback string
	Changes  []DocumentChange
}

// DocumentChange is a requirement or step that was added, removed or changed.
type DocumentChange struct {
	Kind, ID, Title string
	Parts           []ChangedPart
}

// ChangedPart is a text of it.
type ChangedPart struct {
	Name  string
	Words []DiffWord
}

// DiffWord is a piece of text with what became of it: ins, del, or empty.
type DiffWord struct{ Text, Op string }

// Login asks for the owner's token.
type Login struct {
	Frame Frame
	Error string
	Next  string
	Used  bool // it was opened by a login link that works no more
}

// Confirm is a form that was sent without the second secret of its session.
type Confirm struct {
	Frame  Frame
	Say    string
	Wrong  bool // so says Say of the token
	To     string
	Fields []Pair // as they were sent
	Shown  []Pair // what of them a person typed or chose
}

// Message is a page that says one thing: an error, or what is now.
type Message struct {
	Frame         Frame
	Heading, Text string
	Fields        []Pair
	Typed         []Pair // what a form held, so that it is not lost
	Again         string // where the form can be sent once more, with all of Sent
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
	StepURL, Words       string
	PreviousURL, NextURL string
}
