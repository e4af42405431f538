package views

// NewQuest is the form for a new quest, with what was typed and what is wrong.
type NewQuest struct {
	Frame                              Frame
	Request, Repo, Ward, Slots, Budget Field
	Title, Priority, Siege             Field
	Size                               SizeChoice
	ApproveRequirements, ApprovePlan   bool
	Agent                              string
	Agents                             []string
	Error                              string // an error that belongs to no field
	Choices                            RepositoryChoices
	Draft                              string // the draft that the form shows; empty: none
	Version                            int64  // of the draft
	SavedURL                           string // shows the draft as another tab saved it
}

// RepositoryChoices is the part of the form that depends on the repository. It is
// rendered again while the user types the path.
type RepositoryChoices struct {
	Known     bool   // the repository was read and can be used
	Fault     string // why no quest can work there; shown while typing
	Notes     []string
	Checks    []string // commands that may check the project
	NoTrees   string   // why steps cannot have worktrees
	Shared    bool     // the user chose to work without worktrees
	Branch    string   // the checked-out branch
	Workspace Field    // only its error
	Base      Field
	Setup     Field
	Links     Field // one path in each line
	Copies    Field
	Offered   []string // paths in the repository that may be linked or copied
	FilledFor string   // the repository for which Setup, Links and Copies were filled in
	File      *RepoFile
	FileShown string // which file, and whether it counts; the form sends it back
}

// RepoFile is what the form says about the repository's own file; nil: there is none.
type RepoFile struct {
	Class   string // of the note
	Words   string
	Faults  []string
	Values  []RepoFileValue
	Review  string // the button's words; empty: there is nothing to review
	URL     string
	Ignored bool // nothing of it counts
}

// RepoFileValue is a value from the repository's own file.
type RepoFileValue struct {
	Key, Value string
	Instead    bool // the form has another value, which goes first
}

// OnlyShared reports whether the second choice is selected at first.
func (c RepositoryChoices) OnlyShared() bool { return c.Shared || c.NoTrees != "" }

// Worktree is the value of the first choice. If the repository is not known yet, the
// server decides.
func (c RepositoryChoices) Worktree() string {
	if c.Known {
		return "worktree"
	}
	return ""
}

// Open reports whether the fields for worktrees are shown open.
func (c RepositoryChoices) Open() bool {
	return c.Setup != Field{} || c.Links != Field{} || c.Copies != Field{}
}

// Invalid reports whether the form came back with an error.
func (n NewQuest) Invalid() bool {
	return n.Error != "" || n.FirstError() != ""
}

// FirstError names the first wrong field, in the order of the form.
func (n NewQuest) FirstError() string {
	for _, f := range []struct {
		name  string
		field Field
	}{{"request", n.Request}, {"title", n.Title}, {"size", n.Size.Field}, {"repo", n.Repo}, {"workspace", n.Choices.Workspace}, {"base", n.Choices.Base},
		{"setup", n.Choices.Setup}, {"links", n.Choices.Links}, {"copies", n.Choices.Copies},
		{"ward", n.Ward}, {"slots", n.Slots}, {"budget", n.Budget}, {"priority", n.Priority}, {"siege", n.Siege}} {
		if f.field.Error != "" {
			return f.name
		}
	}
	return ""
}
