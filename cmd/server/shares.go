package main

import (
	"os"
	"time"

	"questboard/handlers"
	"questboard/handlers/redact"
	"questboard/orchestration/sharing"
)

// shares are the links to quests. Ending one closes the sockets that it has.
func (a *app) shares() sharing.Book {
	return sharing.Book{Store: a.store, Clock: time.Now, Ended: func(id string) { a.hub.End(handlers.SocketsOf(id)) }}
}

// redactor keeps from guests what this server knows to be secret: its own
// token, and what its environment calls so.
func (a *app) redactor(environ []string) *redact.Redactor {
	home, _ := os.UserHomeDir() // without one there is no path to shorten
	return redact.New(home, append(redact.Environment(environ), a.door.Token))
}

// address is how links to this server begin.
func (a *app) address() string {
	if a.door.PublicURL != "" {
		return a.door.PublicURL
	}
	return "http://" + a.door.Addr
}
