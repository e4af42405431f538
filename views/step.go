package views

// Step is the panel (on a phone: the page) of one step.
type Step struct {
	Quest, QuestURL, ID, Title string
	Tab                        StepTab
	Timeline                   *StepTimeline // of its tab
	Costs                      []RunCost
	Topic                      string
	Version                    int64
	State                      State
	Since                      Clock
	Role, RoleAbout, Why       string
	After, Blocks              []Link // dependencies both ways
	Replaced                   []Link
	GraphURL                   string // the plan with this step in focus
	Cost                       string
	Description                string
	Files                      []string
	Observables                []Observable
	Decisions                  Decisions
	Question                   *Question
	Message                    Field // a refused message
	SkipReason                 Field
	ResplitReason              Field
	Log                        *Log
	Runs                       []Run
	Signals                    []Signal
	Document                   *Document // requirements or plan
	Asked                      *Asked    // of the requirements; nil: not shown to this visitor
	Place                      Place
	URL, DiffURL               string
	DiffFiles                  int      // that were changed
	Outside                    []string // files that were changed and are not in the plan
	ReadOnly                   bool     // this visitor may decide nothing
	NoOutput                   bool     // this visitor may not read it
	Comments                   string   // on the diff, not yet begun
	CommentsWait               string   // what they wait for
}

// Link is a link to another step.
type Link struct {
	Words, URL    string
	Done, Skipped bool // where the step stands
	Current       bool // it leads to what is shown
}

// Field is what a form's field holds and what is wrong with it.
type Field struct {
	Value, Error string
	Focus        bool   // somebody came to type here
	Without      string // what counts where it is empty
}

// Log is the output of one run.
type Log struct {
	Run   string
	Words string // "Codeweaver, run 3"
	Live  bool
	Total int
	ID    string // of the element
	Key   string // of its subscription
	// Where it is read: lines as JSON, all as text, in pages, and this place in
	// the step's page.
	PageURL, TextURL, PagesURL, HereURL string
	// For the owner alone: the search, the file as it was written, and the page
	// that shows that. Each may be empty.
	FindURL, FileURL, RawURL string
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
	Denied          []string
}

// Signal is a signal as it was sent: every field in full.
type Signal struct {
	Run, Kind string
	Fields    []Pair
}

// Pair is a name and what stands for it.
type Pair struct {
	Name, Value string
	Prose       bool // the value is Markdown
}

// Question is one question with its form, or with its answer.
type Question struct {
	ID, URL                 string
	Quest, QuestURL         string
	Step, StepURL           string
	Role, Text, Context     string
	Waiting                 Clock
	Open                    bool
	Answer, AnsweredBy      string
	Closed                  string
	Field                   Field
	PostURL                 string // where the form goes
	AskName                 bool   // the form asks who answers
	Name                    Field
	ReadOnly                bool        // there is no form
	AnswerURL               string      // where a reader may answer; empty: nowhere
	Options                 []Option    // that its text numbers
	InPanel                 bool        // the answer goes back to the panel
	Session                 string      // that the answer resumes; empty: a fresh one starts
	Tail                    []OutputRow // what it wrote last
	FreeSlots, Slots, Lines int
}

// Option is a choice that an agent offers: what its button says, and what the
// agent is answered.
type Option struct{ Words, Answer string }

// OutputRow is a line of output, made readable.
type OutputRow struct{ Kind, Head, Text string }

// Observable is one thing that can be seen when a requirement holds.
type Observable struct {
	ID, Text string
	State    *State // nil: it is not shown
}

// Document is what a gate lets pass: the requirements, or the plan.
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
	Files, DependsOn, Observables []string
}
