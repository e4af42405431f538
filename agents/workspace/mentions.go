package workspace

import (
	"path/filepath"
	"regexp"
)

// What .gitmodules holds where there are submodules, and .gitattributes where
// files are kept in git-lfs.
const (
	submoduleSection = `(?m)^\s*\[submodule\s`
	lfsFilter        = `(?m)^\s*[^#\s].*\sfilter=lfs(\s|$)`
)

// UsesLFS reports whether files of the repository that a folder belongs to are
// kept in git-lfs.
func UsesLFS(dir string) bool {
	f, err := find(dir)
	return err == nil && mentions(f.top, ".gitattributes", lfsFilter)
}

// mentions reports whether a file of the tree's root says something. A link is
// not followed: git does not either.
func mentions(top, name, what string) bool {
	b, err := readPlain(filepath.Join(top, name))
	return err == nil && regexp.MustCompile(what).Match(b)
}
