package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"questboard/cmd/server/client"
	"questboard/cmd/server/config"
)

// maxTyped limits what is read from standard input, in bytes. The server accepts less.
const maxTyped = 1 << 20

// status prints the quests of a running server, or one of them.
func status(ctx context.Context, c call) error {
	if len(c.args) == 0 {
		return c.client().Status(ctx)
	}
	return c.client().StatusOf(ctx, c.args[0])
}

// wait waits until a quest has reached one of the states in -for.
func wait(ctx context.Context, c call) error {
	return c.client().Wait(ctx, c.args[0], c.For)
}

// answer answers a question of an agent. A decision needs no text.
func answer(ctx context.Context, c call) error {
	text := c.arg(1)
	if text == "-" {
		typed, err := io.ReadAll(io.LimitReader(c.stdin, maxTyped))
		if err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		text = string(typed)
	}
	switch {
	case len(c.Decide) > 0:
	case len(c.args) == 1:
		return config.Faults{"TEXT is missing"}
	case strings.TrimSpace(text) == "":
		return config.Faults{"TEXT is empty"}
	}
	return c.client().Answer(ctx, c.args[0], text, c.Decide)
}

// client returns the client of the commands that ask a running server.
func (m machine) client() *client.Client {
	return &client.Client{URL: m.URL, Data: m.Data, Token: m.Token, Timeout: m.Timeout, JSON: m.JSON, Release: release, Out: m.stdout,
		Log: m.stderr}
}
