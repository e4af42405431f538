package views

// Settings is what the server keeps for all quests.
type Settings struct {
	Frame   Frame
	Notice  string // what was just done
	Undo    *RepositoryForm
	Editor  Field
	Example string // what the editor's link becomes
	Repos   []RepositoryForm
	New     RepositoryForm
	Trusted []TrustedRepository
	Disk    Disk
	Sandbox bool // what quests run is confined
}

// TrustedRepository is a repository whose own settings load.
type TrustedRepository struct{ Path, URL string }

// RepositoryForm is what worktrees of one repository need.
type RepositoryForm struct {
	ID                         string // of the form; its fields begin with it
	New                        bool   // the path is typed here
	Path, Setup, Links, Copies Field
	Name, Summary              string // of the repository, and of what is set: to be read
}

// Wrong reports whether the form came back.
func (r RepositoryForm) Wrong() bool {
	return r.Path.Error+r.Setup.Error+r.Links.Error+r.Copies.Error != ""
}
