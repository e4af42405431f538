package views

// Delivery is the page on which a quest's work leaves it.
type Delivery struct {
	Frame            Frame
	Quest, QuestURL  string
	ID               string
	State            State
	Words            string   // where it stands
	Outcome          *Outcome // nil: it is not over
	Asked            *Asked   // nil: not known
	Branch, Base     string
	Merge            *Merge // nil: it cannot be merged from here
	Push             *Push  // nil: it cannot be pushed from here
	Delivered        *Delivered
	Leave            bool // it waits for the user, who may leave it on its branch
	Patch, Worktrees bool // there is one; there are some
	Kept             int
	Disk             Disk
}

// Outcome is what a quest came to. Class is good or warn.
type Outcome struct {
	Class, Words string
	Parts        []OutcomePart
}

// OutcomePart names what is amiss, one line each.
type OutcomePart struct {
	Title string
	Lines []string
}

// Merge is the form that merges the quest's branch into its base.
type Merge struct {
	Checkout string // what happens to the user's own files
	How      string
	Message  Field
	Error    string
}

// Push is the form that pushes the quest's branch, with what came of it.
type Push struct {
	Error    string
	Done     bool
	Words    string
	PullURL  string
	Command  string
	Remedied string // what the command is for
}

// Delivered says how the work arrived.
type Delivered struct {
	How, Branch, Commit string
	At                  Clock
}

// Disk is what worktrees take. Words are empty until it was measured at URL.
type Disk struct {
	URL, Words string
}

// Kept lists the work of a quest that is in no branch any more.
type Kept struct {
	Frame           Frame
	Quest, QuestURL string
	ID              string
	Rows            []KeptRow
	Restored        string // the branch that was just made
	Error           string // why nothing can be listed
}

// KeptRow is one piece of work.
type KeptRow struct {
	ID            string // of its form
	Ref           string
	Step, StepURL string
	Why           string
	Subject       string
	Commit        string
	At            Clock
	Branch        Field // proposed, or what was typed
}
