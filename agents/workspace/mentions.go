package workspace

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
)

// What .gitmodules holds where there are submodules, and .gitattributes where
// files are kept in git-lfs.
const (
	submoduleSection = `(?m)^\s*\[submodule\s`
	lfsFilter        = `(?m)^\s*[^#\s].*\sfilter=lfs(\s|$)`
)

// mentions reports whether a file of the tree's root says something. A link is
// not followed: git does not either.
func mentions(top, name, what string) bool {
	path := filepath.Join(top, name)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 1<<20))
	return regexp.MustCompile(what).Match(b)
}
