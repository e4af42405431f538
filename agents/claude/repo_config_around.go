package claude

import (
	"errors"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// maxSeenBelow is how many files and folders are searched for .claude.
	maxSeenBelow = 200_000
	maxBelow     = 20 // folders deep
)

// passedOver lists folders without a .claude of the repository: git's own, and those of
// package managers.
var passedOver = []string{".git", "node_modules"}

// below looks for .claude in the folders below. It does not follow links to folders.
func (r *configReader) below(name string, depth int) {
	dir, err := r.root.Open(name)
	if err != nil {
		return // nobody can read this folder
	}
	defer dir.Close()
	var folders []string
	for r.seen <= maxSeenBelow {
		entries, err := dir.ReadDir(1000)
		r.seen += len(entries)
		for _, e := range entries {
			if (e.IsDir() || e.Name() == ".claude") && !slices.Contains(passedOver, e.Name()) {
				folders = append(folders, e.Name())
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				r.fault("%s cannot be read", name)
			}
			break
		}
	}
	slices.Sort(folders)
	for _, folder := range folders {
		switch at := path.Join(name, folder); {
		case r.seen > maxSeenBelow:
			if !r.tooMuch {
				r.fault("there are too many files to look for every .claude")
			}
			r.tooMuch = true
			return
		case folder == ".claude" && depth > 0:
			r.look(at, 0)
		case folder == ".claude":
		case depth >= maxBelow:
			r.fault("%s lies too deep to look for .claude there", at)
		default:
			r.below(at, depth+1)
		}
	}
}

// above looks at the .mcp.json of every folder above.
func (r *configReader) above(dir string) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		r.fault("the folders above cannot be found")
		return
	}
	for up := filepath.Dir(dir); up != dir; dir, up = up, filepath.Dir(up) {
		root, err := openFolder(up)
		if err != nil {
			continue // the CLI cannot read it either
		}
		r.root, r.place = root, strings.TrimSuffix(up, "/")+"/"
		r.look(".mcp.json", 0)
		_ = root.Close()
	}
}
