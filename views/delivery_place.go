package views

import "github.com/a-h/templ"

// Place is where a step works, in worktree mode, and how a person gets there.
// It is empty in a shared tree, and while there is no worktree.
type Place struct {
	Dir         string
	Editor      string // a link of the user's own scheme; empty: none is set
	SettingsURL string
	Enter       string // for a shell; empty: Dir cannot be put into a command
	Resume      string // takes the newest session over
	Live        bool   // its agent is at work
}

// editorLink is an attribute of its own because a link as such may only lead to
// a few schemes. This one is the user's setting, checked where it is set and
// where it is used (record.CheckEditor), with the path escaped.
func editorLink(p Place) templ.Attributes { return templ.Attributes{"href": p.Editor} }
