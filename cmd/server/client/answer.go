package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"questboard/orchestration"
)

// Answer answers a question of an agent. name is the id of the question or, if it is the
// only open one, of its quest, or a beginning of either. decisions are about the calls of a
// question that asks for permission, in their order, and the text is then the reason.
func (c *Client) Answer(ctx context.Context, name, text string, decisions []orchestration.CallDecision) error {
	ctx, end := c.limited(ctx)
	defer end()
	id, err := c.questionID(ctx, name)
	if err != nil {
		return err
	}
	var raw json.RawMessage
	body := map[string]any{"answer": text}
	if len(decisions) > 0 {
		body["decisions"] = decisions
	}
	if err := c.call(ctx, http.MethodPost, "/questions/"+url.PathEscape(id)+"/answer", body, &raw); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(c.Out, raw)
	}
	_, err = fmt.Fprintf(c.Out, "answered %s\n", Line(id))
	return err
}

// asked is the API's list of questions.
type asked struct {
	Questions []struct{ ID, Question string }
}

func (l *asked) ours() bool { return l.Questions != nil }

// questionID returns the id of the question that a person named: the id itself, or a
// beginning that only one open question has. That of its quest is one.
func (c *Client) questionID(ctx context.Context, name string) (string, error) {
	if orchestration.QuestOf(name) != "" {
		return name, nil // a whole id; if it is answered already, the server says so
	}
	var open asked
	if err := c.get(ctx, "/questions?open=true", &open); err != nil {
		return "", err
	}
	choices := map[string]string{}
	for _, ask := range open.Questions {
		choices[ask.ID] = ask.Question
	}
	return only("open question", name, choices)
}
