package views

// Roles is the list of roles.
type Roles struct {
	Frame     Frame
	Rows      []RoleRow
	Standard  string // the model where a role names none
	Arguments string // that the server gives every agent; they win
}

// RoleRow is a role with what was chosen for it; empty: as built in.
type RoleRow struct {
	Name, Does, URL      string
	Edited               bool
	Model, Effort, Tools string
}

// RolePage is what can be chosen for one role.
type RolePage struct {
	Frame            Frame
	Role, Name, Does string
	Notice, Error    string
	Was              string // names the text that the form was made from
	Prompt           Field
	Changed          bool // the saved text is not the built-in one
	Undo             bool
	UndoWords        string
	Variables        []Pair
	Samples          []Pair
	Sample, Preview  string
	Diff             *DiffFile // nil: as built in
	Tools            RoleTools
}

// RoleTools is the form with a role's model, effort and tools.
type RoleTools struct {
	Was, Error                 string
	Model, Effort, Allow, Deny Field
	Allowed, Denied            []string // built in
	Efforts                    []string
	Standard                   string // the model where none is named
}
