package workspace_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Agents may replace git's files with anything. We must not wait for a pipe, and a file
// without an end must not fill the memory.
func TestWhatStandsInPlaceOfGitsFilesHoldsNobody(t *testing.T) {
	t.Parallel()
	pipe := func(name string) error { return syscall.Mkfifo(name, 0o600) }
	endless := func(name string) error { return os.Symlink("/dev/zero", name) }
	sparse := func(name string) error {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			return err
		}
		return os.Truncate(name, 10<<30)
	}
	for what, put := range map[string]func(string) error{"pipe": pipe, "link to zeros": endless, "ten sparse gigabytes": sparse} {
		for _, place := range []string{".git", "admin/HEAD", "admin/gitdir", "admin/index"} {
			t.Run(what+" for "+place, func(t *testing.T) {
				t.Parallel()
				g := newTreesTest(t, repo(t))
				tree := g.dir("one")
				name := filepath.Join(tree, place)
				if admin := g.admin("one"); filepath.Base(place) != ".git" {
					name = filepath.Join(admin, filepath.Base(place))
				}
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
				if err := put(name); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				done := make(chan error, 1)
				go func() { _, err := g.trees.Commit(ctx, g.ref, "one", stamp("r")); done <- err }()
				select {
				case err := <-done:
					if place == ".git" && err != nil {
						t.Errorf("a .git file is written anew: %v", err)
					}
					t.Log(err)
				case <-time.After(time.Minute):
					t.Fatal("it holds us still")
				}
			})
		}
	}
}
