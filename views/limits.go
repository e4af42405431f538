package views

// Setting is a field in a list of short fields.
type Setting struct {
	Name, Label, Hint, Kind string
	Field                   Field
}

// LimitsPage is the form with the server's limits.
type LimitsPage struct {
	Frame                 Frame
	Notice, Error         string
	Was                   string // identifies the values that the form was made from
	Slots, Checks         Field
	Budget                Budget // of new quests
	Shared                []SharedBudget
	SlotsHint, ChecksHint string
	Limits, Times         []Setting
	Forks                 Forks
}

// BudgetError returns what is wrong with the budgets, or "".
func (l LimitsPage) BudgetError() string {
	wrong := l.Budget.Error()
	for _, b := range l.Shared {
		wrong += b.Budget.Error()
	}
	return wrong
}

// SharedBudget is a budget of all quests together.
type SharedBudget struct {
	Title  string
	Used   string // what is used of it
	Budget Budget
}

// Forks is the part of the form that says which runs go on from which conversation.
type Forks struct {
	Roles  []ForkingRole
	Limits []Setting
}

// ForkingRole is a role that can go on from the conversation of another run.
type ForkingRole struct {
	Role, Label string
	Forks       bool
}

// QuestSettings is the form for the settings of a quest.
type QuestSettings struct {
	Frame              Frame
	ID, Repo           string
	Notice, Error      string
	Over               bool // the quest has ended, so nothing can be changed
	Was                string
	Levels             []Choice // of what the user is told
	Title, Slots, Ward Field
	Budget             Budget
	Priority, Siege    Field
	NoSiege            bool       // an errand
	Size               SizeChoice // without options: it stays as it is
	SizeWas            string     // identifies the state that the choice was made from
	HasFile            bool       // a repository's own file counts
	BeforeMerge        Field
	Ask, AskTimeout    Field
	Programs           []RoleProgram
	Allowed            []Choice // rules that were allowed after a call was denied; chosen: they stay
	Limits             []Setting
	Try                Field // the command to try
	Trial              Trial
	Checks             []string // commands that may check the project
}

// Invalid reports whether a field is wrong.
func (q QuestSettings) Invalid() bool {
	wrong := q.Title.Error + q.Slots.Error + q.Budget.Error() + q.Ward.Error + q.Priority.Error + q.Siege.Error + q.Ask.Error +
		q.AskTimeout.Error + programsFault(q.Programs)
	for _, s := range q.Limits {
		wrong += s.Field.Error
	}
	return wrong != ""
}
