package process

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// adoptOrphans does nothing, because macOS has no subreapers. Orphans are found by the
// run's marker.
func adoptOrphans() {}

// awaitDeath returns at once. It exists to keep a pid for its session, and sessions are
// not tracked here.
func awaitDeath(int) {}

// replaceFD makes fd a copy of from.
func replaceFD(from, fd int) error { return unix.Dup2(from, fd) }

// widen does nothing: pipes have this size and grow by themselves.
func widen(*os.File, int) int { return 16 << 10 }

// Self returns the path of the running binary, for a Starter.
func Self() (string, error) { return os.Executable() }

// BootID identifies this boot of the machine; empty if unknown. It does not use the
// boot time, which moves when the clock is set.
func BootID() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
}

// processes lists all live processes, except the pids in skip.
func processes(skip map[int]bool) []proc {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	all := make([]proc, 0, len(list))
	for i := range list {
		if p, ok := living(&list[i]); ok && !skip[p.pid] {
			all = append(all, p)
		}
	}
	return all
}

func living(k *unix.KinfoProc) (proc, bool) {
	const zombie = 5 // SZOMB in sys/proc.h
	p := proc{identity: identity{pid: int(k.Proc.P_pid)}, parent: int(k.Eproc.Ppid)}
	p.start = uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec)
	return p, k.Proc.P_stat != zombie && p.pid > 0
}

// startTime is in microseconds since 1970.
func startTime(pid int) uint64 {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	p, _ := living(k)
	return p.start
}

// variable returns an environment variable that the process was started with.
// kern.procargs2 is: argc, path, padding, arguments, environment.
func variable(pid int, name string) (string, bool) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return "", false
	}
	argc := int(binary.LittleEndian.Uint32(raw))
	rest := raw[4:]
	path := bytes.IndexByte(rest, 0)
	if path < 0 {
		return "", false
	}
	strings := bytes.Split(bytes.TrimLeft(rest[path:], "\x00"), []byte{0})
	for i, s := range strings {
		if value, ok := bytes.CutPrefix(s, []byte(name+"=")); ok && i >= argc {
			return string(value), true
		}
	}
	return "", false
}

// signal compares the start time first. Nothing in macOS could reserve the pid
// meanwhile.
func (p proc) signal(s syscall.Signal) {
	if startTime(p.pid) == p.start {
		_ = syscall.Kill(p.pid, s)
	}
}

// group stands for a cgroup; macOS has none.
type group struct{}

// Groups says why runs get no cgroup of their own.
func Groups() error { return errors.New("macOS has no cgroups") }

func newGroup(Mark) *group { return nil }

func groupsOf([]Mark) groups { return nil }

func (*group) forkExec(string, []string, syscall.ProcAttr) (int, error) { return 0, syscall.ENOSYS }
func (*group) kill()                                                    {}
func (*group) end()                                                     {}
func (*group) pids() []int                                              { return nil }
func (*group) orphaned() bool                                           { return false }
