package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"questboard/handlers/redact"
	"questboard/orchestration"
)

func TestOfAQuestThatCannotBeLoadedNoTextIsTold(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	if err := os.WriteFile(filepath.Join(repo, ".env"), []byte("HARBOUR_TOKEN=tide-of-the-night-42\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	load := func(_ context.Context, id string) (*orchestration.Quest, error) {
		if id != "here" {
			return nil, errors.New("there is no such quest")
		}
		return &orchestration.Quest{ID: id, Repo: repo}, nil
	}
	clean := cleaner(load, func(context.Context) *redact.Redactor { return redact.New("", nil) })
	for _, c := range []struct{ quest, text, want string }{
		{"here", "Use tide-of-the-night-42?", "Use " + redact.Hidden + "?"},
		{"gone", "Use tide-of-the-night-42?", ""},
		{"", "no space is left", "no space is left"},
	} {
		if got := clean(t.Context(), c.quest, c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.quest, got, c.want)
		}
	}
}
