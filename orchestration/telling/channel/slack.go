package channel

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"questboard/orchestration/record"
)

// The limits of Slack, in characters.
const (
	slackHeader  = 150
	slackSection = 3000
	slackLabel   = 75
	// slackButtons is how many buttons one block of actions has.
	slackButtons = 25
)

// slackEscape keeps Slack from reading links and mentions, where it reads text as markup.
var slackEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

type slackText struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Emoji bool   `json:"emoji"` // false: ":tada:" stays as it is
}

// plain is a text that Slack shows as it is.
func plain(s string, most int) slackText { return slackText{Type: "plain_text", Text: cut(s, most)} }

type slackBlock struct {
	Type     string        `json:"type"`
	Text     *slackText    `json:"text,omitempty"`
	Elements []slackButton `json:"elements,omitempty"`
}

type slackButton struct {
	Type string    `json:"type"`
	Text slackText `json:"text"`
	URL  string    `json:"url"`
}

// slack is a message of an incoming webhook. Blocks are plain text; only the line for
// notifications is read as markup.
func (s Sender) slack(c record.Channel, said said) (*http.Request, error) {
	head := plain(said.head, slackHeader)
	blocks := []slackBlock{{Type: "header", Text: &head}}
	if text := said.text(slackSection); text != said.head {
		section := plain(text, slackSection)
		blocks = append(blocks, slackBlock{Type: "section", Text: &section})
	}
	actions := slackBlock{Type: "actions"}
	for _, l := range said.lines {
		if len(actions.Elements) < slackButtons {
			actions.Elements = append(actions.Elements, slackButton{"button", plain(openLabel(said, l), slackLabel), l.url})
		}
	}
	body, err := json.Marshal(map[string]any{"text": slackEscape.Replace(said.head), "mrkdwn": false, "blocks": append(blocks, actions)})
	if err != nil {
		return nil, err
	}
	return http.NewRequest(http.MethodPost, c.Address, bytes.NewReader(body))
}
