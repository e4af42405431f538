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
	read  kind = iota // as it is, and cannot be changed
	write             // as it is
	own               // a folder of the quest's own home, which it can write
	empty             // an empty folder in memory
	link              // a symbolic link
)

func kindOf(writes bool) kind {
	if writes {
		return write
	}
	return read
}

// entry is one path of a view. from is what stands there: a path, or where a
// link leads.
type entry struct {
	kind kind
	from string
}

// view is the file system of one program. Paths that are not in it are not
// there; of those that lie in each other the innermost counts.
type view struct {
	at  map[string]entry
	dir string // where the program works
}

func (v *view) put(path string, e entry) { v.at[filepath.Clean(path)] = e }

// see shows a path that exists, at its name and where the links in its name
// lead. What is not there is left out.
func (v *view) see(path string, k kind) {
	for _, at := range spellings(path) {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			v.put(at, entry{kind: k, from: real})
		}
	}
}

// spellings are the names of a path: as given, and without links.
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

// clear forgets what is seen below a folder.
func (v *view) clear(dir string) {
	maps.DeleteFunc(v.at, func(path string, _ entry) bool { return path != dir && within(dir, path) })
}

// around is the innermost entry that holds the path.
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

// shield hides what a folder holds of the quest's own home. What is mounted
// below differs from run to run, and there no other run may prepare a trap.
func (v *view) shield(dir string) {
	if at, e, ok := v.around(dir); ok && e.kind == own && at != filepath.Clean(dir) {
		v.put(dir, entry{kind: empty})
	}
}

// machines are what of /proc root could write, without any capability:
// core_pattern in /proc/sys names a program that the kernel starts outside.
var machines = [...]string{"/proc/sys", "/proc/sysrq-trigger", "/proc/mtrr", "/proc/pressure", "/proc/acpi", "/proc/scsi"}

// alone are the namespaces of every program of ours, without the network. As
// root its capabilities would be kept, and mounts could be undone.
var alone = []string{
	"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL",
}

// argv are bubblewrap's arguments for a program of a quest.
func (v *view) argv() []string {
	args := append(slices.Clone(alone), "--dev", "/dev", "--proc", "/proc")
	for _, path := range machines {
		args = append(args, "--ro-bind-try", path, path)
	}
	return append(append(args, v.mounts()...),
		"--setenv", "TMPDIR", "/tmp",
		"--setenv", "GIT_OPTIONAL_LOCKS", "0", // git must not try to write its index
		"--chdir", v.dir)
}

// mounts are the arguments that make the view. Every path is a word of its own
// behind its option: no name of a file is taken for an option.
func (v *view) mounts() []string {
	var args []string
	for _, path := range slices.Sorted(maps.Keys(v.at)) { // folders before what is in them
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

// within reports whether path is dir or lies below it.
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

// parts are the names on the way from dir down to path.
func parts(dir, path string) []string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == "." {
		return nil
	}
	return strings.Split(rel, string(filepath.Separator))
}
