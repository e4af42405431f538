package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"questboard/cmd/server/client"
	"questboard/orchestration"
)

// maxTyped limits what is read from standard input, in bytes. The server accepts less.
const maxTyped = 1 << 20

// status prints the quests of a running server, or one of them.
func status(ctx context.Context, args []string, w world) error {
	cfg, rest, err := parse("status", args, w.getenv)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return cfg.client(w).Status(ctx)
	}
	quest, err := oneArgument(rest, "QUEST")
	if err != nil {
		return err
	}
	return cfg.client(w).StatusOf(ctx, quest)
}

// wait waits until a quest has reached one of the states in -for.
func wait(ctx context.Context, args []string, w world) error {
	cfg, rest, err := parse("wait", args, w.getenv)
	if err != nil {
		return err
	}
	quest, err := oneArgument(rest, "QUEST")
	if err != nil {
		return err
	}
	return cfg.client(w).Wait(ctx, quest, cfg.For)
}

// answer answers a question of an agent.
func answer(ctx context.Context, args []string, w world) error {
	cfg, rest, err := parse("answer", args, w.getenv)
	if err != nil {
		return err
	}
	if len(cfg.Decide) > 0 && len(rest) == 1 {
		rest = append(rest, "") // a decision needs no reason
	}
	question, text, err := twoArguments(rest, "QUESTION", "TEXT")
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
	if strings.TrimSpace(text) == "" && len(cfg.Decide) == 0 {
		return usageFaults{"TEXT is empty"}
	}
	return cfg.client(w).Answer(ctx, question, text, cfg.Decide)
}

// decisions returns what -decide may have.
func decisions() (words []string) {
	for _, d := range orchestration.CallDecisions {
		words = append(words, string(d))
	}
	return words
}

// client returns the client of the commands that ask a running server.
func (c Config) client(w world) *client.Client {
	return &client.Client{URL: c.URL, Data: c.Data, Token: c.Token, Timeout: c.Timeout, JSON: c.JSON, Release: release, Out: w.stdout, Log: w.stderr}
}

// validateAsking returns the faults of the flags of commands that ask a server.
func (c Config) validateAsking() (faults usageFaults) {
	if c.URL != "" && !webAddress(c.URL) {
		faults = append(faults, fmt.Sprintf("-url: %q "+wrongAddress, c.URL))
	}
	if !linkable(c.Token) {
		faults = append(faults, "-token: "+wrongToken)
	}
	if c.Timeout < 0 {
		faults = append(faults, fmt.Sprintf("-timeout: %s is less than nothing", c.Timeout))
	}
	for _, d := range c.Decide {
		if !slices.Contains(orchestration.CallDecisions, d) {
			faults = append(faults, fmt.Sprintf("-decide: %q is none of %s", d, strings.Join(decisions(), ", ")))
		}
	}
	for _, what := range c.For {
		if !slices.Contains(client.Waitables(), what) {
			faults = append(faults, fmt.Sprintf("-for: %q is none of %s", what, strings.Join(client.Waitables(), ", ")))
		}
	}
	return faults
}
