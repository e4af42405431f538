package ward

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// The limits of a list of faults. A longer list would not show what is new.
const (
	maxFaults     = 500
	maxFaultBytes = 64 << 10
	maxCame       = 10 * maxFaults // repeats cost time, too
)

// faults collects the lines that report failures, in a form that is equal for two runs
// with the same faults. If no line looks like a fault (an unknown tool), it takes the
// whole output, and each new line is a new fault. Its memory is limited for any output.
type faults struct {
	roots []string       // folders whose names differ from tree to tree
	temp  *regexp.Regexp // paths below the folder for temporary files

	told  lines    // lines that look like a fault
	shown []string // the first of them, as they were printed
	whole lines    // everything that was printed

	// before is the newest line that is not indented: it may be the first half
	// of a fault.
	before string
}

// newFaults returns the collector for a command that works in dir.
func newFaults(dir string) faults {
	return faults{roots: rootsOf(dir), temp: regexp.MustCompile(regexp.QuoteMeta(filepath.Clean(os.TempDir())+"/") + inPath)}
}

// rootsOf returns the ways in which a tool may name the tree: dir, its worktree, and
// both without symbolic links.
func rootsOf(dir string) []string {
	var roots []string
	add := func(dir string) {
		roots = append(roots, dir)
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
			roots = append(roots, real)
		}
	}
	add(dir)
	for up := dir; filepath.Dir(up) != up; up = filepath.Dir(up) {
		if _, err := os.Lstat(filepath.Join(up, ".git")); err == nil && up != dir {
			add(up)
			break
		}
	}
	return roots
}

// see takes the next line of the output.
func (f *faults) see(raw string) {
	if !f.whole.full {
		f.whole.add(f.normal(raw))
	}
	if f.told.full {
		return
	}
	if fault := f.faultIn(strings.TrimRight(visible(raw), " \t")); fault != "" {
		before := len(f.told.list)
		if f.told.add(f.normal(fault)); len(f.told.list) > before && len(f.shown) < maxShown {
			f.shown = append(f.shown, shortened(strings.TrimSpace(fault)))
		}
	}
}

// maxShown is how many of the lines that look like a fault an agent is told first.
const maxShown = 50

// failing returns the first lines that look like a fault, and how many more there are, as
// far as they were counted.
func (f *faults) failing() (lines []string, more int) {
	return f.shown, max(len(f.told.list)-len(f.shown), 0)
}

// list returns nil if nothing is known: nothing was printed, or too much.
func (f *faults) list() []string {
	found := f.told
	if len(found.list) == 0 {
		found = f.whole
	}
	if found.full {
		return nil
	}
	return found.list
}

// lines is a list without repeats, in order of appearance.
type lines struct {
	list []string
	size int
	seen map[string]bool
	came int  // including repeats
	full bool // there were more than a list holds
}

func (l *lines) add(line string) {
	l.came++
	switch {
	case l.came > maxCame:
		*l = lines{full: true}
	case line == "" || l.full || l.seen[line]:
	case len(l.list) == maxFaults || l.size+len(line) > maxFaultBytes:
		*l = lines{full: true}
	default:
		if l.seen == nil {
			l.seen = map[string]bool{}
		}
		l.list, l.size, l.seen[line] = append(l.list, line), l.size+len(line), true
	}
}
