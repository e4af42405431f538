package views

import "time"

// Result is what came of a quest, or what is there so far.
type Result struct {
	Known     bool // otherwise the quest is damaged, and there is a verdict alone
	Verdict   Outcome
	Over      bool
	Steps     []ResultStep // those on which no work is left
	MoreSteps string       // that there are more of them
	Missing   []OutcomePart
	Check     ResultCheck
	Review    ResultReview
	Figures   []Pair
	Try       []TryCommand
	TryNot    string // why there are no commands
	FollowUp  bool   // a quest on this result may begin
}

// ResultStep is a step on which no work is left.
type ResultStep struct {
	ID     string
	Step   Link
	State  State
	Commit string   // on the quest's branch; empty: not known, or it changed nothing
	Lines  []string // who says what about it
}

// ResultCheck is how the check ended on the final work.
type ResultCheck struct {
	Words   string
	Command string // empty: there is none
	At      time.Time
	Took    string
}

// ResultReview is how the review of the whole ended, or where it is.
type ResultReview struct {
	Step                           Link
	State                          State
	Words, Rounds, Account, Commit string
	Findings                       []string
}

// TryCommand is a command for the user's own terminal.
type TryCommand struct{ ID, Words, Command string }

// Changed is how much a quest changed. Counting may be slow, so the browser asks for it at
// URL after the page is shown; Words is empty until then.
type Changed struct{ URL, Words string }
