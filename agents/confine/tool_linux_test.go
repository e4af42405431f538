package confine_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/agents/confine"
)

// tool returns one of our own commands, which works in a folder that it can write.
func (p *place) tool(dir string, reads []string, argv ...string) *exec.Cmd {
	p.t.Helper()
	p.bubblewrap()
	all := append(p.sandbox.Tool(dir, reads, []string{dir}), argv...)
	cmd := exec.Command(all[0], all[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "GIT_CONFIG_NOSYSTEM=1"}
	return cmd
}

func (p *place) says(cmd *exec.Cmd) string {
	out, _ := cmd.CombinedOutput()
	return string(out)
}

func TestNoSandboxIsNoTool(t *testing.T) {
	t.Parallel()
	var none *confine.Sandbox
	if got := none.Tool("/", nil, nil); got != nil {
		t.Errorf("%q", got)
	}
}

func TestAToolSeesWhatItWasGivenAndNothingElse(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.secrets()
	dir, given := p.root+"/tree", p.root+"/given"
	p.mkdir(dir+"/part", given, p.data+"/git/r1/ours")
	p.write(given+"/file", "given")
	p.write(p.home+"/.nvm/v24/bin/tool", "#!/bin/sh\necho a tool of PATH\n")
	if err := os.Chmod(p.home+"/.nvm/v24/bin/tool", 0o755); err != nil {
		t.Fatal(err)
	}
	said := p.says(p.tool(dir, []string{given, dir + "/part", p.data + "/git/r1/ours"}, "/bin/sh", "-c", `
		cat `+given+`/file; echo; pwd; `+p.home+`/.nvm/v24/bin/tool; echo x >written && cat written
		for f in `+given+`/new part/new /usr/new `+p.data+`/git/r1/ours/new; do (echo x >$f) 2>/dev/null && echo wrote $f; done
		cat ~/.ssh/id_rsa ~/.netrc `+p.data+`/questboard.db 2>/dev/null
		find `+p.root+` -type f -not -name tool; ls /proc /run /home 2>/dev/null; echo done`))
	got := strings.Split(said, "\n")
	slices.Sort(got)
	want := []string{"", dir + "/written", given + "/file", "a tool of PATH", "done", "given", dir, "x"}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("inside:\n%s", said)
	}
}

// On some machines the data directory or the home is in a folder of the system.
func TestAToolDoesNotSeeADataDirectoryInASystemFolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.sandbox.Data, p.sandbox.Home = "/etc/alternatives", "/usr/lib"
	argv := p.sandbox.Tool(p.repo, nil, []string{p.repo})
	for _, dir := range []string{"/etc/alternatives", "/usr/lib"} {
		if at := slices.Index(argv, dir); at < 0 || argv[at-1] != "--tmpfs" {
			t.Errorf("%s is seen: %q", dir, argv)
		}
	}
}

func TestAToolHasNoNetwork(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	came := make(chan struct{})
	go func() { // ends with the listener
		if c, err := l.Accept(); err == nil {
			_ = c.Close()
			close(came)
		}
	}()
	ask := []string{"git", "ls-remote", "git://" + l.Addr().String() + "/x"}
	if said := p.says(p.tool(p.repo, nil, ask...)); !strings.Contains(said, "unable to connect") {
		t.Errorf("git says %q", said)
	}
	select {
	case <-came:
		t.Error("it came through")
	default:
	}
	_ = exec.Command(ask[0], ask[1:]...).Run() // outside of the sandbox the connection succeeds
	<-came
	_ = l.Close()
}

// If an agent's repository makes our git start a program, that runs in the sandbox.
func TestAFilterOfANestedRepositoryRunsInside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.secrets()
	dir, canary := p.root+"/tree", p.root+"/canary"
	p.mkdir(dir)
	p.write(canary, "whole")
	said := p.says(p.tool(dir, nil, "/bin/sh", "-c", `git init -q evil && cd evil && echo '* filter=evil' >.gitattributes &&
		git config filter.evil.clean "sh -c 'echo ran >../ran; echo x >`+canary+`; cat `+p.home+`/.ssh/id_rsa'" && git add . ; git cat-file -p :.gitattributes`))
	ran, _ := os.ReadFile(dir + "/ran")
	left, _ := os.ReadFile(canary)
	if string(ran) != "ran\n" || string(left) != "whole" || strings.Contains(said, "CANARY") {
		t.Errorf("ran %q, left %q: %s", ran, left, said)
	}
}

