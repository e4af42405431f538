package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// group is a run's own cgroup (version 2). Everything that the program starts is born
// in it, in any session and with any environment, and the kernel kills all of it at
// once. Without a group only the supervisor holds the run. A program may also move
// itself out of the group; then it is still a descendant.
type group struct {
	dir        string
	run        string
	supervisor identity // the supervisor of the run, which also removes the group
}

// groupPrefix begins the names of our cgroups. Run, pid and start time of the
// supervisor follow, so that a later server can recognise it.
const groupPrefix = "questboard-"

func (m Mark) groupName() string {
	return fmt.Sprintf("%s%s-%d-%d", groupPrefix, m.RunID, m.PID, m.Start)
}

// groupAt returns the group of a directory, or nil if it is not ours.
func groupAt(dir string) *group {
	words := strings.Split(strings.TrimPrefix(filepath.Base(dir), groupPrefix), "-")
	if len(words) < 3 {
		return nil
	}
	g, end := &group{dir: dir}, len(words)-2
	var err, err2 error
	g.supervisor.pid, err = strconv.Atoi(words[end])
	g.supervisor.start, err2 = strconv.ParseUint(words[end+1], 10, 64)
	if g.run = strings.Join(words[:end], "-"); err != nil || err2 != nil || groupPrefix+strings.Join(words, "-") != filepath.Base(dir) {
		return nil
	}
	return g
}

// Groups says why runs get no cgroup of their own here; nil: they get one.
func Groups() error {
	own, err := ownGroup()
	if err != nil {
		return err
	}
	g, err := makeGroup(own, Mark{RunID: "check", PID: os.Getpid(), Start: startTime(os.Getpid())})
	if err != nil {
		return err
	}
	g.end()
	return nil
}

// newGroup makes the group of a run; nil if that is impossible.
func newGroup(m Mark) *group {
	own, err := ownGroup()
	if err != nil {
		return nil
	}
	g, err := makeGroup(own, m)
	if err != nil {
		return nil
	}
	return g
}

func makeGroup(parent string, m Mark) (*group, error) {
	g := &group{dir: filepath.Join(parent, m.groupName()), run: m.RunID, supervisor: identity{m.PID, m.Start}}
	if strings.Contains(m.RunID, "/") {
		return nil, fs.ErrInvalid
	}
	if err := os.Mkdir(g.dir, 0o700); err != nil {
		return nil, fmt.Errorf("no cgroup can be made: %w", err)
	}
	if _, err := os.Stat(g.dir + "/cgroup.kill"); err != nil {
		_ = os.Remove(g.dir)
		return nil, errors.New("this kernel cannot kill a cgroup (Linux 5.14 can)")
	}
	return g, nil
}

// forkExec starts the program as the group's first process.
func (g *group) forkExec(path string, argv []string, attr syscall.ProcAttr) (int, error) {
	dir, err := os.Open(g.dir)
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	sys := *attr.Sys
	sys.UseCgroupFD, sys.CgroupFD = true, int(dir.Fd())
	attr.Sys = &sys
	return syscall.ForkExec(path, argv, &attr)
}

// kill ends everything in the group, including processes that are being born.
func (g *group) kill() { _ = os.WriteFile(g.dir+"/cgroup.kill", []byte("1"), 0) }

// pids returns the processes in the group and in groups within it.
func (g *group) pids() (all []int) {
	for _, dir := range g.tree() {
		list, _ := os.ReadFile(dir + "/cgroup.procs")
		for word := range strings.FieldsSeq(string(list)) {
			if pid, err := strconv.Atoi(word); err == nil {
				all = append(all, pid)
			}
		}
	}
	return all
}

// end kills what is in the group, waits until it is empty, and removes it.
func (g *group) end() {
	for g.populated() {
		g.kill()
		g.await()
	}
	for _, dir := range slices.Backward(g.tree()) {
		_ = os.Remove(dir)
	}
}

// populated reports whether the group has a process. It is false if the group is gone.
func (g *group) populated() bool {
	events, _ := os.ReadFile(g.dir + "/cgroup.events")
	return bytes.Contains(events, []byte("populated 1"))
}

// await returns when the group's state changed, or after a moment.
func (g *group) await() {
	events, err := os.Open(g.dir + "/cgroup.events")
	if err != nil {
		return
	}
	defer events.Close()
	var first [64]byte
	if n, _ := events.Read(first[:]); bytes.Contains(first[:n], []byte("populated 1")) { // the kernel reports changes since the last read
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(events.Fd()), Events: unix.POLLPRI}}, 100)
	}
}

// tree lists the group's directory and those within it, parents first.
func (g *group) tree() (dirs []string) {
	_ = filepath.WalkDir(g.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return nil // ignore what has vanished meanwhile
	})
	return dirs
}

// orphaned reports whether no supervisor holds the group any more.
func (g *group) orphaned() bool {
	p, ok := lookUp(g.supervisor.pid)
	return !ok || p.identity != g.supervisor || p.headless
}

// groupsOf finds the groups of these runs in every cgroup, because a server that was
// started from another terminal was in another cgroup.
func groupsOf(marks []Mark) (found groups) {
	root, _, err := groupMount()
	if err != nil {
		return nil
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || !strings.HasPrefix(d.Name(), groupPrefix) {
			return nil
		}
		g := groupAt(path)
		if g == nil {
			return nil
		}
		if slices.ContainsFunc(marks, func(m Mark) bool { return m.RunID == g.run }) {
			found = append(found, g)
		}
		return fs.SkipDir
	})
	return found
}

// ownGroup returns the directory of our own cgroup, if it was delegated to us.
// Everywhere else another program, such as systemd, is in charge.
func ownGroup() (string, error) {
	root, within, err := groupMount()
	if err != nil {
		return "", err
	}
	of, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", fmt.Errorf("find our cgroup: %w", err)
	}
	for line := range strings.Lines(string(of)) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !ok {
			continue
		}
		dir := filepath.Join(root, strings.TrimPrefix(path, strings.TrimSuffix(within, "/")))
		return dir, delegated(dir, path)
	}
	return "", errors.New("there is no cgroup version 2")
}

func delegated(dir, path string) error {
	for _, name := range []string{dir, dir + "/cgroup.procs"} {
		if err := unix.Access(name, unix.W_OK); err != nil {
			return fmt.Errorf("the server's own cgroup is not delegated to it: %s: %w", name, err)
		}
	}
	// Root may write everywhere. Delegated are only the top (a container, or a machine
	// without systemd) and groups that systemd marks with Delegate=yes.
	if os.Geteuid() != 0 || path == "/" {
		return nil
	}
	for _, name := range []string{"trusted.delegate", "user.delegate"} {
		var value [8]byte
		if n, err := unix.Getxattr(dir, name, value[:]); err == nil && string(value[:n]) == "1" {
			return nil
		}
	}
	return fmt.Errorf("the server's own cgroup is not delegated to it: %s lacks systemd's Delegate=yes", dir)
}

// groupMount returns where cgroups of version 2 are mounted, and which of them is the
// top there.
func groupMount() (dir, within string, err error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", "", fmt.Errorf("find cgroups: %w", err)
	}
	for line := range strings.Lines(string(mounts)) {
		place, kind, _ := strings.Cut(line, " - ")
		if fields := strings.Fields(place); len(fields) > 4 && strings.HasPrefix(kind, "cgroup2 ") {
			return fields[4], fields[3], nil
		}
	}
	return "", "", errors.New("no cgroups of version 2 are mounted")
}
