package channel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// payload is what webhooks and programs get. Its fields are in docs/notifications.md,
// "Webhook".
type payload struct {
	// Type is the kind of the notice, or "bundle" for several.
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"` // of the first notice
	Data      bundle    `json:"data"`
}

type bundle struct {
	ID string `json:"id"` // of the message; each try has the same
	// Late: later messages about the same quest may have come before this one.
	Late    bool     `json:"late"`
	Notices []notice `json:"notices"`
}

type notice struct {
	ID       string                   `json:"id"` // what is told twice has the same
	Kind     orchestration.NoticeKind `json:"kind"`
	At       time.Time                `json:"at"`
	NeedsYou bool                     `json:"needsYou"`
	Words    string                   `json:"words"`
	Text     string                   `json:"text"`
	URL      string                   `json:"url"`
	Quest    string                   `json:"quest"`
	Title    string                   `json:"title"`
	Step     string                   `json:"step"`
	Question string                   `json:"question"`
	Agent    string                   `json:"agent"`
}

func payloadOf(m record.Message, said said) payload {
	p := payload{Type: "bundle", Data: bundle{ID: m.ID, Late: m.Late(), Notices: []notice{}}}
	for i, l := range said.lines {
		n := l.of
		if i == 0 {
			p.Timestamp = n.At.UTC()
		}
		p.Data.Notices = append(p.Data.Notices, notice{ID: n.ID, Kind: n.Kind, At: n.At.UTC(), NeedsYou: n.Needs, Words: l.head, Text: n.Text,
			URL: l.url, Quest: n.Quest, Title: n.Title, Step: n.Step, Question: n.Question, Agent: n.Agent})
	}
	if len(said.lines) == 1 {
		p.Type = string(said.lines[0].of.Kind)
	}
	return p
}

// webhook follows standardwebhooks.com: the id is that of the message, the time that of
// the try.
func (s Sender) webhook(c record.Channel, m record.Message, said said) (*http.Request, error) {
	body, err := json.Marshal(payloadOf(m, said))
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, c.Address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	now := s.Clock()
	r.Header.Set(standardwebhooks.HeaderWebhookID, m.ID)
	r.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	if c.Secret == "" {
		return r, nil
	}
	signer, err := standardwebhooks.NewWebhook(c.Secret)
	if err != nil {
		return nil, fmt.Errorf("the secret cannot be used: %w", err)
	}
	signature, err := signer.Sign(m.ID, now, body)
	r.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return r, err
}
