package process

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process the parent of every descendant that loses
// its own, however often it forked and whatever session it made.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// replaceFD makes fd a copy of from.
func replaceFD(from, fd int) error { return unix.Dup3(from, fd, 0) }

// BootID names this boot of the machine; empty where it cannot be told.
func BootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
}

// processes lists all that live.
func processes() []proc {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	all := make([]proc, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := lookUp(pid); ok {
				all = append(all, p)
			}
		}
	}
	return all
}

// lookUp reads /proc/<pid>/stat; see proc_pid_stat(5).
func lookUp(pid int) (proc, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return proc{}, false
	}
	// The name stands in brackets and may hold anything, brackets too.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const state, parent, start = 0, 1, 19 // counted from field 3
	if len(fields) <= start || fields[state] == "Z" || fields[state] == "X" {
		return proc{}, false
	}
	p := proc{identity: identity{pid: pid}}
	p.parent, _ = strconv.Atoi(fields[parent])
	p.start, _ = strconv.ParseUint(fields[start], 10, 64)
	return p, true
}

// startTime is field 22 of stat: ticks since the boot.
func startTime(pid int) uint64 {
	p, _ := lookUp(pid)
	return p.start
}

// variable returns an environment variable that the process was started with.
func variable(pid int, name string) (string, bool) {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil || !bytes.Contains(environ, []byte(name+"=")) {
		return "", false
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(name+"=")); ok {
			return string(value), true
		}
	}
	return "", false
}

// signal reaches this very process or none: the descriptor holds the pid
// while the start time is compared.
func (p proc) signal(s syscall.Signal) {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err == unix.ENOSYS { // before Linux 5.3
		if startTime(p.pid) == p.start {
			_ = syscall.Kill(p.pid, s)
		}
		return
	}
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if startTime(p.pid) == p.start {
		_ = unix.PidfdSendSignal(fd, s, nil, 0)
	}
}
