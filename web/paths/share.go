package paths

import (
	"net/url"
	"strings"
)

// SharedPrefix begins the paths of all pages of a share.
const SharedPrefix = "/s/"

// Shares lists the links to a quest. A POST with the fields expiresIn, output, cost and
// answer creates one.
func Shares(quest string) string { return Quest(quest) + "/shares" }

// RevokeShare takes a POST.
func RevokeShare(id string) string { return "/shares/" + url.PathEscape(id) + "/revoke" }

// Shared is the board of a share.
func Shared(token string) string { return SharedPrefix + url.PathEscape(token) }

// SharedSocket reports whether a path is the socket of a share.
func SharedSocket(path string) bool {
	return strings.HasPrefix(path, SharedPrefix) && strings.HasSuffix(path, WebSocket)
}

// Site builds the URLs of a quest's parts: on the owner's pages, or on those of a share.
// The zero value is the owner's.
type Site struct{ token string }

// SharedSite returns the site of a share.
func SharedSite(token string) Site { return Site{token} }

// Quest is the board.
func (s Site) Quest(quest string) string {
	if s.token != "" {
		return Shared(s.token)
	}
	return Quest(quest)
}

// Closed is the board with these columns closed, and all others open.
func (s Site) Closed(quest string, columns []string) string {
	return s.Quest(quest) + "?closed=" + strings.Join(columns, ",")
}

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

// run is the path below which a run's output is.
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

// OutputLog is the output page by page: ?from=LINE.
func (s Site) OutputLog(id string) string { return s.run(id) + "/log" }

// OutputLines is the prefix of the URL of a line, before its number.
func (s Site) OutputLines(id string) string { return s.run(id) + "/lines/" }

// Socket is the socket of a tab.
func (s Site) Socket() string {
	if s.token != "" {
		return Shared(s.token) + WebSocket
	}
	return WebSocket
}
