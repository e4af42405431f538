package redact_test

import (
	"strings"
	"testing"
)

// A board of 500 cards, of which every text is looked at.
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
