package web_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/web"
)

// kept returns the content of the file of sessions.
func kept(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "sessions.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the sessions: %v (%v)", info.Mode(), err)
	}
	return string(text)
}

// start starts the server on a data directory, with a token.
func start(t *testing.T, dir, token string, chosen bool) *door {
	t.Helper()
	return newDoor(t, func(c *web.Config) { c.Data, c.Token, c.Chosen = dir, token, chosen })
}

// pause does what needs a session with its key.
func (d *door) pause(browser func(*http.Request)) int {
	return d.request(http.MethodPost, "/quests/"+d.party.Quest+"/pause", "", browser).Code
}

func TestSessionsOutliveTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	browser, cookie, key := start(t, dir, token, false).visitor(t)
	text := kept(t, dir)
	for _, secret := range []string{cookie.Value, key, token} {
		if strings.Contains(text, secret) {
			t.Error("a secret stands in the file")
		}
	}
	second := start(t, dir, "of the second start, as random", false)
	if code := second.pause(browser); code != http.StatusSeeOther {
		t.Errorf("after a restart: %d", code)
	}
	if code := second.pause(func(r *http.Request) { r.AddCookie(cookie) }); code != http.StatusForbidden {
		t.Errorf("after a restart, without the key: %d", code)
	}
	second.request(http.MethodPost, "/logout", "", browser)
	if code := start(t, dir, token, false).pause(browser); code != http.StatusUnauthorized {
		t.Errorf("after a logout and a restart: %d", code)
	}
}

// When the user chooses another token, all sessions end.
func TestAnotherChosenTokenEndsAllSessions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	browser, _, _ := start(t, dir, token, true).visitor(t)
	if code := start(t, dir, token, true).pause(browser); code != http.StatusSeeOther {
		t.Errorf("with the same token: %d", code)
	}
	if code := start(t, dir, "another token that was chosen", true).pause(browser); code != http.StatusUnauthorized {
		t.Errorf("with another token: %d", code)
	}
	if code := start(t, dir, "a random one", false).pause(browser); code != http.StatusUnauthorized {
		t.Errorf("with none: %d", code)
	}
}

func TestLogoutEverywhereEndsAllSessions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := start(t, dir, token, false)
	one, _, _ := d.visitor(t)
	other, cookie, _ := d.visitor(t)
	everywhere := url.Values{"everywhere": {"on"}}.Encode()
	if w := d.request(http.MethodPost, "/logout", everywhere, func(r *http.Request) { r.AddCookie(cookie) }); w.Code != http.StatusForbidden {
		t.Errorf("with the cookie alone: %d", w.Code)
	}
	if w := d.request(http.MethodPost, "/logout", everywhere, one); w.Code != http.StatusSeeOther {
		t.Fatalf("log out everywhere: %d", w.Code)
	}
	for name, server := range map[string]*door{"the server": d, "after a restart": start(t, dir, token, false)} {
		if code := server.pause(other); code != http.StatusUnauthorized {
			t.Errorf("%s: the other browser: %d", name, code)
		}
	}
}

// If a logout cannot be stored, its answer says so. If the sessions cannot be read, the
// user has to log in again.
func TestSessionsInADirectoryThatFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sessions.json"), []byte(`{"half`), 0o600); err != nil {
		t.Fatal(err)
	}
	d := start(t, dir, token, false)
	browser, _, _ := d.visitor(t)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if again, _, _ := d.visitor(t); d.pause(again) != http.StatusSeeOther {
		t.Error("nobody can log in any more")
	}
	if w := d.request(http.MethodPost, "/logout", "", browser); w.Code != http.StatusInternalServerError {
		t.Errorf("a logout that is not kept: %d", w.Code)
	}
	if code := d.pause(browser); code != http.StatusUnauthorized {
		t.Errorf("after it: %d", code)
	}
}
