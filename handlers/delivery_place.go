package handlers

import (
	"context"
	"regexp"
	"strings"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// place is where a line works and how a person gets there.
func (p *presenter) place(s *orchestration.Step) views.Place {
	if p.guest() {
		return views.Place{}
	}
	at := p.Place(p.q, s.ID)
	if s.Run == "" || !at.Exists {
		return views.Place{}
	}
	v := views.Place{Dir: clean(at.Dir), Editor: p.Editor(at.Dir), SettingsURL: paths.Settings}
	if v.Dir == at.Dir { // a command must not differ from what is shown of it
		v.Enter = "cd " + quoted(at.Dir)
	}
	if r := p.newestSession(s); r != nil {
		v.Resume, v.Live = resumeCommand(r.SessionID), r.Live()
	}
	return v
}

// newestSession is the last run of an agent whose session can be found.
func (p *presenter) newestSession(s *orchestration.Step) *orchestration.Run {
	for _, r := range p.runsOf(s) {
		if r.Role.Agent() && r.Opened {
			return r
		}
	}
	return nil
}

// editorLink opens a folder in the user's editor; "" where none is set.
func (p *Pages) editorLink(dir string) string {
	settings, err := p.Settings.Settings(context.Background())
	if err != nil { // the page is there without it
		return ""
	}
	return settings.EditorLink(dir)
}

// sessionID is what can stand in a command as it is.
var sessionID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]*$`)

// resumeCommand takes a session over by hand; "" where its id, which the agent
// reported, cannot stand in a command.
func resumeCommand(session string) string {
	if !sessionID.MatchString(session) {
		return ""
	}
	return "claude --resume " + session
}

// quoted is a word for a person's POSIX shell.
func quoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
