package redact_test

import (
	"strings"
	"testing"

	"questboard/handlers/redact"
)

// A page hides the path of the owner's home, and the ids of Claude's sessions.
func TestTheOwnersNameAndConversationsAreHidden(t *testing.T) {
	t.Parallel()
	r := redact.New("/home/hero.of-old", nil)
	const id = "3f0c5a0e-8d2f-4d53-9a4f-8c1f6f6f2a10"
	for _, text := range []string{
		"/home/hero.of-old/src", "/home/hero.of-old", "~/.claude/projects/-home-hero-of-old-src", "-home-hero-of-old-src-app", "ls -home-hero-src",
		"/data/.claude/projects/-home-hero-src/" + id + ".jsonl", "/Users/hero/x", "-Users-hero-src", `{"cwd":"/home/hero"}`, `{\"dir\":\"/home/hero\"}`,
		"claude --resume " + id, id + "  claude-opus", `{"session_id":"` + id + `"}`, `said\n` + id,
	} {
		if got := r.Text(text); strings.Contains(got, "hero") || strings.Contains(got, "8d2f") {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
	for _, text := range []string{"go-home-now", "--home-page", "a home-page", "at home"} {
		if got := r.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
