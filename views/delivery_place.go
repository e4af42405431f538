package views

import "github.com/a-h/templ"

// Place says where a step works, with commands and links that lead there. It is empty if
// there is no worktree.
type Place struct {
	Dir         string
	Host        string // the machine, if it is another one
	Editor      string // a link that opens the editor; empty: none is set
	SettingsURL string
	Enter       string // a shell command; empty: Dir cannot be written in a command
	Resume      string // a command that resumes the newest session
	Live        bool   // its agent is running
}

// editorLink is an attribute and not a templ.URL, because templ allows links only a few
// schemes. The user sets this scheme. It is checked when it is set and when it is used
// (record.CheckEditor), and the path is escaped.
func editorLink(p Place) templ.Attributes { return templ.Attributes{"href": p.Editor} }
