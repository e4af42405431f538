package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"questboard/orchestration"
)

// maxTyped limits what is read from standard input, in bytes. The server accepts less.
const maxTyped = 1 << 20

// answer answers a question of an agent.
func answer(ctx context.Context, args []string, w world) error {
	cfg, rest, err := parse("answer", args, w.getenv)
	if err != nil {
		return err
	}
	name, text, err := twoArguments(rest, "QUESTION", "TEXT")
	if err != nil {
		return err
	}
	if text == "-" {
		typed, err := io.ReadAll(io.LimitReader(w.stdin, maxTyped))
		if err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		text = string(typed)
	}
	if strings.TrimSpace(text) == "" {
		return usageFaults{"TEXT is empty"}
	}
	a, ctx, end := askingOf(ctx, cfg)
	defer end()
	id, err := a.questionID(ctx, name)
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := a.call(ctx, http.MethodPost, "/questions/"+url.PathEscape(id)+"/answer", map[string]string{"answer": text}, &raw); err != nil {
		return err
	}
	if cfg.JSON {
		return printJSON(w.stdout, raw)
	}
	_, err = fmt.Fprintf(w.stdout, "answered %s\n", line(id))
	return err
}

// asked is the API's list of questions.
type asked struct {
	Questions []struct{ ID, Question string }
}

func (l *asked) ours() bool { return l.Questions != nil }

// questionID returns the id of the question that a person named: the id itself, or a
// beginning that only one open question has. That of its quest is one.
func (a asking) questionID(ctx context.Context, name string) (string, error) {
	if orchestration.QuestOf(name) != "" {
		return name, nil // a whole id; if it is answered already, the server says so
	}
	var open asked
	if err := a.get(ctx, "/questions?open=true", &open); err != nil {
		return "", err
	}
	choices := map[string]string{}
	for _, ask := range open.Questions {
		choices[ask.ID] = ask.Question
	}
	return only("open question", name, choices)
}

// twoArguments returns the arguments of a command that has two.
func twoArguments(rest []string, first, second string) (a, b string, err error) {
	if len(rest) < 2 {
		_, err := oneArgument(rest, first)
		if err == nil {
			err = usageFaults{second + " is missing"}
		}
		return "", "", err
	}
	return rest[0], rest[1], noArguments(rest[2:])
}
