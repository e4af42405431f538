package workspace

import (
	"path/filepath"
	"strings"
)

// onBranch finds where the user has a branch checked out; empty: nowhere. Moving
// or deleting such a branch would change what a person sees in that checkout. A
// branch that is being rebased or bisected counts, although HEAD does not name it.
func (u *users) onBranch(branch string) string {
	for _, w := range u.worktrees() {
		for name, says := range map[string]string{"HEAD": "ref: " + branch, "rebase-merge/head-name": branch, "rebase-apply/head-name": branch,
			"BISECT_START": strings.TrimPrefix(branch, "refs/heads/")} {
			if text, err := readPlain(filepath.Join(w.gitdir, name)); err == nil && strings.TrimSpace(string(text)) == says {
				return w.top
			}
		}
	}
	return ""
}

// worktrees are the checkouts of the user's repository: the main one and those
// that "git worktree add" made.
func (u *users) worktrees() []found {
	main := found{top: strings.TrimSuffix(u.common, string(filepath.Separator)+".git"), gitdir: u.common, common: u.common}
	if u.gitdir == u.common {
		main = u.found
	}
	all := []found{main}
	gitdirs, err := filepath.Glob(filepath.Join(globbed(u.common), "worktrees", "*", "gitdir"))
	if err != nil {
		return all
	}
	for _, name := range gitdirs {
		text, err := readPlain(name)
		at := strings.TrimSuffix(string(text), "\n")
		if !filepath.IsAbs(at) {
			at = filepath.Join(filepath.Dir(name), at)
		}
		if err == nil {
			all = append(all, found{top: filepath.Dir(at), gitdir: filepath.Dir(name), common: u.common})
		}
	}
	return all
}
