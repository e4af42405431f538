package redact

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestHintsAreFoundAsByLookingForEach(t *testing.T) {
	t.Parallel()
	words := slices.Concat(secretWords, sureBeginnings)
	var all []hint
	for i, word := range words {
		all = append(all, hint{small(word), 1 << (i % 60)})
	}
	h := newHints(all)
	dice := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		text := ""
		for range 6 {
			word := words[dice.IntN(len(words))]
			text += word[:dice.IntN(len(word)+1)]
		}
		var want uint64
		for i, word := range words {
			if strings.Contains(small(text), small(word)) {
				want |= 1 << (i % 60)
			}
		}
		if got := h.in(text); got != want {
			t.Fatalf("%q: %b, want %b", text, got, want)
		}
	}
}
