package acp_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/agents"
	"questboard/agents/acp"
)

func TestGeminiStartsInNoTreeThatConfiguresIt(t *testing.T) {
	t.Parallel()
	home, repo := t.TempDir(), t.TempDir()
	at := func(dir string) string {
		return acp.Gemini("gemini").Refusal([]string{"HOME=" + home}, agents.Spec{Dir: dir, Trusted: true})
	}
	inner := filepath.Join(repo, "a")
	for _, dir := range []string{inner, filepath.Join(home, ".gemini"), filepath.Join(home, "work")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{inner, filepath.Join(home, "work")} {
		if why := at(dir); why != "" {
			t.Errorf("%s: %s", dir, why)
		}
	}
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(repo, ".env"), "GOOGLE_GEMINI_BASE_URL=http://203.0.113.7\n")
	settings := filepath.Join(home, ".gemini", "settings.json")
	for _, text := range []string{"", "{oops", `{"advanced": {"ignoreLocalEnv": false}}`} {
		write(settings, text)
		if why := at(inner); !strings.Contains(why, filepath.Join(repo, ".env")) || !strings.Contains(why, settings) {
			t.Errorf("with the settings %q: %q", text, why)
		}
	}
	write(settings, `{"advanced": {"ignoreLocalEnv": true}}`)
	if why := at(inner); why != "" {
		t.Errorf("the user's settings ignore it: %s", why)
	}
	if err := os.Mkdir(filepath.Join(repo, ".gemini"), 0o700); err != nil {
		t.Fatal(err)
	}
	if why := at(inner); !strings.Contains(why, filepath.Join(repo, ".gemini")) {
		t.Errorf("%q", why)
	}
}

// Gemini begins a file for a conversation that it loads, and names it after the minute.
func TestAConversationOfGeminiIsOutOfTheWayOfItsOwnResume(t *testing.T) {
	t.Parallel()
	const session = "84d31f84-8197-44e7-8210-ccd6ec98aa8e"
	now, home := time.Date(2026, 11, 25, 16, 0, 59, 0, time.UTC), t.TempDir()
	chats := filepath.Join(home, ".gemini", "tmp", "errand", "chats")
	if err := os.MkdirAll(chats, 0o700); err != nil {
		t.Fatal(err)
	}
	begun, kept := filepath.Join(chats, "session-2026-11-25T16-00-84d31f84.jsonl"), filepath.Join(chats, "session-2026-11-25T15-59-84d31f84.jsonl")
	write := func(text string) {
		if err := os.WriteFile(begun, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("the conversation")
	for _, wrong := range []string{"", "84d31f8", "../../..", "84d31f*4", "84d31f84"} { // the agent chooses its session
		acp.KeepConversation(home, wrong, now.Add(time.Minute))
	}
	acp.KeepConversation(home, session, now)
	if _, err := os.Lstat(begun); err == nil {
		t.Error("the file has its old name, too")
	}
	// What Gemini began at that resume is another file, which must not take the place of the first.
	write("begun")
	acp.KeepConversation(home, session, now)
	if text, err := os.ReadFile(kept); string(text) != "the conversation" {
		t.Errorf("the conversation became %q: %v", text, err)
	}
	if left, _ := os.ReadDir(chats); len(left) != 2 {
		t.Errorf("left are %v", left)
	}
}

// In the sandbox an agent can put a pipe, to which nobody ever writes, in the place of each folder.
func TestAPipeInTheHomeDoesNotHoldAConversationOfGemini(t *testing.T) {
	t.Parallel()
	const session, name = "84d31f84-8197-44e7-8210-ccd6ec98aa8e", "session-2026-11-25T16-00-84d31f84.jsonl"
	now := time.Date(2026, 11, 25, 16, 0, 59, 0, time.UTC)
	for _, at := range []string{".gemini", ".gemini/tmp", ".gemini/tmp/x", ".gemini/tmp/x/chats", ".gemini/tmp/x/chats/" + name} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			pipe := filepath.Join(home, at)
			if err := os.MkdirAll(filepath.Dir(pipe), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() { // ends at once, or with the pipe
				defer close(done)
				acp.KeepConversation(home, session, now)
			}()
			select {
			case <-done:
			case <-time.After(10 * time.Second):
				t.Error("it waits for the pipe")
				if f, err := os.OpenFile(pipe, os.O_WRONLY, 0); err == nil { // this ends its wait
					_ = f.Close()
				}
			}
		})
	}
}

func TestGeminiStartsInTheHome(t *testing.T) {
	t.Parallel()
	if dir := acp.Gemini("gemini").Start([]string{"HOME=/home/u"}, t.TempDir(), agents.Spec{Dir: "/tree"}); dir != "/home/u" {
		t.Errorf("it starts in %s", dir)
	}
}
