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

const (
	// ntfyMost is how many bytes of a message we send. From 4,096 on, ntfy makes a file of it, or
	// refuses it where it keeps no files.
	ntfyMost = 4000
	// ntfyBody is how many bytes a request may have as JSON: ntfy refuses more.
	ntfyBody = 2 * 4096
)

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
	out := ntfyMessage{Topic: topic, Title: cut(said.head, 200), Message: said.text(ntfyMost), Priority: ntfyNormal, Click: said.url,
		SequenceID: m.ID}
	if said.needs {
		out.Priority = ntfyHigh
	}
	for _, l := range said.lines {
		if len(out.Actions) < ntfyActions {
			out.Actions = append(out.Actions, ntfyAction{"view", cut(openLabel(said, l), 40), l.url})
		}
	}
	body, err := ntfyJSON(out)
	for most := ntfyMost; err == nil && len(body) > ntfyBody && most > 0; { // what JSON escapes is longer there
		most -= len(body) - ntfyBody
		out.Message = said.text(most)
		body, err = ntfyJSON(out)
	}
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, server.String(), bytes.NewReader(body))
	if err == nil && c.Secret != "" {
		r.Header.Set("Authorization", "Bearer "+c.Secret)
	}
	return r, err
}

// ntfyJSON does not write < > and & as six bytes each, as a page would need it.
func ntfyJSON(m ntfyMessage) ([]byte, error) {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	err := to.Encode(m)
	return b.Bytes(), err
}

// openLabel names the button that opens what a notice is about.
func openLabel(m said, l line) string {
	if len(m.lines) == 1 {
		return "Open"
	}
	return "Open: " + l.head
}
