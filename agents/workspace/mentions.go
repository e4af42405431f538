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

// mentions reports whether a file of the tree's root says something. A link is
// not followed: git does not either.
func mentions(top, name, what string) bool {
	b, err := readPlain(filepath.Join(top, name))
	return err == nil && regexp.MustCompile(what).Match(b)
}
