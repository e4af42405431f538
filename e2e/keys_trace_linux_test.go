package e2e_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// traced is a server for which strace records every start of a program.
type traced struct {
	apiServer
	file string // of strace
	cmd  *exec.Cmd
	said lockedBuffer
}

// needStrace skips a test if there is no strace. If no test may be skipped, it fails
// the test instead.
func needStrace(t testing.TB) {
	t.Helper()
	if out, err := exec.Command("strace", "-DDD", "-f", "--seccomp-bpf", "--decode-pids=pidns", "-e", "trace=execve", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("strace: %v %s", err, out)
		}
		t.Skipf("strace: %v %s", err, out)
	}
}

func startTraced(t testing.TB, scenario string, flags ...string) *traced {
	t.Helper()
	needStrace(t)
	s := &traced{apiServer: apiServer{t: t, data: t.TempDir()}, file: filepath.Join(t.TempDir(), "starts")}
	plan := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(plan, []byte(scenario), 0o600); err != nil {
		t.Fatal(err)
	}
	s.cmd = commandOf("strace", nil, append([]string{"-DDD", "-f", "--seccomp-bpf", "--decode-pids=pidns", "-s", "400", "-e", "signal=none",
		"-e", "trace=execve,execveat,clone,clone3,fork,vfork", "-o", s.file, serverBinary(t),
		"-addr", "127.0.0.1:0", "-data", s.data, "-agent", "simulated", "-scenario", plan, "-auth", "token", "-grace", "1s"}, flags...)...)
	s.cmd.Stderr = &s.said
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			stopServer(t, s.cmd, &s.said)
		}
	})
	in := bufio.NewReader(stdout)
	line, err := in.ReadString('\n')
	address := regexp.MustCompile(`http://[^/]+`).FindString(line)
	if err != nil || address == "" {
		t.Fatalf("the first line is %q, %v\n%s", line, err, s.said.String())
	}
	s.base = address
	go func() { _, _ = in.WriteTo(&s.said) }() // ends with the process
	return s
}

// started is a process of a trace.
type started struct {
	parent *started
	born   int // the line of its first word
	ended  bool
	execs  []start
}

// start is one program that a process became or tried to become.
type start struct {
	line     int
	path     string
	argv     string
	happened bool
}

var (
	callLine  = regexp.MustCompile(`^(\d+) +execve(?:at)?\((?:[^"\[]*, )?"((?:[^"\\]|\\.)*)"(?:\.\.\.)?, \[(.*)`)
	childLine = regexp.MustCompile(`^(\d+) +(?:<\.\.\. )?(?:clone3?|v?fork)\b.*\) += (\d+)(?: /\* (\d+) in strace's PID NS \*/)?$`)
	exitLine  = regexp.MustCompile(`^\d+ +\+\+\+ `)
	endLine   = regexp.MustCompile(`^(\d+) +(?:<\.\.\. execve(?:at)? resumed>.*|execve.*)= 0$`)
)

// starts ends the server and reads what was started below it. The machine reuses the
// pids of processes that have ended.
func (s *traced) starts() (root *started, all []*started) {
	s.t.Helper()
	stopServer(s.t, s.cmd, &s.said)
	ended := regexp.MustCompile(fmt.Sprintf(`(?m)^%d +\+\+\+ `, s.cmd.Process.Pid))
	var text []byte
	poll(s.t, 20*time.Second, func() bool { text, _ = os.ReadFile(s.file); return ended.Match(text) }, func() string { return "the end of the trace" })
	last := map[string]*started{}
	fresh := func(pid string, line int) *started {
		last[pid] = &started{born: line}
		all = append(all, last[pid])
		return last[pid]
	}
	of := func(pid string, line int) *started {
		if p := last[pid]; p != nil && !p.ended {
			return p
		}
		return fresh(pid, line)
	}
	root = of(strconv.Itoa(s.cmd.Process.Pid), 0)
	for n, line := range strings.Split(string(text), "\n") {
		if child := childLine.FindStringSubmatch(line); child != nil {
			parent, name := of(child[1], n), child[2]
			if child[3] != "" {
				name = child[3]
			}
			born := last[name] // a quick process may end before its parent's call returns
			if born == nil || born.parent != nil || born == root {
				born = fresh(name, n)
			}
			born.parent = parent
			continue
		}
		word, _, _ := strings.Cut(line, " ")
		if word == "" {
			continue
		}
		p := of(word, n)
		p.ended = p.ended || exitLine.MatchString(line)
		if call := callLine.FindStringSubmatch(line); call != nil {
			p.execs = append(p.execs, start{n, call[2], call[3], false})
		}
		if endLine.MatchString(line) && len(p.execs) > 0 {
			p.execs[len(p.execs)-1].happened = true
		}
	}
	return root, all
}

