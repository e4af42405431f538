package e2e_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// pasted is how much somebody pastes into a form.
const pasted = 50 << 20

// Without scripts nothing stops a paste of 50 MiB before it is sent. The server says in words
// what is possible, whether or not it is told the length, and reads no more than that. What
// was stored stays as it was.
func TestAPasteOf50MiBIsRefusedInWordsAndLosesNothing(t *testing.T) {
	t.Parallel()
	s := launch(t, nil, "-data", t.TempDir(), "-addr", "127.0.0.1:0", "-agent", "simulated")
	repo := apiRepo(t)
	form := func(path string, body io.Reader) (status int, page string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+apiToken)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatalf("%s, %d bytes: %v", path, r.ContentLength, err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	draft := "/drafts/" + s.post("/drafts", jsonText(object{"request": "Say hello.", "repo": repo})).want(http.StatusCreated)["id"].(string)
	typed := url.Values{"repo": {repo}, "draft": {strings.TrimPrefix(draft, "/drafts/")}}
	typed.Set("request", strings.Repeat("some words\n", pasted/11))
	body, before := typed.Encode(), memory(t, s)
	for _, path := range []string{"/quests", "/drafts", "/quests/new"} {
		for how, send := range map[string]io.Reader{"with its length": strings.NewReader(body), "chunked": io.MultiReader(strings.NewReader(body))} {
			if status, page := form(path, send); status != http.StatusRequestEntityTooLarge || !strings.Contains(page, "The text of a form may have at most 4 MiB. Nothing was changed.") {
				t.Errorf("%s, %s: %d %s", path, how, status, page)
			}
		}
	}
	grown := memory(t, s) - before
	t.Logf("the server took %d KiB more", grown)
	if grown > pasted>>10 {
		t.Errorf("the server took %d KiB more, as much as was pasted", grown)
	}
	if now := s.page(draft); !strings.Contains(now, ">Say hello.</textarea>") {
		t.Errorf("the draft is %s", now)
	}
	if list := s.page("/quests"); strings.Contains(list, "quest-row") {
		t.Error("a quest began")
	}
}
