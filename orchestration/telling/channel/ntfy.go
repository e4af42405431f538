package channel

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strings"

	"questboard/orchestration/record"
)

// ntfyMost is how many bytes ntfy shows of a message; more becomes a file.
const ntfyMost = 4000

// The priorities of ntfy: 4 is high, 3 the default.
const (
	ntfyHigh   = 4
	ntfyNormal = 3
)

type ntfyMessage struct {
	Topic    string       `json:"topic"`
	Title    string       `json:"title"`
	Message  string       `json:"message"`
	Priority int          `json:"priority"`
	Click    string       `json:"click"`
	Actions  []ntfyAction `json:"actions"`
	// SequenceID: what comes again replaces the notification that has the same. Old servers
	// ignore it.
	SequenceID string `json:"sequence_id"`
}

type ntfyAction struct {
	Action string `json:"action"`
	Label  string `json:"label"`
	URL    string `json:"url"`
}

// ntfyActions is how many buttons ntfy allows.
const ntfyActions = 3

func (s Sender) ntfy(c record.Channel, m record.Message, said said) (*http.Request, error) {
	server, err := url.Parse(c.Address)
	if err != nil {
		return nil, err
	}
	topic := path.Base(server.Path)
	server.Path = strings.TrimSuffix(path.Dir(server.Path), "/") + "/"
	out := ntfyMessage{Topic: topic, Title: cut(said.head, 200), Message: said.text(ntfyMost), Priority: ntfyNormal, Click: said.url, SequenceID: m.ID}
	if said.needs {
		out.Priority = ntfyHigh
	}
	for _, l := range said.lines {
		if len(out.Actions) < ntfyActions {
			out.Actions = append(out.Actions, ntfyAction{"view", cut(openLabel(said, l), 40), l.url})
		}
	}
	body, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, server.String(), bytes.NewReader(body))
	if err == nil && c.Secret != "" {
		r.Header.Set("Authorization", "Bearer "+c.Secret)
	}
	return r, err
}

// openLabel names the button that opens what a notice is about.
func openLabel(m said, l line) string {
	if len(m.lines) == 1 {
		return "Open"
	}
	return "Open: " + l.head
}
