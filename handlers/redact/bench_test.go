package redact_test

import (
	"strings"
	"testing"
)

// A board of 500 cards. Each text of them is examined.
func BenchmarkRedactedPage(b *testing.B) {
	card := `<li id="card-x" class="card state-idle"><h3><a href="/s/x/steps/x">Adapter for the identity provider</a></h3>` +
		`<p><span class="badge"><span class="icon" aria-hidden="true">◌</span>Waiting</span></p><p class="why">Waits for cookie, form</p>` +
		`<p class="tail">Bash go test ./internal/form -run TestForm</p></li>`
	page := []byte("<!doctype html><ul>" + strings.Repeat(card, 500) + "</ul>")
	r := redactor()
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		if _, err := r.HTML(page); err != nil {
			b.Fatal(err)
		}
	}
}

// A log of 500 lines. Some name secrets, and some contain one.
func BenchmarkRedactedLog(b *testing.B) {
	lines := []string{"ok  	questboard/handlers	12.981s", "Bash go test ./internal/form -run TestForm", "Read internal/auth/token.go",
		"\tif token == \"\" {", "GET https://api.example/v1/users?page=2 200 12ms", "I read the step: the session is kept in a cookie, as the requirements say.",
		"DB_PASSWORD=hunter2", `{"level":"info","msg":"login","user":"me","took":12}`, "2026-11-22T16:03:16Z INFO server: listening on 127.0.0.1:8420", "+\treturn nil, fmt.Errorf(\"read key of %s: %w\", name, err)"}
	r := redactor()
	for b.Loop() {
		for i := range 500 {
			r.Text(lines[i%len(lines)])
		}
	}
}