// gitsOwn returns a function that reports whether a program belongs to git. Our git may
// start those.
func gitsOwn(t testing.TB) func(start) bool {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	home := strings.TrimSpace(string(out))
	// git asks a shell to start the other side of a fetch.
	other := regexp.MustCompile(`^"[^"]*sh", "-c", "(git-upload-pack|git-receive-pack|git upload-pack|git receive-pack) '[^'"$` + "`" + `]*'"`)
	return func(s start) bool {
		name := filepath.Base(s.path)
		if name == "sh" || name == "dash" {
			return other.MatchString(s.argv)
		}
		if name != "git" && !strings.HasPrefix(name, "git-") || strings.Contains(s.path, canaryName) {
			return false
		}
		for _, banned := range []string{"git-remote-", "git-credential", "git-sh-", "git-daemon", "git-http", "git-lfs", "git-send-email", "git-difftool", "git-mergetool", "git-submodule"} {
			if strings.HasPrefix(name, banned) {
				return false
			}
		}
		if !s.happened && !strings.HasPrefix(s.path, home) {
			return true // it looks for git along PATH
		}
		return true
	}
}

// strangers returns the programs other than git that our git started, and those that
// the server itself started and that are neither git nor an agent nor the check. ours
// is the number of calls of git, so that a test knows that it saw some.
func (s *traced) strangers(check string) (found []string, ours int) {
	s.t.Helper()
	root, all := s.starts()
	own := gitsOwn(s.t)
	server := serverBinary(s.t)
	for _, p := range all {
		line := chain(root, p)
		if line == nil {
			continue // not below the server, such as the tracer
		}
		begun := -1 // index of the first program that does not only serve to start others
		for n, at := range line {
			if carrier(at, server) {
				continue
			}
			begun = n
			break
		}
		if begun < 0 {
			continue
		}
		first := line[begun]
		// Look only at programs that this process itself became. Its ancestors are
		// looked at themselves.
		mine := len(p.execs)
		switch name := filepath.Base(first.path); {
		case name == "git":
			ours++
			for n := begun; n < len(line); n++ {
				if at := line[n]; !own(at) && (at.happened || strings.Contains(at.path, canaryName)) {
					if n >= len(line)-mine {
						found = append(found, fmt.Sprintf("%s %.200s, by git %.300s", at.path, at.argv, first.argv))
					}
					break // what a foreign program starts in turn shows nothing more
				}
			}
		case strings.Contains(first.argv, "simulated-agent"):
		case (name == "sh" || name == "dash") && (strings.Contains(first.argv, check) || strings.Contains(first.argv, "sandbox-check") ||
			strings.Contains(first.argv, "git --version && git ls-remote")): // the sandbox's trial of its own doors
		case first.happened:
			if begun >= len(line)-mine {
				found = append(found, fmt.Sprintf("%s %.300s, by the server", first.path, first.argv))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), ours
}

// carrier reports whether a program only serves the server to start others, or is a
// failed try along PATH.
func carrier(s start, server string) bool {
	name := filepath.Base(s.path)
	if !s.happened && name != "git" && !strings.Contains(s.path, canaryName) {
		return true
	}
	return name == "bwrap" || name == "exe" || (s.path == server || name == filepath.Base(server)) && !strings.Contains(s.argv, "simulated-agent")
}

// chain returns the programs that led to a process: those of its ancestors, and its own.
func chain(root, p *started) []start {
	var line []start
	for before := int(^uint(0) >> 1); p != nil; before, p = p.born, p.parent {
		var part []start
		for _, at := range p.execs {
			if at.line < before {
				part = append(part, at)
			}
		}
		line = append(part, line...)
		if p == root {
			return line
		}
	}
	return nil
}
