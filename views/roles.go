package views

// Roles is the list of roles.
type Roles struct {
	Frame     Frame
	Rows      []RoleRow
	Standard  string // the model of roles that name none
	Arguments string // the server's own arguments for agents, which override those of roles
}

// RoleRow is a role with its settings. An empty setting is the built-in one.
type RoleRow struct {
	Name, Does, URL      string
	Edited               bool
	Agent, Fallback      string
	Model, Effort, Tools string
}

// RolePage has the settings of one role.
type RolePage struct {
	Frame            Frame
	Role, Name, Does string
	Notice, Error    string
	Was              string // identifies the text that the form was made from
	Prompt           Field
	Changed          bool // the saved text is not the built-in one
	Undo             bool
	UndoWords        string
	Variables        []Pair
	Samples          []Pair
	Sample, Preview  string
	Diff             *DiffFile // nil: the text is the built-in one
	Tools            RoleTools
}

// RoleTools is the form for a role's model, effort and tools.
type RoleTools struct {
	Was, Error                      string
	Agents                          []Choice
	Agent                           Field // only its error
	Model, Effort, Allow, Deny, Ask Field
	Fallback, FallbackAfter         Field
	Allowed, Denied                 []string // built in
	Efforts                         []string
	Standard                        string // the model if none is named
}
