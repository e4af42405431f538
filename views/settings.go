package views

// Settings is the page of settings that apply to all quests.
type Settings struct {
	Frame   Frame
	Notice  string // what has just been done
	Undo    *RepositoryForm
	Editor  Field
	Example string // an example of the editor's link
	Repos   []RepositoryForm
	New     RepositoryForm
	Trusted []TrustedRepository
	Disk    Disk
	Agents  []AgentForm
	// NewAgent is the form that adds one.
	NewAgent AgentForm
	Sandbox  bool // quests run in a sandbox
}

// TrustedRepository is a repository whose own settings load.
type TrustedRepository struct{ Path, URL string }

// RepositoryForm is the form for the worktrees of one repository.
type RepositoryForm struct {
	ID                         string // of the form, and prefix of the ids of its fields
	New                        bool   // the user types the path here
	Path, Setup, Links, Copies Field
	Name, Summary              string // of the repository, and a summary of its settings, for people
}

// Wrong reports whether the form came back with an error.
func (r RepositoryForm) Wrong() bool {
	return r.Path.Error+r.Setup.Error+r.Links.Error+r.Copies.Error != ""
}
