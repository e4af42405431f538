package handlers_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/e2e/e2etest"
	"questboard/handlers/handlerstest"
)

// streams are recorded outputs of two versions of Claude Code, for all kinds of runs.
func streams(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "agents", "transcript", "testdata", "claude-stream*", "*.jsonl"))
	if err != nil || len(files) < 25 {
		t.Fatalf("%d recorded streams were found, %v", len(files), err)
	}
	return files
}

// Every recorded stream reads as a conversation: what the agent said, its calls and their
// results, each once, and nothing that nobody needs.
func TestRecordedStreamsReadAsConversations(t *testing.T) {
	t.Parallel()
	for _, file := range streams(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := newSite()
		run := s.quest(t, handlerstest.Busy(s.engine)).Step("form").Run
		s.output.Write(run, strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")...)
		page := parsed(t, call(t, s.pages.LogPage, nil, "run", run))
		got := conversation(page)
		version := strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "claude-stream")
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl") + version + ".txt"
		e2etest.Golden(t, filepath.Join("conversation", name), got)
	}
}

// conversation returns a page of the log as text, one line for each row. Folded rows have
// a mark.
func conversation(page *goquery.Document) string {
	var text strings.Builder
	page.Find(".row").Each(func(_ int, row *goquery.Selection) {
		mark := " "
		if row.Find(".opens").Length() > 0 {
			mark = "▸"
		}
		if row.HasClass("nested") {
			mark += "  ↳"
		}
		number := row.Find(".ln").Remove().Text()
		words := []rune(strings.Join(strings.Fields(row.Text()), " "))
		fmt.Fprintf(&text, "%3s %-7s %s %s\n", number, row.AttrOr("data-kind", ""), mark, string(words[:min(len(words), 140)]))
	})
	return text.String()
}
