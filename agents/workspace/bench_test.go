package workspace_test

import (
	"fmt"
	"testing"
)

// A repository of 5,000 files of which 20 differ.
func BenchmarkFingerprint(b *testing.B) {
	dir := b.TempDir()
	git(b, dir, "init", "-q")
	for i := range 5000 {
		put(b, dir, fmt.Sprintf("d%d/f%d.txt", i%50, i), "content\n")
	}
	git(b, dir, "add", "-A")
	git(b, dir, "commit", "-q", "-m", "all")
	for i := range 20 {
		put(b, dir, fmt.Sprintf("d%d/f%d.txt", i%50, i), "changed\n")
	}
	g := gitOf(b)
	for b.Loop() {
		if _, err := g.Fingerprint(b.Context(), dir); err != nil {
			b.Fatal(err)
		}
	}
}
