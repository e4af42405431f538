// Package service has the operations that pages, API and the start of the server share:
// begin, delete and deliver a quest, try a check command, look after the machine. They
// stand here once, so that each is done in the same way everywhere. The rules are in
// package orchestration; requests, markup and SQL are in the packages around this one.
package service

import (
	"context"
	"log/slog"
	"time"

	"questboard/orchestration/record"
	"questboard/orchestration/sharing"
)

// Service has the ports that the shared operations need.
type Service struct {
	Quests   Quests
	Settings Settings
	Drafts   Drafts
	Shares   sharing.Service
	Audit    Audit
	Output   Output
	Repos    Repos
	Trees    Trees
	Doctor   Doctor
	// Attachments has the content of what came with requests.
	Attachments *Attachments
	Clock       func() time.Time
	Log         *slog.Logger
	// Agents are the agents that a quest may choose; the first is the default.
	Agents []string
	// TestChannel sends a test to a channel and returns what went wrong.
	TestChannel func(ctx context.Context, c record.Channel) error
	Outbox      Outbox
	Hosts       Hosts
	Labels      []string // of this machine; none if it runs nothing
	// Sandbox: runs are confined.
	Sandbox bool
	// Address is the beginning of links to this server.
	Address string
}
