package paths

import (
	"net/url"
	"strings"
)

// SharedPrefix begins the path of everything that a share opens.
const SharedPrefix = "/s/"

// Shares lists the links to a quest; a POST with the fields expiresIn, output,
// cost and answer makes one.
func Shares(quest string) string { return Quest(quest) + "/shares" }

// RevokeShare takes a POST.
func RevokeShare(id string) string { return "/shares/" + url.PathEscape(id) + "/revoke" }

// Shared is the board of a share.
func Shared(token string) string { return SharedPrefix + url.PathEscape(token) }

// SharedSocket reports whether a path is the socket of a share.
func SharedSocket(path string) bool {
	return strings.HasPrefix(path, SharedPrefix) && strings.HasSuffix(path, WebSocket)
}

// Site is where the parts of a quest are: the owner's pages, or those of one
// share. The zero value is the owner's.
type Site struct{ token string }

// SharedSite is where a share has its pages.
func SharedSite(token string) Site { return Site{token} }

// Quest is the board.
func (s Site) Quest(quest string) string {
	if s.token != "" {
		return Shared(s.token)
	}
	return Quest(quest)
}

// Done is the board with the column of finished steps opened.
func (s Site) Done(quest string) string { return s.Quest(quest) + "?done=open" }

// Step is the page of a step.
func (s Site) Step(quest, step string) string {
	return s.Quest(quest) + "/steps/" + url.PathEscape(step)
}

// StepRun is a step's page with the output of one of its earlier runs.
func (s Site) StepRun(quest, step, run string) string {
	return s.Step(quest, step) + "?run=" + url.QueryEscape(run)
}

// Question is the page of one question.
func (s Site) Question(id string) string {
	if s.token != "" {
		return Shared(s.token) + Question(id)
	}
	return Question(id)
}

// run is where a run's output is.
func (s Site) run(id string) string {
	if s.token != "" {
		return Shared(s.token) + run(id)
	}
	return run(id)
}

// Output gives lines of a run's output as JSON: ?from=LINE&n=COUNT.
func (s Site) Output(id string) string { return s.run(id) + "/output" }

// OutputText is the readable output as plain text.
func (s Site) OutputText(id string) string { return s.run(id) + "/output.txt" }

// OutputLog is the output in pages: ?from=LINE.
func (s Site) OutputLog(id string) string { return s.run(id) + "/log" }

// OutputLines is the prefix to which a line's number is added.
func (s Site) OutputLines(id string) string { return s.run(id) + "/lines/" }

// Socket is the one socket of a tab.
func (s Site) Socket() string {
	if s.token != "" {
		return Shared(s.token) + WebSocket
	}
	return WebSocket
}
