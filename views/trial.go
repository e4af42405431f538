package views

// Trial is what a check command does that is tried.
type Trial struct {
	Quest        string
	Known, Going bool
	Command, Dir string
	State        State
	Why          string
	Clock        Clock  // while it goes on
	Above        int    // lines that are not shown
	Output       string // its end
}
