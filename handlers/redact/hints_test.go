package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestHintsAreFoundAsInNoHurry(t *testing.T) {
	t.Parallel()
	words := append(append([]string{}, secretWords...), sureBeginnings...)
	var all []hint
	for i, w := range words {
		all = append(all, hint{strings.ToLower(w), 1 << (i % 60)})
	}
	h := newHints(all)
	for range 3000 {
		s := ""
		for range 6 {
			w := words[rand.IntN(len(words))]
			s += w[:rand.IntN(len(w)+1)]
		}
		var want uint64
		for i, w := range words {
			if strings.Contains(strings.ToLower(s), strings.ToLower(w)) {
				want |= 1 << (i % 60)
			}
		}
		if got := h.in(s); got != want {
			t.Fatalf("%q: %b, want %b", s, got, want)
		}
	}
}
