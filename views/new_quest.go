package views

// NewQuest is the form for a new quest, with what was typed and what is wrong.
type NewQuest struct {
	Frame                              Frame
	Request, Repo, Ward, Slots, Budget Field
	Title                              Field
	ApproveRequirements, ApprovePlan   bool
	Agent                              string
	Agents                             []string
	Error                              string // of no field
	Choices                            RepositoryChoices
	Draft                              string // that it was begun from; empty: none
	Version                            int64  // of the draft
	SavedURL                           string // what another tab saved of the draft
}

// RepositoryChoices are the part of the form that depends on the repository. It is
// rendered again while its path is typed.
type RepositoryChoices struct {
	Known     bool   // the repository was looked at, and will do
	Fault     string // why no quest can work there; shown while typing
	Notes     []string
	Checks    []string // commands that may check the project
	NoTrees   string   // why steps cannot have worktrees
	Shared    bool     // the user wants none
	Branch    string   // that is checked out
	Workspace Field    // its error alone
	Base      Field
	Setup     Field
	Links     Field // a path a line
	Copies    Field
	Offered   []string // paths that the repository's may become
	SetupOf   string   // the repository that Setup, Links and Copies were filled in for
}

// OnlyShared reports whether the second choice is the one to begin with.
func (c RepositoryChoices) OnlyShared() bool { return c.Shared || c.NoTrees != "" }

// Worktree is what the first choice sends: where nothing is known of the
// repository yet, the server decides.
func (c RepositoryChoices) Worktree() string {
	if c.Known {
		return "worktree"
	}
	return ""
}

// Open reports whether there is anything to see of what worktrees need.
func (c RepositoryChoices) Open() bool {
	return c.Setup != Field{} || c.Links != Field{} || c.Copies != Field{}
}

// Invalid reports whether the form came back.
func (n NewQuest) Invalid() bool {
	return n.Error != "" || n.FirstError() != ""
}

// FirstError names the first field that is wrong, in the form's order.
func (n NewQuest) FirstError() string {
	for _, f := range []struct {
		name  string
		field Field
	}{{"request", n.Request}, {"title", n.Title}, {"repo", n.Repo}, {"workspace", n.Choices.Workspace}, {"base", n.Choices.Base},
		{"setup", n.Choices.Setup}, {"links", n.Choices.Links}, {"copies", n.Choices.Copies},
		{"ward", n.Ward}, {"slots", n.Slots}, {"budget", n.Budget}} {
		if f.field.Error != "" {
			return f.name
		}
	}
	return ""
}
