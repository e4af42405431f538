package views

// RoleProgram is the choice of a program and of a model for a role.
type RoleProgram struct {
	Role, Name string
	Agents     []Choice
	Agent      Field // only its error
	Model      Field
	// Fallback are the agents that go on, and FallbackAfter after how many minutes.
	Fallback, FallbackAfter Field
}

// programsFault returns the faults of all choices together.
func programsFault(list []RoleProgram) (faults string) {
	for _, p := range list {
		faults += p.Agent.Error + p.Model.Error + p.Fallback.Error + p.FallbackAfter.Error
	}
	return faults
}
