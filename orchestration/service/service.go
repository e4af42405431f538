// Package service is what one does with Questboard beyond a single rule: begin a
// quest and delete it, deliver its work, try a command, look after the machine.
// Pages, API and the start of the server call it, so that each of these is done
// in one way. It decides nothing about steps and runs, which is package
// orchestration, and knows nothing of requests, markup or SQL.
package service

import (
	"log/slog"
	"time"

	"questboard/orchestration/sharing"
)

// Service is what pages and API stand on.
type Service struct {
	Quests   Quests
	Settings Settings
	Drafts   Drafts
	Shares   sharing.Book
	Audit    Audit
	Output   Output
	Repos    Repos
	Trees    Trees
	Doctor   Doctor
	Clock    func() time.Time
	Log      *slog.Logger
	// Agents are the names that a quest may choose; the first is the default.
	Agents []string
	// Sandbox: what quests run is confined.
	Sandbox bool
	// Address is how links to this server begin.
	Address string
}
