package views

// Trust is what a repository wants to run or load in agents' programs.
type Trust struct {
	Frame             Frame
	Repo, RepoPath    string // for people, and as it is
	Quest, QuestTitle string // empty: no quest asks for it
	Base              string // the branch or commit of the repository's own file; empty: what is checked out
	Known             bool   // the user trusted some version of it
	Notice            string
	Refused           bool // the notice says why the decision was refused
	Contents          []TrustContent
}

// TrustContent is the content of one folder, or of several with the same content.
type TrustContent struct {
	ID, Hash string
	Where    string   // the folders
	Own      bool     // it is the repository's own file, which sets up quests
	Known    bool     // the user trusted another content of this kind
	Nothing  bool     // there is nothing to run or load
	Faults   []string // why it cannot be trusted
	Trusted  bool
	Since    Clock
	Wants    []WantRow
	Gone     []WantRow // what was trusted before and is missing now
}

// WantRow is one entry of a repository's configuration.
type WantRow struct {
	Kind, Name, File, Text string
	Long                   bool // shown folded
	Rules                  bool // text for agents, which needs no trust
	Fresh                  bool // new or changed since it was trusted
}
