package workspace

import (
	"os"
	"path/filepath"
)

// Place is where Dir puts a line, and whether that is there now; nothing is
// made and git is not asked, so a page may call it for every line.
func (t *Trees) Place(ref Ref, line string) (dir string, exists bool) {
	if line == "requirements" || line == "plan" {
		line = own
	}
	if checkName("quest", ref.Quest) != nil || line != own && checkName("line", line) != nil {
		return "", false
	}
	root, err := filepath.EvalSymlinks(t.Root)
	if err != nil {
		root = t.Root // not made yet
	}
	dir = filepath.Join(root, ref.Quest, line, within(ref.Repo))
	info, err := os.Stat(dir)
	return dir, err == nil && info.IsDir()
}

// within is where a folder lies in the checkout that it belongs to.
func within(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	for top := real; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			rest, _ := filepath.Rel(top, real)
			return rest
		}
		if top == filepath.Dir(top) {
			return ""
		}
	}
}
