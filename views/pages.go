package views

// Quests is the list of quests.
type Quests struct {
	Frame Frame
	Rows  []QuestHead
}

// Inbox is what waits for the user, oldest first.
type Inbox struct {
	Frame     Frame
	Questions []Question
	Gates     []GateItem
}

// GateItem is an open gate in the inbox.
type GateItem struct {
	Quest, QuestURL, URL, Words string
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
	SendBack        bool   // feedback is taken: the gate is open, or its line blocked
	Words           string // where the gate stands
	Document        Document
	Feedback        Field
}

// Login asks for the owner's token.
type Login struct {
	Frame Frame
	Error string
	Next  string
}

// Message is a page that says one thing: an error, or what is now.
type Message struct {
	Frame         Frame
	Heading, Text string
	Fields        []Pair
	Links         []Link
	RequestID     string
}

// OutputLine is one line of a run's output in full.
type OutputLine struct {
	Frame                Frame
	Run                  string
	Number, Total        int
	Head, Text, Raw      string
	StepURL, Words       string
	PreviousURL, NextURL string
}
