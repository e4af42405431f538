package redact_test

import (
	"strings"
	"testing"

	"questboard/handlers/redact"
)

// Canaries are secrets as agents print them. SECRET marks the part that must be hidden.
// See docs/hardening.md#web, T1.8, for what shares show.
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
		"cookie", "Codeweaver asks about Session cookie: Which login?", "secret: no", "git@github.com:me/repo.git", "3 files changed, 12 insertions(+)", "Session cookie", "keyboard=us",
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

// Rendered Markdown is examined as a whole. If that reveals a secret, the text loses its
// markup. Otherwise it keeps it.
func TestMarkdownIsJudgedAsItIsRead(t *testing.T) {
	t.Parallel()
	const begin, end = `<div class="md">`, `</div><p>after</p>`
	for in, want := range map[string]string{
		`<p>plain <strong>bold</strong> and <a href="https://x.example/a">x</a></p><ol start="3"><li>three</li></ol>`: "",
		`<p>token: [redacted] and <em>more</em></p>`:                                                                  "",
		`<p>Look.</p><p>pass<em>word</em>: SECRET9x</p><ul><li>&lt;b&gt;</li></ul>`:                                   `<p>Look.<br>password: [redacted]<br><br>&lt;b&gt;</p>`,
		`<table><tr><td>pass<em>word</em></td><td>SECRET9x</td></tr></table>`:                                         `<p>| password | [redacted] |</p>`,
		`<p><a href="https://me:SECRET9x@x.example/">here</a></p>`:                                                    `<p>here</p>`,
		`<p><a href="https://x.example/?tok%65n=SECRET9x">here</a> and <em>on</em></p>`:                               `<p>here and on</p>`,
	} {
		if want == "" {
			want = in
		}
		if got, err := redactor().HTML([]byte(begin + in + end)); err != nil || string(got) != begin+want+end {
			t.Errorf("%s\nis shown as %s\nand not as  %s (%v)", in, got, begin+want+end, err)
		}
	}
	if got, err := redactor().HTML([]byte(begin + `<p>token=SECRET9x`)); err != nil || strings.Contains(string(got), "SECRET") {
		t.Errorf("a page that ends early: %s (%v)", got, err)
	}
}

// What a text means is examined too. A text without secrets stays as it was written.
func TestDisguisesAreSeenThrough(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"pass&#119;ord: SECRET9x": "password: [redacted]", `api\_key: SECRET9x`: `api\_key: [redacted]`,
		"pass\u200bword: SECRET9x": "password: [redacted]", "pass⟨U+200B⟩word: SECRET9x": "password: [redacted]",
		"pass␛]8;;https://x.example/␛\\word␛]8;;␛\\: SECRET9x": "password: [redacted]", "\x1bPASSWORD=SECRET9x": "PASSWORD=[redacted]",
		`a\_b, **bold**, &amp; &#8364; [x](https://x.example/)`: "", "Tom &amp; Jerry's `code`": "", "⟨ and ⟩": "",
	} {
		if want == "" {
			want = text
		}
		if got := redactor().Text(text); got != want {
			t.Errorf("%q became %q, and not %q", text, got, want)
		}
	}
}

func TestVariablesWithSecretNamesAreKnown(t *testing.T) {
	t.Parallel()
	got := redact.Environment([]string{"HOME=/srv", "GH_TOKEN=one", "MY_API_KEY=two=2", "AUTHOR=me", "X_AUTH=three", "KEYBOARD=us"})
	if strings.Join(got, " ") != "one two=2 three" {
		t.Errorf("%q", got)
	}
}
