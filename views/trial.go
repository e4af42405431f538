package views

// Trial is a run of a check command that the user tries.
type Trial struct {
	Quest        string
	Known, Going bool
	Command, Dir string
	State        State
	Why          string
	Clock        Clock  // while it runs
	Above        int    // number of earlier lines that are not shown
	Output       string // the last lines
}
