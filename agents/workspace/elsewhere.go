package workspace

import (
	"path/filepath"
	"strings"
)

// elsewhere finds where a branch is checked out beside our own worktrees of the
// quest; empty: nowhere. Moving or deleting such a branch would change what a
// person sees in that checkout.
func (r *repository) elsewhere(branch string) string {
	on := func(admin string) bool {
		head, err := readPlain(filepath.Join(admin, "HEAD"))
		return err == nil && strings.TrimSpace(string(head)) == "ref: "+branch
	}
	if on(r.common) {
		return strings.TrimSuffix(r.common, string(filepath.Separator)+".git")
	}
	gitdirs, err := filepath.Glob(filepath.Join(globbed(r.common), "worktrees", "*", "gitdir"))
	if err != nil {
		return ""
	}
	for _, name := range gitdirs {
		b, err := readPlain(name)
		at := filepath.Dir(strings.TrimSuffix(string(b), "\n"))
		if err == nil && filepath.Dir(at) != filepath.Join(r.root, r.ref.Quest) && on(filepath.Dir(name)) {
			return at
		}
	}
	return ""
}
