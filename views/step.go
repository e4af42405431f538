package views

// Step is the panel of a step. On a phone it is a page.
type Step struct {
	Quest, QuestURL, ID, Title string
	Tab                        StepTab
	Timeline                   *StepTimeline // content of the tab Timeline
	StepCost
	Prompt               *Prompt // content of the tab Prompt
	Topic                string
	Version              int64
	State                State
	Since                Clock
	Role, RoleAbout, Why string
	Siege                string // its risk, and why it gets no siege of its own
	After, Blocks        []Link // dependencies in both directions
	Replaced             []Link
	GraphURL             string // the graph with this step in focus
	Description          string
	Files                []string
	Observables          []Observable
	Decisions            Decisions
	Changed              string // why a decision about an earlier state was refused
	Question             *Question
	Message              Field // a refused message
	Instructions         Field // beside Retry
	SkipReason           Field
	Denied               []Denied // calls that were denied
	ResplitReason        Field
	Log                  *Log
	Runs                 []Run
	Signals              []Signal
	Reported             []AgentReport // what agents said of their work; empty for guests, who have the signals
	Document             *Document     // the requirements or the plan
	Asked                *Asked        // the request; nil: not shown to this visitor
	Place                Place
	URL, DiffURL         string
	DiffFiles            int      // number of changed files
	Outside              []string // changed files that the plan does not list
	ReadOnly             bool     // the visitor may not decide anything
	NoOutput             bool     // the visitor may not read the output
	Comments             string   // comments on the diff that no run works on yet
	CommentsWait         string   // what they wait for
}

// Link is a link to another step.
type Link struct {
	Words, URL    string
	Done, Skipped bool // the state of the step
	Current       bool // it is the step of this page
}

// Field is the content of a form's field, with its error.
type Field struct {
	Value, Error string
	Focus        bool   // the browser puts the focus here
	Without      string // what applies if the field is empty
}

// Log is the output of one run.
type Log struct {
	Run   string
	Words string // "Codeweaver, run 3"
	Live  bool
	Times bool // some lines may say when they were written
	Total int
	ID    string // of the element
	Key   string // the run's id: the page subscribes to "log:" and the key
	// The URLs of the output: lines as JSON, all as text, in pages, and this place on the
	// step's page.
	PageURL, TextURL, PagesURL, HereURL string
	// For the owner: the search, the file as it was written, and what the agent of an
	// earlier run was told. Each may be empty.
	FindURL, FileURL, PromptURL string
}

// Run is one row of the list of runs.
type Run struct {
	ID, URL         string
	Current         bool // its output is shown
	Role, Start     string
	State           State
	Why             string
	Session         string
	ResumeCommand   string
	Started, Lasted Clock
	ExitCode, Cost  string
	Denied          []string // what was denied, one sentence each
}

// Denied is a call that was denied, with the form that allows it from now on.
type Denied struct {
	Call    string // its number, from 1
	Words   string // in short
	Text    string // the command, the file or the address
	Rule    Field  // at first the narrowest rule; empty: none names it exactly
	PostURL string
}

// Signal is a signal with all its fields in full.
type Signal struct {
	Run, Kind string
	Fields    []Pair
}

// Pair is a name and its value.
type Pair struct {
	Name, Value string
	Prose       bool // the value is Markdown
}

// Question is a question with its form or its answer.
type Question struct {
	ID, URL                 string
	Quest, QuestURL         string
	Step, StepURL           string
	Role, Text, Context     string
	Wall                    string // which wall of the environment stops the agent; empty: none
	Waiting                 Clock
	Open                    bool
	Answer, AnsweredBy      string
	Closed                  string
	Field                   Field
	PostURL                 string // where the form is sent
	AskName                 bool   // the form asks for the guest's name
	Name                    Field
	ReadOnly                bool        // there is no form
	AnswerURL               string      // the page on which a guest may answer; empty: none
	Options                 []Option    // the numbered options in its text
	InPanel                 bool        // after the answer, the panel is shown again
	Undecided               string      // why the decisions were refused; empty: they were not
	Calls                   []Call      // that wait for permission; empty: it asks for an answer
	Reason                  string      // what the person wrote beside the decisions
	OverdueAt               string      // when nobody has to answer any more; empty: never
	Session                 string      // the session that the answer resumes; empty: a new one starts
	Tail                    []OutputRow // the agent's last output
	FreeSlots, Slots, Lines int         // free slots: -1 if the visitor may not know
}

// Call is a tool call that waits for permission: what it does in full, and the rules that
// it matches.
type Call struct {
	Tool, Text, Rules, Decision string
	Chosen                      string // in the form that was sent and refused
}

// decisions are what a person can say about a call.
var decisions = []Choice{{Value: "once", Words: "Allow once"}, {Value: "step", Words: "Allow for this step"},
	{Value: "quest", Words: "Allow for this quest"},
	{Value: "deny", Words: "Deny"}}

// Option is a choice that an agent offers. Words is the label of its button, and Answer
// what the agent gets.
type Option struct{ Words, Answer string }

// OutputRow is a readable line of output.
type OutputRow struct{ Kind, Head, Text string }

// Observable is a result that shows that a requirement is met.
type Observable struct {
	ID, Text string
	State    *State // nil: not shown
	Evidence []Evidence
}

// Evidence is what one step proved of an observable, or why there is none.
type Evidence struct {
	Step   Link // without a URL: the step of the page
	State  State
	How    string
	By     string // who proved it for a step without a siege; may be empty
	Commit string // of which commit it is true; may be empty
}

// Document is what a gate approves: the requirements or the plan.
type Document struct {
	Requirements []Requirement
	Steps        []PlannedStep
	OnWhole      []Observable // left to the review: no step has them
	LeftOut      []LeftOut
}

// LeftOut is an observable that the plan leaves out.
type LeftOut struct {
	ID, Text, Why string
}

// Requirement is one BDD requirement.
type Requirement struct {
	ID, Context, Trigger string
	Observables          []Observable
}

// PlannedStep is one step of a plan.
type PlannedStep struct {
	ID, Title, Description        string
	Files, DependsOn, Observables []string // the last two as ids
	After, Satisfies              []string // the same, in words: titles of steps, texts of observables
	Minutes                       string   // how long it is expected to take; empty: unknown
	Risk                          string   // with its reason; empty: normal
}

// AgentReport is the newest account that a role gave of its work on a step.
type AgentReport struct {
	Role, Does string // Does: reported, goes on, or calls another role
	Words      string // prose
}

// pickerID is the id of the choice of runs. Like the log's, it depends on the run that was
// chosen: an update of the newest run's output leaves another choice alone.
func (s Step) pickerID() string {
	if s.Log == nil {
		return "picker-of-newest-log"
	}
	return "picker-of-" + s.Log.ID
}
