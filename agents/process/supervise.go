package process

import (
	"bufio"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"questboard/failpoint"
)

// afterServer is the longest time between TERM and KILL after the server is gone:
// nobody waits for the program's last output.
const afterServer = time.Second

// Supervise is the subcommand "supervise". It starts the program after "--", holds its
// tree and ends it, and returns when the whole tree has ended. File descriptors 3 and 4
// are the life pipe and the status pipe.
func Supervise(args []string) int {
	flags := flag.NewFlagSet(Subcommand, flag.ContinueOnError)
	run := flags.String("run", "", "run id, the marker's value")
	dir := flags.String("dir", "/", "working directory of the program")
	wrap := flags.Int("wrap", 0, "how many of the words are the program that wraps the other")
	alone := flags.Bool("alone", false, "make no cgroup")
	killAfter := flags.Int64("kill-after", KillAfter.Milliseconds(), "milliseconds between TERM and KILL")
	if err := flags.Parse(args); err != nil || flags.NArg() <= *wrap || *wrap < 0 || *run == "" {
		return 2
	}
	life, status := os.NewFile(3, "life pipe"), os.NewFile(4, "status pipe")
	// The program must not have these descriptors: it could pose as us, or keep us
	// waiting. It must not have the server's inherited ones either.
	keepFDs()

	s := &supervisor{
		self:      os.Getpid(),
		alone:     *alone,
		killAfter: time.Duration(*killAfter) * time.Millisecond,
		orders:    make(chan time.Duration),
		signals:   make(chan os.Signal, 1),
	}
	s.mark = Mark{BootID: BootID(), PID: s.self, Start: startTime(s.self), RunID: *run}
	// A signal to the supervisor is meant for the run.
	signal.Notify(s.signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	adoptOrphans()

	reports := json.NewEncoder(status) // if a write fails, the server is gone, which the life pipe also tells
	if fault := s.start(flags.Args(), *wrap, *dir); fault != nil {
		_ = reports.Encode(report{Fault: fault})
		return 1
	}
	failpoint.Pass(failpoint.SuperviseForked)
	_ = reports.Encode(report{PID: s.program, Start: s.mark.Start})
	go s.readOrders(life) // ends with the process
	letGo()
	exit := s.hold()
	failpoint.Pass(failpoint.SuperviseEmpty)
	_ = reports.Encode(report{Exit: &exit})
	return 0
}

// supervisor holds one tree. Its fields belong to the goroutine of Supervise.
type supervisor struct {
	mark      Mark
	self      int
	alone     bool
	program   int    // pid of the program
	group     *group // the run's own cgroup; nil: there is none
	killAfter time.Duration
	orders    chan time.Duration // remaining grace; closed when the server is gone
	signals   chan os.Signal
	wrapper   *wrapper // nil: the program runs without a sandbox
	reaper    *reaper
	looked    map[int]bool // pids that the last pass found not to be ours
}

// start starts the program. The first wrap words of argv are the wrapper's.
func (s *supervisor) start(argv []string, wrap int, dir string) *startFault {
	files := []uintptr{0, 1, 2}
	if wrap > 0 {
		var err error
		if s.wrapper, err = newWrapper(); err != nil {
			return faultOf(argv[0], argv[0], err)
		}
		defer s.wrapper.closeTheirs()
		argv, files = s.wrapper.argv(argv, wrap), append(files, s.wrapper.fd())
	}
	path, err := lookPath(argv[0], dir)
	if err == nil {
		err = failpoint.At(failpoint.SuperviseFork)
	}
	if err != nil {
		return faultOf(argv[0], path, err)
	}
	if err := s.forkExec(path, argv, syscall.ProcAttr{
		Dir:   dir,
		Env:   without(os.Environ(), supervisorMarker),
		Files: files,
		Sys:   &syscall.SysProcAttr{Setpgid: true}, // "kill 0" in the program does not reach us
	}); err != nil {
		return faultOf(argv[0], path, err)
	}
	s.reaper = newReaper(s.program)
	return nil
}

// forkExec starts the program in a cgroup of its own or, if that fails for any reason,
// without one.
func (s *supervisor) forkExec(path string, argv []string, attr syscall.ProcAttr) (err error) {
	if !s.alone {
		s.group = newGroup(s.mark)
	}
	if s.group != nil {
		if s.program, err = s.group.forkExec(path, argv, attr); err == nil {
			return nil
		}
		s.group.end()
		s.group = nil
	}
	s.program, err = syscall.ForkExec(path, argv, &attr)
	return err
}

// hold waits for the first reason to end the tree, ends it, and returns how the program
// ended.
func (s *supervisor) hold() exitReport {
	var (
		deadline time.Time
		timer    <-chan time.Time // nil: no order yet
	)
	for running := true; running; {
		select {
		case <-s.reaper.programGone:
			running = false
		case <-s.signals:
			running = false
		case <-timer:
			running = false
		case grace, ok := <-s.orders:
			if !ok {
				running = false // end notices the same
				break
			}
			if at := time.Now().Add(grace); timer == nil || at.Before(deadline) {
				deadline, timer = at, time.After(grace)
			}
		}
	}
	told := !s.reaper.gone()
	last := 0
	if s.wrapper != nil {
		last = s.program
	}
	all := target{last: last,
		find:  func() []proc { return s.tree() },
		empty: s.reaper.childless,
		news:  s.reaper.news, orders: s.orders,
	}
	if s.group != nil {
		all.kill = s.group.kill
		defer s.group.end() // whatever somebody else put there must not outlive the run either
	}
	end(all, s.killAfter)
	<-s.reaper.programGone
	exit := s.reaper.exit(told)
	exit.Unwrapped = s.wrapper != nil && !told && exit.Code != 0 && !s.wrapper.ran()
	return exit
}

// tree returns every live process of the run: descendants of the supervisor, and
// processes elsewhere with the run's marker.
func (s *supervisor) tree() []proc {
	if s.reaper.childless() {
		return s.strays()
	}
	all := processes(nil)
	return unique(append(marksOf(all, s.mark, s.self), descendants(all, s.self)...), s.self)
}

// strays returns processes with the run's marker once no descendant is left: another
// program's daemon started them for the run. Most runs have none and end here, so a
// pass does not read again what the last one has just read.
func (s *supervisor) strays() []proc {
	all := processes(s.looked)
	if len(unique(marksOf(all, s.mark, s.self), s.self)) > 0 {
		s.looked = nil
		return unique(marksOf(processes(nil), s.mark, s.self), s.self)
	}
	if s.looked == nil {
		s.looked = make(map[int]bool, len(all))
	}
	for _, p := range all {
		s.looked[p.pid] = true
	}
	return nil
}

// readOrders reads the grace in milliseconds, one number per line.
func (s *supervisor) readOrders(life io.Reader) {
	defer close(s.orders)
	lines := bufio.NewReader(life)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		ms, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil || ms < 0 {
			ms = 0 // an unreadable order is still an order to end
		}
		s.orders <- time.Duration(ms) * time.Millisecond
	}
}

// keepFDs marks all descriptors except the first three to be closed in the program.
func keepFDs() {
	for fd := 3; fd < 5; fd++ {
		syscall.CloseOnExec(fd)
	}
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// letGo makes the supervisor close the program's input and output. Then the other ends
// notice what the program does with them, and no output of the supervisor gets in
// between.
func letGo() {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	for fd := range 3 {
		_ = replaceFD(int(null.Fd()), fd)
	}
}

// lookPath finds a bare name on PATH. A relative path is relative to dir.
func lookPath(name, dir string) (string, error) {
	if strings.Contains(name, "/") {
		if !strings.HasPrefix(name, "/") {
			return dir + "/" + name, nil
		}
		return name, nil
	}
	return exec.LookPath(name)
}
