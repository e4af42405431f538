package workspace_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"questboard/agents/workspace"
)

// Objects on another disk are copied. The copy ends when the caller or the server ends.
func TestACopyOfObjectsEndsWhenItIsToldTo(t *testing.T) {
	t.Parallel()
	elsewhere := "/dev/shm/questboard-test-" + rand.Text()
	if err := os.Mkdir(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(elsewhere) })
	dir := filepath.Join(elsewhere, "repo")
	git(t, elsewhere, "clone", "-q", repo(t), dir)
	pack := filepath.Join(dir, ".git/objects/pack/pack-"+strings.Repeat("0", 40)+".pack")
	if err := errors.Join(os.WriteFile(pack, nil, 0o600), os.Truncate(pack, 1<<30)); err != nil { // a hole, which takes no disk space
		t.Fatal(err)
	}
	for name, end := range map[string]error{"the request": context.Canceled, "the server": workspace.ErrEnding} {
		ctx, cancel := context.WithCancel(t.Context())
		ending := make(chan struct{})
		g := &treesTest{T: t, trees: newTrees(filepath.Join(t.TempDir(), "w")), ref: workspace.Ref{Quest: "q1", Repo: dir}}
		g.trees.Git.Ending = ending
		go func() {
			for tick := time.NewTicker(time.Millisecond); ctx.Err() == nil; <-tick.C {
				if begun, _ := filepath.Glob(filepath.Join(g.home(), "trees/objects/pack/tmp_obj_*")); len(begun) == 0 {
					continue
				}
				if errors.Is(end, context.Canceled) {
					cancel()
				} else {
					close(ending)
				}
				return
			}
		}()
		_, err := g.trees.Begin(ctx, g.ref)
		if !errors.Is(err, end) {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(filepath.Join(g.home(), "trees/objects/pack")); len(left) > 0 {
			t.Errorf("%s: %v", name, left)
		}
		cancel()
	}
}
