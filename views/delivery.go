package views

// Delivery is the page with a quest's result, and with the ways to take it over.
type Delivery struct {
	Frame            Frame
	ID               string
	Words            string // where the work is
	Result           Result
	Changed          *Changed // nil: there is no diff
	Asked            *Asked   // nil: not known
	Branch, Base     string
	Merge            *Merge // nil: it cannot be merged here
	Push             *Push  // nil: it cannot be pushed here
	Delivered        *Delivered
	Leave            bool // the user may leave the work on its branch
	Patch, Worktrees bool // whether there is a patch, and whether there are worktrees
	Kept             int
	Disk             Disk
}

// Outcome is how a quest ended. Class is good or warn, of one that goes on idle, of a
// damaged one bad.
type Outcome struct {
	Class, Words string
	Parts        []OutcomePart
}

// OutcomePart lists what is missing in one respect.
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

// Push is the form that pushes the quest's branch, with the result of the last push.
type Push struct {
	Error    string
	Done     bool
	Words    string
	PullURL  string
	Command  string
	Remedied string // what the command does
}

// Delivered says how the work was delivered.
type Delivered struct {
	How, Branch, Commit string
	At                  Clock
}

// Disk is the disk usage of worktrees. Words is empty until the browser asks for it at
// URL.
type Disk struct {
	URL, Words string
}

// Kept lists the kept work of a quest, which is in no branch any more.
type Kept struct {
	Frame    Frame
	ID       string
	Rows     []KeptRow
	Restored string // the branch that was just created
	Error    string // why the work cannot be listed
}

// KeptRow is one piece of kept work.
type KeptRow struct {
	ID            string // the id of its form
	Ref           string
	Step, StepURL string
	Why           string
	Subject       string
	Commit        string
	At            Clock
	Branch        Field // the proposed name, or what was typed
}
