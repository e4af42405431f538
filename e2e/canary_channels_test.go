package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// An agent asks with all secrets that it could have met. No channel takes one of them away:
// they are those of a share (docs/security.md, redaction).
func TestNoSecretThatTheServerKnowsLeavesByAChannel(t *testing.T) {
	t.Parallel()
	var secrets []string
	canary := func(form string) string {
		secrets = append(secrets, fmt.Sprintf("canary-%02d-%s", len(secrets), strings.Repeat("z", 12)))
		return fmt.Sprintf(form, secrets[len(secrets)-1])
	}
	home, repo := t.TempDir(), apiRepo(t)
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "QUESTBOARD_TOKEN=" + apiToken}
	secrets = append(secrets, apiToken)
	for _, form := range []string{"GITHUB_TOKEN=%s", "PGPASSWORD=%s", "MYSQL_PWD=%s", "STRIPE_SECRET_KEY=%s", "OPENAI_API_KEY=%s", "AZURE_CLIENT_SECRET=%s",
		"SENTRY_AUTH_TOKEN=%s", "DATABASE_URL=postgres://me:%s@db/shop", "REDIS_URL=redis://:%s@cache:6379"} {
		env = append(env, canary(form))
	}
	write(t, filepath.Join(home, ".netrc"), canary("machine x login y password %s"))
	write(t, filepath.Join(repo, ".env"), canary("KEY=%s")+"\n"+canary("HARBOUR_KEY=%s")+"\n"+canary("SHOP_PASSWORD='%s'")+"\n")
	gitText(t, repo, "remote", "add", "origin", canary("http://me:%s@127.0.0.1:1/x.git"))

	var mu sync.Mutex
	heard := map[string]string{}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		heard[r.URL.Path] += string(body)
	}))
	t.Cleanup(receiver.Close)
	s, _, _ := startWith(t, env, "- role: codeweaver\n  do:\n    - tool: {name: signal-back, input: {signal: needs-user-input, question: \"Which of "+
		strings.Join(secrets, ", ")+"?\", context: \"None.\"}}\n")
	kinds := []string{"webhook", "ntfy", "slack"}
	for _, kind := range kinds {
		s.post("/channels", fmt.Sprintf(`{"kind":%q,"name":%[1]q,"address":"%s/%[1]s","local":true,"bundle":false}`, kind, receiver.URL)).want(http.StatusCreated)
	}
	s.begin(repo, `,"ward":"","plan":{"steps":[{"id":"one","title":"One"}]}`)
	all := func() (text string, whole bool) {
		mu.Lock()
		defer mu.Unlock()
		whole = true
		for path, body := range heard {
			text += path + " hears " + body + "\n"
			whole = whole && strings.Contains(body, "Which of")
		}
		return text, whole && len(heard) == len(kinds)
	}
	poll(t, 30*time.Second, func() bool { _, whole := all(); return whole }, func() string { text, _ := all(); return "each channel tells of the question: " + text })
	text, _ := all()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%s leaves: %s", secret, text)
		}
	}
}
