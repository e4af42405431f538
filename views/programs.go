package views

// RoleProgram is the choice of a program and of a model for a role.
type RoleProgram struct {
	Role, Name string
	Agents     []Choice
	Agent      Field // only its error
	Model      Field
}

// programsFault returns the faults of all choices together.
func programsFault(list []RoleProgram) (faults string) {
	for _, p := range list {
		faults += p.Agent.Error + p.Model.Error
	}
	return faults
}
