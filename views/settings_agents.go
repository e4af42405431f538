package views

// AgentForm is the form of a program that works as an agent.
type AgentForm struct {
	ID                 string // of the form, and prefix of the ids of its fields
	Stored             string // the agent's name; "": it is new, and the user types the name
	Name, Command, Env Field
}

// Wrong reports whether the form came back with an error.
func (a AgentForm) Wrong() bool { return a.Name.Error+a.Command.Error+a.Env.Error != "" }
