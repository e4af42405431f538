package confine

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// kind is how a path is seen.
type kind int

const (
	read  kind = iota // as it is, read-only
	write             // as it is
	own               // a folder of the quest's own home, writable
	empty             // an empty folder in memory
	link              // a symbolic link
)

func kindOf(writes bool) kind {
	if writes {
		return write
	}
	return read
}

// entry is one path of a view. from is its source: a path, or the target of a link.
type entry struct {
	kind kind
	from string
}

// view is the file system of one program. Paths that are not in it do not exist; the
// innermost entry for a path wins.
type view struct {
	at  map[string]entry
	dir string // where the program starts
}

func (v *view) put(path string, e entry) { v.at[filepath.Clean(path)] = e }

// see shows an existing path at its name and at the targets of links in its name. It
// leaves out a missing path, and a link in a folder that is seen as it is: nothing can be
// mounted there.
func (v *view) see(path string, k kind) {
	for _, at := range spellings(path) {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
				if _, e, ok := v.around(filepath.Dir(at)); ok && e.kind == read {
					continue
				}
			}
			v.put(at, entry{kind: k, from: real})
		}
	}
}

// spellings returns the names of a path: as given, and without links.
func spellings(path string) []string {
	if path == "" {
		return nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || real == filepath.Clean(path) {
		return []string{filepath.Clean(path)}
	}
	return []string{filepath.Clean(path), real}
}

// clear removes everything below a folder from the view.
func (v *view) clear(dir string) {
	maps.DeleteFunc(v.at, func(path string, _ entry) bool { return path != dir && within(dir, path) })
}

// around returns the innermost entry that contains the path.
func (v *view) around(path string) (string, entry, bool) {
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if e, ok := v.at[at]; ok {
			return at, e, true
		}
		if at == filepath.Dir(at) {
			return "", entry{}, false
		}
	}
}

// ways returns the folders below home that are on the way to what the view has, relative to home.
func (v *view) ways(home string) (rels []string) {
	for path := range v.at {
		if !within(home, path) {
			continue
		}
		for names := parts(home, path); len(names) > 1; {
			names = names[:len(names)-1]
			rels = append(rels, filepath.Join(names...))
		}
	}
	return rels
}

// machines lists the parts of /proc that root could write without any capability. For
// example, core_pattern in /proc/sys names a program that the kernel starts outside of
// the sandbox.
var machines = [...]string{"/proc/sys", "/proc/sysrq-trigger", "/proc/mtrr", "/proc/pressure", "/proc/acpi", "/proc/scsi"}

// alone gives every program its own namespaces, except that of the network, and takes
// its capabilities away. Otherwise root would keep them and could undo mounts.
var alone = []string{
	"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL",
}

// argv returns bubblewrap's arguments for a program of a quest.
func (v *view) argv() []string {
	args := append(slices.Clone(alone), "--dev", "/dev", "--proc", "/proc")
	for _, path := range machines {
		args = append(args, "--ro-bind-try", path, path)
	}
	return append(append(args, v.mounts()...),
		"--setenv", "TMPDIR", "/tmp",
		"--setenv", "GIT_OPTIONAL_LOCKS", "0", // git must not write its index
		"--chdir", v.dir)
}

// mounts returns the arguments that make the view. Every path is a word of its own
// after its option, so no file name is taken for an option.
func (v *view) mounts() []string {
	var args []string
	for _, path := range slices.Sorted(maps.Keys(v.at)) { // folders before their content
		switch e := v.at[path]; e.kind {
		case read:
			args = append(args, "--ro-bind", e.from, path)
		case write, own:
			args = append(args, "--bind", e.from, path)
		case empty:
			args = append(args, "--tmpfs", path)
		case link:
			args = append(args, "--symlink", e.from, path)
		}
	}
	return args
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	if dir == "" {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// parts splits path, relative to dir, into its names: a/b gives a and b, dir itself
// none.
func parts(dir, path string) []string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == "." {
		return nil
	}
	return strings.Split(rel, string(filepath.Separator))
}