func TestAToolWithoutItsPathsSaysSo(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if said := p.says(p.tool(p.root+"/absent", nil, "git", "--version")); !strings.HasPrefix(said, "bwrap: ") || !strings.Contains(said, p.root+"/absent") {
		t.Errorf("it says %q", said)
	}
}

// working is a tool that holds a lock and works until the file go exists.
const working = `echo begun >begun; while [ ! -e go ]; do sleep 0.05; done; echo done >ended`

// locked returns a lock that a command can inherit.
func locked(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// isFree reports whether nobody holds the lock.
func isFree(t *testing.T, name string) bool {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil && !errors.Is(err, syscall.EWOULDBLOCK) {
		t.Fatal(err)
	}
	return err == nil
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not come", what)
		}
	}
}

func TestASignalToTheGroupEndsAToolAndItsLock(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		p := newPlace(t)
		dir, lock := p.root+"/tree", p.root+"/lock"
		p.mkdir(dir)
		held := locked(t, lock)
		cmd := p.tool(dir, nil, "/bin/sh", "-c", working)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.ExtraFiles = []*os.File{held}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = held.Close()
		until(t, "the tool", func() bool { return exists(dir + "/begun") })
		if isFree(t, lock) {
			t.Error("the tool does not hold the lock")
		}
		if err := syscall.Kill(-cmd.Process.Pid, signal); err != nil {
			t.Fatal(err)
		}
		_, _ = out.Read(make([]byte, 1)) // returns when the tool has ended
		_ = cmd.Wait()
		until(t, "the lock", func() bool { return isFree(t, lock) })
		if exists(dir + "/ended") {
			t.Errorf("%v: it went on", signal)
		}
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// asServer makes this binary a server that starts a tool with a lock and waits.
const asServer = "server-with-a-tool"

func serveTool(args []string) {
	held := os.NewFile(3, "lock")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.ExtraFiles = []*os.File{held}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	_ = held.Close()
	_ = cmd.Wait()
}

// Our git finishes its work although the server was killed, and the next server waits for
// its lock.
func TestAToolOutlivesAKilledServerAndHoldsItsLock(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir, lock := p.root+"/tree", p.root+"/lock"
	p.mkdir(dir)
	held := locked(t, lock)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(self, append([]string{asServer}, p.tool(dir, nil, "/bin/sh", "-c", working).Args...)...)
	server.ExtraFiles = []*os.File{held}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	_ = held.Close()
	until(t, "the tool", func() bool { return exists(dir + "/begun") })
	_ = server.Process.Kill()
	_ = server.Wait()
	if isFree(t, lock) || exists(dir+"/ended") {
		t.Error("the tool went with the server")
	}
	p.write(dir+"/go", "")
	until(t, "the lock", func() bool { return isFree(t, lock) })
	if !exists(dir + "/ended") {
		t.Error("it did not end its work")
	}
}

// BenchmarkTool measures one of our git commands, with and without the sandbox.
func BenchmarkTool(b *testing.B) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		b.Skip(err)
	}
	dir := b.TempDir()
	s := &confine.Sandbox{Bwrap: bwrap, Data: filepath.Join(dir, "data"), Home: os.Getenv("HOME"), Path: os.Getenv("PATH")}
	git := []string{"git", "--version"}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command(git[0], git[1:]...).Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("confined", func(b *testing.B) {
		for b.Loop() {
			argv := append(s.Tool(dir, nil, []string{dir}), git...)
			if err := exec.Command(argv[0], argv[1:]...).Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("command line", func(b *testing.B) {
		for b.Loop() {
			_ = s.Tool(dir, nil, []string{dir})
		}
	})
}
