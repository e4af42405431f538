package views

// Trust is what a repository wants agents' programs to run or load.
type Trust struct {
	Frame             Frame
	Repo, RepoPath    string // to read, and as it is
	Quest, QuestTitle string // empty: no quest asks
	Known             bool   // something of it is trusted
	Notice            string
	Refused           bool // the notice says what went wrong
	Contents          []TrustContent
}

// TrustContent is what one folder holds, or several that are the same.
type TrustContent struct {
	ID, Hash string
	Where    string   // the folders
	Nothing  bool     // there is nothing to run or load
	Faults   []string // why it cannot be trusted
	Trusted  bool
	Since    Clock
	Wants    []WantRow
	Gone     []WantRow // what was trusted last and is not there
}

// WantRow is one thing that is wanted.
type WantRow struct {
	Kind, Name, File, Text string
	Long                   bool // folded
	Rules                  bool // text for agents, which needs no trust
	Fresh                  bool // new or different since it was trusted
}
