package redact_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"questboard/handlers/redact"
)

// Code, prose and numbers that contain names of secrets but no secret.
var plain = strings.Split(strings.TrimSpace(`
password := readPassword()
password, err := term.ReadPassword(0)
token := strings.TrimPrefix(header, "Bearer ")
token := newToken()
token, ok := parse(s)
secret := cfg.Secret
var token string
token: string
token: string;
password?: string
password: Optional[str] = None
key = "name"
key := "item"
"key": "name",
for key, value := range list {
passwords: see docs
Password: at least eight characters
token: not found
token: it was lost
Token: token,
Token: cfg.Token,
Secret: os.Getenv("API_SECRET"),
api_key = os.environ["API_KEY"]
apiKey: process.env.API_KEY,
password=$PASSWORD
password: ${DB_PASSWORD}
password: {{ .Values.password }}
API_TOKEN=<your token>
TOKEN=xxxxxxxx
password: ********
password = ""
password: null
"password": null,
"token": "string"
"required": ["password", "token"]
max_tokens: 4096
input_tokens=12345, output_tokens=678
tokens: 1200
1,200 tokens
if token == "" {
if password != nil {
return errors.New("token: not valid")
type Token struct {
Password string ~json:"password"~
<input type="password" name="password">
token.go:12:5: undefined: secret
internal/auth/token.go:34: token := x
handlers/secret_test.go
cp /etc/passwd backup12.txt
diff ../../etc/passwd passwd.go12
PASS
ok  	internal/form	0.41s
--- PASS: TestTokenIsKept (0.00s)
pass: 12, fail: 0
session: 12 minutes
key: value
primary_key: id
sort_key = created_at
public_key: see the page
auth: token
auth: basic
auth/login.go
Authorization is checked first.
the author: me
basic authentication
a bearer of news
commit 05be4c8d5a3f
05be4c8d5a3f1d2e3c4b5a69788796a5b4c3d2e1
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
node_modules/react@18.2.0
https://unpkg.com/htmx.org@1.9.2/dist/htmx.min.js
http://localhost:8080/@vite/client
https://example.com/users/@me
git@github.com:me/repo.git
npm_config_registry is set
sk-learn and sk_buff
task-runner, risk-free, desk-top
mkdir -p internal/form
docker run -p 8080:80 nginx
2026-11-22T16:03:16Z
12:30:45 main.go:123:4:5: no
"name": "token-store",
token-store.js
session-cookie
TOKEN_FILE=/run/token
SECRET_NAME=app
--token-file path
--token string   the token
secret: true
Hash passwords, and keep tokens
Reset password
Password reset
Session token
Which token: the old one, or the new?
git commit -m "token: parse it"
func (t *Token) Secret() string { return t.secret }
const tokenLength = 32
expires: 2026-01-01
curl -s https://x.example/a
`), "\n")

func TestPlainFormsStay(t *testing.T) {
	t.Parallel()
	r := redact.New("", nil)
	for _, text := range plain {
		text = strings.ReplaceAll(text, "~", "`")
		if got := r.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Pages stay readable: redaction changes hardly a line of this project's own files. Tests
// of secrets are left out.
func TestHardlyALineOfOurSourcesIsChanged(t *testing.T) {
	t.Parallel()
	r := redact.New("", nil)
	cmd := exec.Command("git", "ls-files", "-z", "*.go", "*.md", "*.templ", "*.js", "*.css", "*.sql", "*.mod", "*.yml", "Makefile")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("this is no git checkout: %v", err)
	}
	lines, changed := 0, 0
	for _, name := range strings.Split(strings.TrimRight(string(out), "\x00"), "\x00") {
		if strings.Contains(name, "redact") || strings.Contains(name, "share_hostile") || strings.Contains(name, "/testdata/") || strings.Contains(name, "/dist/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			continue // removed but not committed yet
		}
		for line := range strings.Lines(string(text)) {
			if lines++; lines%3 > 0 { // a third of the lines is enough
				continue
			}
			if got := r.Text(line); got != line {
				changed++
				t.Logf("%s: %s became %s", name, strings.TrimSpace(line), strings.TrimSpace(got))
			}
		}
	}
	t.Logf("%d of a third of %d lines", changed, lines)
	if lines < 50_000 || changed > lines/3/500 {
		t.Errorf("%d of a third of %d lines were changed", changed, lines)
	}
}
