package process

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process the parent of every descendant whose own parent ends,
// however often it forked and in any session.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// awaitDeath returns when our child is dead. It does not reap the child.
func awaitDeath(child int) {
	for unix.Waitid(unix.P_PID, child, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// replaceFD makes fd a copy of from.
func replaceFD(from, fd int) error { return unix.Dup3(from, fd, 0) }

// widen asks for a pipe of n bytes and returns its real size. If the user has too many
// large pipes, that may be a page or two.
func widen(pipe *os.File, n int) (holds int) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, n)
		holds, _ = unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0)
	})
	return holds
}

// Self returns the path of the running binary, for a Starter. It stays valid when an
// upgrade replaces or deletes the file: the supervisor must be of the server's own
// version.
func Self() (string, error) { return "/proc/self/exe", nil }

// BootID identifies this boot of the machine; empty if unknown.
func BootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
}

// processes lists all live processes, except the pids in skip.
func processes(skip map[int]bool) []proc {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	all := make([]proc, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || skip[pid] {
			continue
		}
		if p, ok := lookUp(pid); ok {
			all = append(all, p)
		}
	}
	return all
}

// lookUp reads /proc/<pid>/stat; see proc_pid_stat(5).
func lookUp(pid int) (proc, bool) {
	var buf [1024]byte
	stat := readProc(pid, "/stat", buf[:])
	if len(stat) == 0 {
		return proc{}, false
	}
	// The name is in brackets and may contain anything, even brackets.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const state, parent, session, threads, start = 0, 1, 3, 17, 19 // counted from field 3
	if len(fields) <= start {
		return proc{}, false
	}
	// A program whose first thread has ended looks like a zombie, but is alive.
	zombie := fields[state] == "Z"
	if zombie && fields[threads] <= "1" || fields[state] == "X" {
		return proc{}, false
	}
	p := proc{identity: identity{pid: pid}, headless: zombie}
	p.parent, _ = strconv.Atoi(fields[parent])
	p.session, _ = strconv.Atoi(fields[session])
	p.start, _ = strconv.ParseUint(fields[start], 10, 64)
	return p, true
}

// startTime is field 22 of stat: ticks since the boot.
func startTime(pid int) uint64 {
	p, _ := lookUp(pid)
	return p.start
}

// readProc reads /proc/<pid><name> into buf, which grows as needed. It uses system
// calls: a supervisor reads hundreds of these files, and package os does three times
// the work to register them with its poller.
func readProc(pid int, name string, buf []byte) []byte {
	fd, err := syscall.Open("/proc/"+strconv.Itoa(pid)+name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	for filled := 0; ; {
		n, err := syscall.Read(fd, buf[filled:])
		switch {
		case err == syscall.EINTR:
			continue
		case n <= 0:
			return buf[:filled]
		}
		if filled += n; filled == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// variable returns an environment variable that the process was started with.
func variable(pid int, name string) (string, bool) {
	environ := readProc(pid, "/environ", make([]byte, 16<<10))
	if !bytes.Contains(environ, []byte(name+"=")) {
		return "", false
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(name+"=")); ok {
			return string(value), true
		}
	}
	return "", false
}

// signal signals exactly this process or none: the descriptor reserves the pid while
// the start time is compared.
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
