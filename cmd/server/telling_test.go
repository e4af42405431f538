package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"questboard/cmd/server/config"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/web"
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

// A folder on a network that is away holds who opens it, like a pipe that nobody writes to. Then
// what was said is hidden whole, and a server that stops does not wait for it.
func TestARepositoryThatDoesNotAnswerStopsNoChannel(t *testing.T) {
	t.Parallel()
	away := filepath.Join(t.TempDir(), "away")
	if err := syscall.Mkfifo(away, 0o600); err != nil {
		t.Fatal(err)
	}
	load := func(_ context.Context, id string) (*orchestration.Quest, error) {
		return &orchestration.Quest{ID: id, Repo: away}, nil
	}
	hides := redact.New("", nil)
	clean := cleaner(load, func(context.Context) *redact.Redactor { return hides })
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for name, ctx := range map[string]context.Context{"a server that stops": stopped, "a server at work": t.Context()} {
		said := make(chan string, 1)
		go func() { said <- clean(ctx, "quest", "Use tide-of-the-night-42?") }()
		select {
		case got := <-said:
			if got != redact.Hidden {
				t.Errorf("%s: %q", name, got)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%s waits for the folder", name)
		}
	}
	if got := clean(t.Context(), "", "no space is left"); got != "no space is left" {
		t.Errorf("of no quest: %q", got)
	}
	if writer, err := os.OpenFile(away, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil { // it answers at last
		_ = writer.Close()
	}
}

// The part that makes backups does not know who tells people.
func TestABackupThatFailsIsToldToPeople(t *testing.T) {
	t.Parallel()
	cfg, _, err := config.Parse("serve", []string{"-data", t.TempDir(), "-addr", "127.0.0.1:0"}, environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	doors, err := web.Listen(cfg.Addr, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	a, err := open(t.Context(), cfg, world{}, slog.New(slog.DiscardHandler), doors)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.close(); err != nil {
			t.Error(err)
		}
	}()
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	a.backups.Failed(t.Context(), errors.New("no space is left"), at)
	told, _, err := a.store.Notices(t.Context(), 9)
	if err != nil || len(told) != 1 || told[0].Kind != orchestration.NoticeBackup || told[0].Text != "no space is left" || !told[0].Needs || !told[0].At.Equal(at) {
		t.Errorf("told: %+v, %v", told, err)
	}
}
