// Package channel sends messages in the formats of webhooks, ntfy, Slack and programs. When
// and how often is decided in package telling.
package channel

import (
	"context"
	"net"
	"net/http"
	"time"

	"questboard/agents/process"
	"questboard/orchestration/record"
	"questboard/orchestration/telling"
)

// Sender sends messages. Every field but Resolver is required.
type Sender struct {
	// Site is the beginning of links to this server.
	Site string
	// Clean makes a text safe to leave the server: without secrets, and without characters
	// that deceive. quest may be empty.
	Clean func(ctx context.Context, quest, text string) string
	Clock func() time.Time
	// Process starts the programs of commands, in the folder Dir with the environment Env.
	Process process.Starter
	Dir     string
	Env     []string
	// Resolver looks names up; nil: that of the machine.
	Resolver *net.Resolver
	// HTTPLimit and CommandLimit are how long one try may take.
	HTTPLimit, CommandLimit time.Duration
}

// The limits that users get.
const (
	DefaultHTTPLimit    = 15 * time.Second
	DefaultCommandLimit = 30 * time.Second
)

// Send sends one message. An error is a *telling.Fault.
func (s Sender) Send(ctx context.Context, c record.Channel, m record.Message) error {
	var request *http.Request
	var err error
	said := s.words(ctx, m)
	switch c.Kind {
	case record.ChannelWebhook:
		request, err = s.webhook(c, m, said)
	case record.ChannelNtfy:
		request, err = s.ntfy(c, m, said)
	case record.ChannelSlack:
		request, err = s.slack(c, said)
	case record.ChannelCommand:
		return s.command(ctx, c, m, said)
	default:
		return &telling.Fault{Why: "this version knows no channel of the kind " + string(c.Kind)}
	}
	if err != nil {
		return &telling.Fault{Why: string(hidden(c, []byte(err.Error())))}
	}
	return s.post(ctx, c, request)
}
