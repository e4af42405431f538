package views

// NewQuest is the form for a new quest, with what was typed and what is wrong.
type NewQuest struct {
	Frame                            Frame
	Request, Repo, Slots             Field
	Budget                           Budget
	Title, Priority, Siege           Field
	RunsOn                           Field  // labels of the host, with blanks between them
	Labels                           string // which labels hosts have
	Hosts                            bool   // there are some, so that RunsOn means something
	Ask, AskTimeout                  Field  // before which calls the quest asks, one on each line
	Size                             SizeChoice
	ApproveRequirements, ApprovePlan bool
	Agent                            string
	Agents                           []string
	Error                            string // an error that belongs to no field
	Missing                          Missing
	Folders                          *Folders // the open picker; nil: it is closed
	Choices                          RepositoryChoices
	Files                            Field // only its error
	FileLimits                       FileLimits
	Programs                         []RoleProgram
	Limits                           []Setting // only if the quest has some of its own
	Kept                             []KeptFile
	AskToken                         bool   // files came without the owner's token
	Draft                            string // the draft that the form shows; empty: none
	Version                          int64  // of the draft
	SavedURL                         string // shows the draft as another tab saved it
}

// FileLimits is what may come with a request. Sizes are in bytes.
type FileLimits struct {
	Words           string // the limits in a sentence
	Most            int    // files
	Each, All, Text int64  // one file, all files, the request
}

// RepositoryChoices is the part of the form that depends on the repository. It is
// rendered again while the user types the path.
type RepositoryChoices struct {
	Known     bool   // the repository was read and can be used
	Fault     string // why no quest can work there; shown while typing
	Place     string // the whole path, if another one was typed for it
	Notes     []string
	Ward      Field
	Checks    []string // commands that may check the project, best first
	UsedCheck string   // the command that the last quest there was given
	Detected  string   // the command that was filled in
	CheckOf   string   // the repository for which Ward was filled in
	FileCheck bool     // the repository's own file has a check that counts
	Trial     Trial
	Recent    []Recent
	NoTrees   string // why steps cannot have worktrees
	Shared    bool   // the user chose to work without worktrees
	Branch    string // the checked-out branch
	Workspace Field  // only its error
	Base      Field
	Setup     Field
	Links     Field // one path in each line
	Copies    Field
	Offered   []string // paths in the repository that may be linked or copied
	FilledFor string   // the repository for which Setup, Links and Copies were filled in
	File      *RepoFile
	FileShown string // which file, and whether it counts; the form sends it back
}

// KeptFile is a file that the server has from an earlier sending of the form.
type KeptFile struct {
	Attached
	Value string // of its box
	Bytes int64
}

// Recent is a repository of an earlier quest.
type Recent struct{ Name, Path string }

// Folders is a folder of this machine, to pick a repository from.
type Folders struct {
	Dir, Parent string
	List        []Folder
	More        string // how many are not in the list; empty: none
	Fault       string
}

// Folder is one of the folders in a folder.
type Folder struct {
	Name, Path string
	Repository bool
	Silent     bool // it does not answer
}

// Missing is what stands in the way of every quest on this machine.
type Missing struct {
	Known bool // all that the form asks about was looked at
	Stale bool // it should be looked at again
	List  []DoctorCheck
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

// OptionsOpen reports whether what most quests do not need is shown open: something in it
// is wrong, or was chosen.
func (n NewQuest) OptionsOpen() bool {
	switch n.FirstError() {
	case "", "request", "files", "repo", "ward", "size":
	default:
		return true
	}
	chosen := n.Title.Value != "" || n.Slots.Value != "" || n.Siege.Value != "" || n.Priority.Value != "" && n.Priority.Value != "normal"
	return chosen || n.RunsOn.Value != "" || n.Ask.Value != "" || n.AskTimeout.Value != "" || len(n.Limits) > 0 || n.Choices.Shared ||
		n.Choices.Base.Value != ""
}

const runsOnHint = "Labels that the machine must have, such as gpu linux. Leave empty for any host."

// RunsOnHint explains the labels.
func (n NewQuest) RunsOnHint() string {
	if n.Labels == "" {
		return runsOnHint
	}
	return runsOnHint + " Hosts have: " + n.Labels + "."
}

// FirstError names the first wrong field, in the order of the form.
func (n NewQuest) FirstError() string {
	for _, f := range []struct {
		name  string
		field Field
	}{{"request", n.Request}, {"files", n.Files}, {"repo", n.Repo}, {"ward", n.Choices.Ward}, {"size", n.Size.Field}, {"title", n.Title},
		{"workspace", n.Choices.Workspace}, {"base", n.Choices.Base}, {"setup", n.Choices.Setup}, {"links", n.Choices.Links},
		{"copies", n.Choices.Copies},
		{"slots", n.Slots}, {"budget", n.Budget.USD}, {"tokens", n.Budget.Tokens}, {"hours", n.Budget.Hours},
		{"priority", n.Priority}, {"siege", n.Siege}, {"runsOn", n.RunsOn}, {"ask", n.Ask}, {"askTimeout", n.AskTimeout}} {
		if f.field.Error != "" {
			return f.name
		}
	}
	for _, s := range n.Limits {
		if s.Field.Error != "" {
			return s.Name
		}
	}
	return ""
}
