package views

// Trial is a run of a check command that the user tries.
type Trial struct {
	URL, StopURL string // shows it, and stops it
	PageURL      string // the page that it is on; empty: a form that would lose what was typed
	TextURL      string // the output as plain text
	Error        string // why nothing was tried
	Late         bool   // it replaces what is on the page
	Known, Going bool
	Command, Dir string
	State        State
	Why          string
	Clock        Clock  // while it runs
	Above        int    // number of earlier lines that are not shown
	Output       string // the last lines
}

func (t Trial) late() Trial {
	t.Late = true
	return t
}
