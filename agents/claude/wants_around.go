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
	// maxSeenBelow is how many files and folders are looked at for .claude.
	maxSeenBelow = 200_000
	maxBelow     = 20 // folders deep
)

// passedOver are folders that hold no .claude of the repository's: git's own,
// and what a package manager puts there.
var passedOver = []string{".git", "node_modules"}

// below looks for .claude in the folders below. Links to folders are not
// followed.
func (r *wantsReader) below(name string, depth int) {
	dir, err := r.root.Open(name)
	if err != nil {
		return // nobody can read it
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
			if !slices.Contains(r.wants.Faults, tooMuchBelow) {
				r.fault(tooMuchBelow)
			}
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

const tooMuchBelow = "there are too many files to look for every .claude"

// above looks at the .mcp.json of every folder above.
func (r *wantsReader) above(dir string) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		r.fault("the folders above cannot be found")
		return
	}
	for up := filepath.Dir(dir); up != dir; dir, up = up, filepath.Dir(up) {
		root, err := openFolder(up)
		if err != nil {
			continue // nor can the CLI
		}
		r.root, r.place = root, strings.TrimSuffix(up, "/")+"/"
		r.look(".mcp.json", 0)
		_ = root.Close()
	}
}
