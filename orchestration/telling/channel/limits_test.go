package channel_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// refusing is a server that answers as the real one would: refuse returns a status and why, or 0.
func refusing(t *testing.T, refuse func(r *http.Request) (int, string)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, why := refuse(r); status != 0 {
			http.Error(w, why, status)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

var ntfyName = regexp.MustCompile(`^[-_A-Za-z0-9]{1,64}$`)

// ntfyRefuses says what an ntfy server without a store for files refuses of a message as JSON.
func ntfyRefuses(r *http.Request) (int, string) {
	var m struct {
		Topic, Title, Message, Click string
		SequenceID                   string `json:"sequence_id"`
		Priority                     int
		Tags                         []string
		Actions                      []struct{ Action, Label, URL string }
	}
	const message = 4096
	raw := http.MaxBytesReader(nil, r.Body, 2*message)
	switch err := json.NewDecoder(raw).Decode(&m); {
	case err != nil && strings.Contains(err.Error(), "too large"):
		return 413, "the JSON is too large"
	case err != nil:
		return 400, "no JSON"
	case r.Method != http.MethodPost || r.URL.Path != "/":
		return 404, "publish to the root"
	case !ntfyName.MatchString(m.Topic):
		return 400, "the topic is invalid"
	case m.SequenceID != "" && !ntfyName.MatchString(m.SequenceID):
		return 400, "the sequence id is invalid"
	case len(m.Message) > message:
		return 400, "the message is too long, and attachments are not allowed"
	case m.Priority < 0 || m.Priority > 5:
		return 400, "the priority is invalid"
	case len(m.Actions) > 3:
		return 400, "only 3 actions allowed"
	}
	for _, a := range m.Actions {
		if a.Action != "view" || a.Label == "" || a.URL == "" {
			return 400, "an action is invalid"
		}
	}
	return 0, ""
}

// slackRefuses says what an incoming webhook of Slack refuses.
func slackRefuses(r *http.Request) (int, string) {
	type text struct{ Type, Text string }
	var m struct {
		Text   string
		Blocks []struct {
			Type     string
			Text     *text
			Elements []struct {
				Type string
				Text text
				URL  string
			}
		}
	}
	if json.NewDecoder(r.Body).Decode(&m) != nil {
		return 400, "invalid_payload"
	}
	if m.Text == "" || len(m.Text) > 40000 || len(m.Blocks) > 50 {
		return 400, "invalid_blocks"
	}
	if strings.ContainsAny(m.Text, "<>") {
		return 400, "the text has markup, and nothing here sends any"
	}
	good := func(t text, most int) bool {
		return t.Type == "plain_text" && t.Text != "" && utf8.RuneCountInString(t.Text) <= most
	}
	for _, b := range m.Blocks {
		most := map[string]int{"header": 150, "section": 3000}[b.Type]
		if b.Type != "actions" && (b.Text == nil || !good(*b.Text, most)) || b.Type == "actions" && (len(b.Elements) == 0 || len(b.Elements) > 25) {
			return 400, "invalid_blocks: " + b.Type
		}
		for _, e := range b.Elements {
			if e.Type != "button" || !good(e.Text, 75) || len(e.URL) > 3000 || !strings.HasPrefix(e.URL, "https://") {
				return 400, "invalid_blocks: a button"
			}
		}
	}
	return 0, ""
}

// Agents write titles and texts, and each of these is longest somewhere: in characters, in bytes,
// in JSON, as markup.
func TestNoTextOfAnAgentIsRefusedByTheRealLimits(t *testing.T) {
	t.Parallel()
	channels := map[string]record.Channel{
		"ntfy":  {Kind: record.ChannelNtfy, Address: refusing(t, ntfyRefuses) + "/my-topic", Local: true},
		"slack": {Kind: record.ChannelSlack, Address: refusing(t, slackRefuses) + "/services/T/B/x", Local: true},
	}
	for name, text := range map[string]string{"nothing": "", "a": "a", "é": "é", "漢": "漢", "🧭": "🧭", "quotes": `"`, "backslashes": `\`, "<": "<", "&": "&amp;<", "lines": "\n",
		"tabs": "\t", "line separators": "\u2028", "no UTF-8": "\xff", "spaces": " "} {
		for _, notices := range []int{1, 3, 20} {
			m := question()
			m.Notices[0].Text, m.Notices[0].Title = strings.Repeat(text, 5000), strings.Repeat(text, 500)
			for len(m.Notices) < notices {
				m.Notices = append(m.Notices, m.Notices[0])
			}
			for kind, c := range channels {
				if fault := faultOf(t, sender(t).Send(t.Context(), c, m)); fault != nil {
					t.Errorf("%s, %d notices of %s: %s", kind, notices, name, fault.Why)
				}
			}
		}
	}
}

// Every kind of notice has words, a page and a button that both accept.
func TestEveryKindOfNoticeIsAcceptedByTheRealLimits(t *testing.T) {
	t.Parallel()
	ntfy, slack := refusing(t, ntfyRefuses)+"/my-topic", refusing(t, slackRefuses)
	for _, row := range orchestration.NoticeKinds {
		m := question()
		m.Notices[0] = orchestration.NewNotice(row.Kind, "why", at)
		m.ID = m.Notices[0].ID // as a test has it
		for _, c := range []record.Channel{{Kind: record.ChannelNtfy, Address: ntfy, Local: true}, {Kind: record.ChannelSlack, Address: slack, Local: true}} {
			if fault := faultOf(t, sender(t).Send(t.Context(), c, m)); fault != nil {
				t.Errorf("%s by %s: %s", row.Kind, c.Kind, fault.Why)
			}
		}
	}
}

// Slack takes one message in a second. The next one waits for as long as it says.
func TestSlacksLimitOfOneMessageInASecondIsKept(t *testing.T) {
	t.Parallel()
	var came atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if came.Add(1) > 1 {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "rate_limited", http.StatusTooManyRequests)
			return
		}
		fmt.Fprint(w, "ok")
	}))
	t.Cleanup(server.Close)
	c := record.Channel{Kind: record.ChannelSlack, Address: server.URL, Local: true}
	if fault := faultOf(t, sender(t).Send(t.Context(), c, question())); fault != nil {
		t.Fatalf("the first: %+v", fault)
	}
	if fault := faultOf(t, sender(t).Send(t.Context(), c, question())); fault == nil || fault.After != time.Second || fault.Stop {
		t.Errorf("the second: %+v", fault)
	}
}
