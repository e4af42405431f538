package redact_test

import (
	"strings"
	"testing"

	"questboard/handlers/redact"
)

// Canaries are secrets as agents print them: SECRET stands for what must not be
// left over. T1.8 of hardening.md, for what shares show.
var canaries = []string{
	"ANTHROPIC_API_KEY=SECRET", "export GITHUB_TOKEN='SECRET'", `{"password": "SECRET with spaces"}`, "db_password: SECRET-and-more",
	"Authorization: Bearer SECRET", "authorization: Basic SECRET=", `curl -H "Authorization: token SECRET" https://api.example`,
	`"Authorization": "SECRET"`, "Proxy-Authorization: Basic SECRET", "using bearer SECRET.part-two", "Cookie: session=SECRET; theme=dark",
	"Set-Cookie: id=SECRET; HttpOnly", "postgres://user:SECRET@db.example/app", "https://SECRET@git.example/repo.git",
	"redis://:SECRET@cache:6379", "git remote add origin https://me:SECRET@host/r.git", "GET /cb?code=SECRET&state=1",
	"https://x.example/?access_token=SECRET", "mysql --password=SECRET", "login --token SECRET now", "client_secret=SECRET",
	"aws_secret_access_key = 'SECRET'", "sk-ant-api03-SECRET", "ghp_SECRET1234", "github_pat_11SECRET", "glpat-SECRET12", "xoxb-12-SECRET",
	"AKIASECRETSECRET", "AIzaSECRETSECRET", "eyJhbGciSECRET.eyJzdWIiSECRET.SECRET", "npm_SECRETabc", "sk_live_SECRET1",
	"-----BEGIN OPENSSH PRIVATE KEY-----\nSECRET\nSECRET==\n-----END OPENSSH PRIVATE KEY-----",
	"-----BEGIN RSA PRIVATE KEY-----\nSECRET and nothing after it",
	"b3BlbnNzaC1rZXktdjEAAAAASECRETAAAABAAAAMwAAAAtzc2gtZWQyNTUxOQAAACD7",
	"the value is a-known-SECRET-value, plainly", "/home/SECRET/src/app.go:12: undefined", "/Users/SECRET/x", "in /srv/SECRET/code",
}

func redactor() *redact.Redactor {
	return redact.New("/srv/SECRET", []string{"a-known-SECRET-value", "short"})
}

func TestSecretsAreTakenOutOfTexts(t *testing.T) {
	t.Parallel()
	for _, canary := range canaries {
		for _, text := range []string{canary, "before " + canary + "\nafter", canary[:len(canary)-1] + "…"} {
			if got := redactor().Text(text); strings.Contains(got, "SECRET") {
				t.Errorf("%q is shown as %q", text, got)
			}
		}
	}
	if len(canaries) < 30 {
		t.Errorf("only %d canaries", len(canaries))
	}
}

func TestPlainTextsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "Hash passwords", "Which login provider should billing use: the internal SSO, or the vendor's?", "ok  internal/form 0.41s",
		"Add tokens to the parser", "internal/auth/token.go", "https://git.example/repo.git", "commit 05be4c8d5a3f", "a short word",
		"cookie", "Codeweaver asks on Session cookie: Which login?", "secret: no", "git@github.com:me/repo.git", "3 files changed, 12 insertions(+)", "Session cookie", "keyboard=us",
	} {
		if got := redactor().Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestPagesAreRedactedInTextsAndTitlesAlone(t *testing.T) {
	t.Parallel()
	const page = `<!doctype html><a href="/s/a-known-SECRET-value" title="it&#39;s a-known-SECRET-value">` +
		`x &lt;b&gt; &amp; token=SECRET&lt;/b&gt;</a><br/><p data-x="1">plain &amp; simple</p>`
	got, err := redactor().HTML([]byte(page))
	if err != nil {
		t.Fatal(err)
	}
	const want = `<!doctype html><a href="/s/a-known-SECRET-value" title="it&#39;s [redacted]">` +
		`x &lt;b&gt; &amp; token=[redacted]&lt;/b&gt;</a><br/><p data-x="1">plain &amp; simple</p>`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestVariablesWithSecretNamesAreKnown(t *testing.T) {
	t.Parallel()
	got := redact.Environment([]string{"HOME=/srv", "GH_TOKEN=one", "MY_API_KEY=two=2", "AUTHOR=me", "X_AUTH=three", "KEYBOARD=us"})
	if strings.Join(got, " ") != "one two=2 three" {
		t.Errorf("%q", got)
	}
}
